"""Runs the deliveries of a stand-in beside whoever caused them."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


class Background:
    """Owns what was launched until `stop`, which tells what went wrong of it."""

    def __init__(self, landed: Callable[[], None]) -> None:
        """`landed` is called after each piece of work, however it ended."""
        self._told = landed
        self._under_way: set[asyncio.Task[Any]] = set()
        self._failures: list[BaseException] = []

    @property
    def is_idle(self) -> bool:
        return not self._under_way

    def launch(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._landed)

    async def stop(self) -> None:
        """Drop what is still under way."""
        for task in tuple(self._under_way):
            task.cancel()
        if self._under_way:
            await asyncio.wait(self._under_way)

    def tell_failures(self) -> None:
        """Raises what went wrong, as a group."""
        if self._failures:
            raise BaseExceptionGroup("deliveries failed inside the stand-in", self._failures)

    def _landed(self, task: asyncio.Task[Any]) -> None:
        self._under_way.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            self._failures.append(failure)
        self._told()
