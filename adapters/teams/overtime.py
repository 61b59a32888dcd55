"""Lets work outlast the moment in which Teams wants an answer to a click."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Self, TypeVar

log = logging.getLogger(__name__)
LONGEST = 60.0
"""Seconds for the work itself."""
CLOSING_SECONDS = 3.0
"""For what is under way when the adapter closes."""
Result = TypeVar("Result")


class Overtime:
    """Owns the work that goes on. Enter it before the first click."""

    def __init__(self, seconds: float) -> None:
        """`seconds`: how long an answer may take."""
        self._seconds = seconds
        self._tasks: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._tasks:
            late = (await asyncio.wait(self._tasks, timeout=CLOSING_SECONDS))[1]
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)

    async def within(
        self,
        work: Coroutine[Any, Any, Result],
        late: Callable[[Result], Awaitable[None]],
    ) -> Result | None:
        """What the work gives; None where that takes too long: then `late` is told of it. Raises
        what the work raises in time."""
        given = asyncio.Event()
        task = asyncio.create_task(self._worked(work, late, given), name="teams.overtime")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        done, _ = await asyncio.wait({task}, timeout=self._seconds)
        given.set()
        return task.result() if done else None

    async def _worked(
        self,
        work: Coroutine[Any, Any, Result],
        late: Callable[[Result], Awaitable[None]],
        given: asyncio.Event,
    ) -> Result:
        """`given`: the answer has been given without the result."""
        async with asyncio.timeout(LONGEST):
            result = await work
            if given.is_set():
                log.info("teams.late_answer")
                await late(result)
        return result
