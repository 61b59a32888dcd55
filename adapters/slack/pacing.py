"""Spaces out what is sent in one line (a channel, a method), in the order in which it was asked
for."""

import asyncio
import heapq
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from core.errors import Unavailable
from core.ports import Clock, Moments, Window

GAP = 1.0
"""Seconds between two posts to one channel: the rate that Slack documents."""
LONGEST_PAUSE = 120.0
"""Seconds that one post may be held back, whatever the clock or the platform says."""


@dataclass(slots=True)
class _Line:
    free_at: float = 0.0
    is_busy: bool = False
    waiting: list[tuple[bool, int, asyncio.Future[None]]] = field(
        default_factory=list[tuple[bool, int, asyncio.Future[None]]]
    )
    """A heap: who is not urgent comes later, else who came first goes first."""


@dataclass(frozen=True, slots=True)
class Everywhere:
    """What all processes of the bot do in one workspace."""

    moments: Moments
    workspace: Callable[[], str]

    async def wait(self, name: str, windows: Sequence[Window], patience: float) -> float:
        """Seconds. Without a database everybody keeps to their own pace: no post is worth less
        for that."""
        with suppress(Unavailable):
            return await self.moments.take(self._line(name), windows, patience=patience)
        return 0.0

    async def hold(self, name: str, seconds: float) -> None:
        with suppress(Unavailable):
            await self.moments.hold(self._line(name), seconds)

    def _line(self, name: str) -> str:
        return f"slack/{self.workspace()}/{name}"


class Pacing:
    """Hands out moments. `clock` should be one that never goes back."""

    def __init__(
        self,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        everywhere: Everywhere | None = None,
    ) -> None:
        """`everywhere` is None where this process is the only one."""
        self.clock = clock
        self.everywhere = everywhere
        self._sleep = sleep
        self._lines: dict[str, _Line] = {}
        self._asked = 0

    @asynccontextmanager
    async def turn(
        self, name: str, *, gap: float = GAP, is_urgent: bool = False
    ) -> AsyncGenerator[None]:
        """Wait for this caller's turn in the line, and have the line alone while inside: two calls
        under way at once could overtake each other."""
        line = self._line(name)
        await self._admitted(line, is_urgent)
        try:
            wait = line.free_at - self.clock()
            if self.everywhere is not None:
                others = await self.everywhere.wait(name, ((1, gap),), LONGEST_PAUSE)
                wait = max(wait, others)
            if wait > 0:
                await self._sleep(min(wait, LONGEST_PAUSE))
            line.free_at = self.clock() + gap
            yield
        finally:
            line.is_busy = False
            _next(line)

    async def hold(self, name: str, seconds: float) -> None:
        """Slack asked for a pause: the next one in the line waits at least that long."""
        line = self._line(name)
        line.free_at = max(line.free_at, self.clock() + seconds)
        if self.everywhere is not None:
            await self.everywhere.hold(name, seconds)

    async def _admitted(self, line: _Line, is_urgent: bool) -> None:
        if not line.is_busy:
            line.is_busy = True
            return
        self._asked += 1
        admitted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(line.waiting, (not is_urgent, self._asked, admitted))
        try:
            await admitted
        except asyncio.CancelledError:
            if admitted.done() and not admitted.cancelled():
                line.is_busy = False
                _next(line)
            raise

    def _line(self, name: str) -> _Line:
        if len(self._lines) > 1_000:
            now = self.clock()
            self._lines = {
                name: line
                for name, line in self._lines.items()
                if line.is_busy or line.free_at > now
            }
        return self._lines.setdefault(name, _Line())


def _next(line: _Line) -> None:
    """Let in the first one that still waits."""
    while line.waiting and not line.is_busy:
        admitted = heapq.heappop(line.waiting)[2]
        if not admitted.done():
            line.is_busy = True
            admitted.set_result(None)


class Budget:
    """So many calls within so many seconds, over the whole workspace."""

    def __init__(
        self,
        clock: Clock,
        *,
        calls: int,
        seconds: float = 60.0,
        name: str = "",
        everywhere: Everywhere | None = None,
    ) -> None:
        """`name` tells it from other budgets of the workspace."""
        self._clock = clock
        self._calls = calls
        self._seconds = seconds
        self._name = name
        self._everywhere = everywhere
        self._spent: deque[float] = deque()

    async def take(self) -> bool:
        """False when the budget is spent; nothing waits."""
        if self._everywhere is not None:
            windows = ((self._calls, self._seconds),)
            if await self._everywhere.wait(self._name, windows, 0.0) > 0.0:
                return False
        now = self._clock()
        while self._spent and self._spent[0] <= now - self._seconds:
            self._spent.popleft()
        if len(self._spent) >= self._calls:
            return False
        self._spent.append(now)
        return True
