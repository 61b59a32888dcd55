"""Says in the thread what a turn is doing, beside its work: no step waits until that is shown."""

import asyncio
from types import TracebackType

from core.ports import Address, Surface
from core.telemetry import logs

PATIENCE = 2.0
"""Seconds that the end of a turn waits for the last word: shown after the answer, it would stay."""

log = logs.get(__name__)


class Status:
    """Enter it where the turn begins. Only the newest word is said: one that comes while the
    platform is slow takes the place of those that wait."""

    def __init__(self, surface: Surface, address: Address) -> None:
        self._surface = surface
        self._address = address
        self._next = ""
        self._saying: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "Status":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            await self.end()
        elif self._saying is not None:
            self._saying.cancel()

    async def say(self, text: str) -> None:
        """Show the text soon."""
        self._next = text
        if self._saying is None or self._saying.done():
            self._saying = asyncio.create_task(self._say())

    async def end(self) -> None:
        """Say nothing more, and wait until the platform has taken what is under way."""
        self._next = ""
        if self._saying is None or self._saying.done():
            return
        try:
            await asyncio.wait([self._saying], timeout=PATIENCE)
        finally:
            self._saying.cancel()

    async def _say(self) -> None:
        while text := self._next:
            self._next = ""
            try:
                await self._surface.progress(self._address, text)
            # Whatever the platform's client meets must not end the turn: it is only a sign of life.
            except Exception as error:
                log.warning("turn.no_status", kind=type(error).__name__)
