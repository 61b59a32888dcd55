"""Spaces out what is posted to one channel, in the order in which it was asked for."""

import asyncio
from collections.abc import Awaitable, Callable

from core.ports import Clock

GAP = 1.0
"""Seconds between two posts to one channel: the rate that Slack documents."""
LONGEST_PAUSE = 120.0
"""Seconds that one post may be held back, whatever the clock or the platform says."""


class Pacing:
    """Hands out moments. `clock` should be one that never goes back."""

    def __init__(
        self, clock: Clock, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._free_at: dict[str, float] = {}

    async def turn(self, channel: str) -> None:
        """Wait until it is this caller's turn. The moment is taken before the wait, so callers
        keep their order."""
        now = self._clock()
        if len(self._free_at) > 1_000:
            self._free_at = {at: free for at, free in self._free_at.items() if free > now}
        start = min(max(now, self._free_at.get(channel, now)), now + LONGEST_PAUSE)
        self._free_at[channel] = start + GAP
        if start > now:
            await self._sleep(start - now)

    def hold(self, channel: str, seconds: float) -> None:
        """Slack asked for a pause: the next post waits at least that long."""
        until = self._clock() + seconds
        self._free_at[channel] = max(until, self._free_at.get(channel, until))
