"""The parts that work in the background: the lanes that run turns and the courier of each
surface."""

import asyncio
from collections.abc import Callable

from core.ports import Clock
from core.turn.deliver import Courier
from core.turn.lanes import Lanes

LANES_DRAIN_SECONDS = 20.0
COURIER_DRAIN_SECONDS = 5.0


class Running:
    """A part around something that runs until it is drained."""

    def __init__(self, name: str, worker: Lanes | Courier, seconds: float) -> None:
        self.name = name
        self.grace = seconds + 2.0
        self._worker = worker
        self._seconds = seconds
        self._is_running = False

    async def run(self, up: Callable[[], None], stop: asyncio.Event) -> None:
        """Work until `stop`, then let what is under way end. Raises what the work raises."""
        async with asyncio.TaskGroup() as group:
            running = group.create_task(self._worker.run())
            running.add_done_callback(lambda _: stop.set())
            self._is_running = True
            up()
            await stop.wait()
            self._is_running = False
            await self._worker.drain(self._seconds)

    def ready(self) -> bool:
        return self._is_running


def lanes(worker: Lanes) -> Running:
    return Running("lanes", worker, LANES_DRAIN_SECONDS)


def courier(worker: Courier, surface: str) -> Running:
    return Running(f"courier.{surface}", worker, COURIER_DRAIN_SECONDS)


def silence(worker: Lanes, clock: Clock) -> float:
    """Seconds since the lanes last looked for work without trouble."""
    return 0.0 if worker.looked_at is None else max(0.0, clock() - worker.looked_at)
