"""Spaces out what is sent to one conversation, by the limits that Microsoft publishes."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

from core.errors import Unavailable
from core.ports import Clock, Moments

WINDOWS = ((7, 1.0), (8, 2.0), (60, 30.0), (1_800, 3_600.0))
"""(messages, seconds) that one bot may send to one conversation."""
LONGEST_PAUSE = 45.0
"""Seconds that one message may be held back here; a longer wait is the courier's."""
MOST = 1_000
"""Conversations whose messages are counted at a time."""


class Pacing:
    """Hands out moments. `clock` should be one that never goes back."""

    def __init__(
        self,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        everywhere: Moments | None = None,
    ) -> None:
        """`everywhere` counts what all processes of the bot send; None where this is the only
        one."""
        self._clock = clock
        self._sleep = sleep
        self._everywhere = everywhere
        self._sent: dict[str, deque[float]] = {}
        self._held: dict[str, float] = {}

    async def turn(self, conversation: str) -> None:
        """Wait until something may be sent there. The moment is taken before the wait, so callers
        keep their order."""
        now = self._clock()
        self._forget(now)
        sent = self._sent.setdefault(conversation, deque(maxlen=WINDOWS[-1][0]))
        start = max(now, self._held.get(conversation, now), *_free(sent))
        start = min(start, now + LONGEST_PAUSE)
        sent.append(start)
        wait = max(start - now, await self._elsewhere(conversation))
        if wait > 0:
            await self._sleep(min(wait, LONGEST_PAUSE))

    async def hold(self, conversation: str, seconds: float) -> None:
        """Teams asked for a pause."""
        until = self._clock() + seconds
        self._held[conversation] = max(until, self._held.get(conversation, until))
        if self._everywhere is not None:
            with suppress(Unavailable):
                await self._everywhere.hold(_line(conversation), seconds)

    async def _elsewhere(self, conversation: str) -> float:
        """Without a database everybody keeps to their own pace."""
        if self._everywhere is not None:
            with suppress(Unavailable):
                return await self._everywhere.take(
                    _line(conversation), WINDOWS, patience=LONGEST_PAUSE
                )
        return 0.0

    def is_held(self, conversation: str) -> bool:
        return self._held.get(conversation, 0.0) > self._clock()

    def _forget(self, now: float) -> None:
        if len(self._sent) > MOST:
            longest = WINDOWS[-1][1]
            self._sent = {at: sent for at, sent in self._sent.items() if now - sent[-1] < longest}
            self._held = {at: until for at, until in self._held.items() if until > now}


def _free(sent: deque[float]) -> list[float]:
    """When each window has room again."""
    return [sent[-count] + seconds for count, seconds in WINDOWS if len(sent) >= count] or [
        float("-inf")
    ]


def _line(conversation: str) -> str:
    return f"teams/{conversation}"
