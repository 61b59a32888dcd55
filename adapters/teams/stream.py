"""Streams an answer into a one-to-one chat while it is being written: one writer, one message.

Teams takes one stream at a time in a chat, for two minutes, about one piece a second, and each
piece says all of the text so far. What is streamed is a preview of the post, which completes it or
is put in its place. Source: Microsoft's page on streaming bot messages.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from adapters.teams.connector import Connector
from adapters.teams.reasons import NO_ANSWER, STOPPED_BY_PERSON
from adapters.teams.render import limits, live
from core.errors import DeliveryFailed
from core.ports import Clock, Step
from core.records import Address, Json

log = logging.getLogger(__name__)
STOPPED_HERE = "_Stopped here._"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """When something is streamed, and how often; times in seconds."""

    long: int = 200
    """Weight of the words from which on an answer is worth a stream."""
    every: float = 1.5
    """Between two pieces: Teams takes one a second."""
    life: float = 105.0
    """After which no piece is sent any more: Teams ends a stream after two minutes."""
    closing: float = 2.0
    """For a call under way when the turn ends."""


class Stream:
    """`core.ports.Showing` of one answer. `write` is the one writer; `end` comes after it."""

    def __init__(
        self,
        connector: Connector,
        clock: Clock,
        manner: Manner,
        address: Address,
        words: Callable[[], str],
        begun: Callable[[str], Awaitable[None]],
        stopped: Callable[[], Awaitable[None]],
    ) -> None:
        """`begun` is told the id of the message, once there is one; `stopped`, that the person
        pressed Stop."""
        self._connector = connector
        self._clock = clock
        self._manner = manner
        self._address = address
        self._words = words
        self._begun = begun
        self._stopped = stopped
        self._news = asyncio.Event()
        self._number = 0
        self._shown: str = ""
        self._started_at = 0.0
        self._is_closing = False
        self._is_off = False
        self.id = ""
        """Of the message; empty while there is none."""

    def more(self) -> None:
        self._news.set()

    def step(self, step: Step) -> None:
        return None

    @property
    def has_begun(self) -> bool:
        return self._number > 0

    def close(self) -> None:
        """Begin nothing more."""
        self._is_closing = True
        self._news.set()

    async def write(self) -> None:
        """Show what there is to show until `close`. Never raises."""
        while not self._is_closing and not self._is_off:
            await self._news.wait()
            self._news.clear()
            if self._is_closing:
                return
            try:
                if await self._piece():
                    await self._pause(self._manner.every)
            except DeliveryFailed as failure:
                await self._failed(failure)

    async def _piece(self) -> bool:
        """One call at most; False where there was nothing to say."""
        text = live.shown(self._words())
        is_long = limits.weight(text) >= self._manner.long
        if text == self._shown or not (self.id or is_long):
            return False
        is_late = bool(self.id) and self._clock() - self._started_at >= self._manner.life
        if not text.startswith(self._shown) or is_late:
            # The words changed behind what is shown, or the time is over: the post does the rest.
            self._is_off = True
            return False
        self._number += 1
        found = await self._sent(live.piece(text, self.id, self._number))
        self._shown = text
        if not self.id:
            self.id, self._started_at = found, self._clock()
            await self._begun(found)
        return True

    async def _failed(self, failure: DeliveryFailed) -> None:
        log.info("teams.stream_failed", extra={"fields": {"reason": failure.reason}})
        if failure.retry_after and self.id:
            # Nothing was taken: the same number again, a little later.
            self._number -= 1
            await self._pause(min(failure.retry_after, self._manner.life))
            self._news.set()
            return
        if failure.reason != NO_ANSWER and not self.id:
            self._number = 0
        self._is_off = True
        if failure.reason == STOPPED_BY_PERSON:
            await self._stopped()

    async def _pause(self, seconds: float) -> None:
        ends = asyncio.get_running_loop().time() + seconds
        while not self._is_closing and asyncio.get_running_loop().time() < ends:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(ends):
                    self._news.clear()
                    await self._news.wait()
        self._news.set()

    async def abandon(self) -> None:
        """The turn ends without an answer: let the message not wait for more. Never raises."""
        if not self.id:
            return
        with suppress(DeliveryFailed, TimeoutError):
            async with asyncio.timeout(self._manner.closing):
                await self._sent(live.stopped(self.id, self._shown, STOPPED_HERE))

    def completes(self, shown: Json) -> bool:
        """Whether this message goes on from what is shown."""
        return str(shown.get("text", "")).startswith(self._shown)

    async def _sent(self, shown: Json) -> str:
        address = self._address
        return await self._connector.hinted(address["service"], address["conversation"], shown)
