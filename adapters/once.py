"""Remembers which deliveries were answered on the spot, so that none is answered twice."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable

REMEMBERED = 1_000
"""Deliveries; a platform repeats one within minutes."""


class Once:
    """In memory: repeating an answer that was given before a restart is harmless."""

    def __init__(self) -> None:
        self._taken: OrderedDict[str, None] = OrderedDict()

    def has(self, delivery: str) -> bool:
        return delivery in self._taken

    def note(self, delivery: str) -> None:
        self._taken[delivery] = None
        if len(self._taken) > REMEMBERED:
            self._taken.popitem(last=False)

    async def answer(
        self, delivery: str, tell: Callable[[], Awaitable[bool | None]]
    ) -> bool | None:
        """What `tell` returns. The delivery stays noted where that is true: what was not answered
        may come again."""
        self.note(delivery)
        told: bool | None = False
        try:
            told = await tell()
        finally:
            if not told:
                self._taken.pop(delivery, None)
        return told
