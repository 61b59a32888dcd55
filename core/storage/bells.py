"""Wake-ups inside one process: a bell per channel that stays rung until its waiter heard it."""

import asyncio
from collections import defaultdict


class Bells:
    """Bells by channel name."""

    def __init__(self) -> None:
        self._rung: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    def ring(self, channel: str) -> None:
        self._rung[channel].set()

    def ring_all(self) -> None:
        """After a lost connection nobody knows what was missed."""
        for bell in self._rung.values():
            bell.set()

    async def wait(self, channel: str, seconds: float) -> bool:
        bell = self._rung[channel]
        try:
            async with asyncio.timeout(seconds):
                await bell.wait()
        except TimeoutError:
            return False
        bell.clear()
        return True
