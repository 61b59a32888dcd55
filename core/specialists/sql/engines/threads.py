"""Runs blocking drivers in threads that can be told to stop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any, TypeVar

from core.specialists.sql.engine import QueryFailed

T = TypeVar("T")

AT_ONCE = 4
"""Queries of one source side by side."""
GRACE = 2.0
"""Seconds that a query is given to stop."""


class Stop:
    """How a thread learns that its time is over or nobody waits any more."""

    def __init__(self, seconds: float) -> None:
        self.given = seconds
        self.ends = monotonic() + seconds
        self._is_told = False
        self._ways: list[Callable[[], object]] = []

    def by(self, way: Callable[[], object]) -> None:
        """`way` makes the driver give up; it is called from another thread."""
        self._ways.append(way)
        if self._is_told:
            way()

    @property
    def is_due(self) -> bool:
        return self._is_told or monotonic() > self.ends

    @property
    def seconds(self) -> float:
        """What is left, at least a tenth."""
        return max(self.ends - monotonic(), 0.1)

    def tell(self) -> None:
        self._is_told = True
        for way in self._ways:
            way()


class Threads:
    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="sql")

    async def run(self, work: Callable[[Stop], T], seconds: float) -> T:
        """Raises what `work` raises, and `QueryFailed` (`timeout`) when the time is over."""
        stop = Stop(seconds)
        running = asyncio.get_running_loop().run_in_executor(self._pool, work, stop)
        try:
            await asyncio.wait((running,), timeout=seconds)
            if not running.done():
                await asyncio.to_thread(stop.tell)
                await asyncio.wait((running,), timeout=GRACE)
        except asyncio.CancelledError:
            running.add_done_callback(_look)
            await asyncio.to_thread(stop.tell)
            raise
        if stop.is_due:
            running.add_done_callback(_look)
            raise too_slow(seconds)
        return running.result()

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _look(running: "asyncio.Future[Any]") -> None:
    """Nobody waits for it: what it raised says no more than that it was stopped."""
    if not running.cancelled():
        running.exception()


def too_slow(seconds: float) -> QueryFailed:
    return QueryFailed(
        "timeout", f"The query took longer than {seconds:g} seconds and was stopped."
    )
