"""Forgets, every hour, what is past its time."""

import asyncio
from contextlib import suppress

from core.errors import CountersignError
from core.ports import Clock
from core.storage import duties
from core.storage.database import Database
from core.storage.retention import Forget, Retention, sweep, unindexed
from core.telemetry import logs

HOUR = 3_600.0

log = logs.get(__name__)


class Sweeper:
    """Sweeps from `run` until `drain`."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        retention: Retention | None = None,
        forget: Forget = unindexed,
    ) -> None:
        """`forget` takes turns out of the search index."""
        self._forget = forget
        self._db = db
        self._clock = clock
        self._retention = retention or Retention()
        self._ended = asyncio.Event()

    async def run(self) -> None:
        while not self._ended.is_set():
            try:
                async with duties.held(
                    self._db, "retention", clock=self._clock, every=0.9 * HOUR
                ) as is_ours:
                    if is_ours:
                        await self._sweep()
            except CountersignError as failure:
                log.warning("retention.failed", kind=type(failure).__name__)
            with suppress(TimeoutError):
                async with asyncio.timeout(HOUR):
                    await self._ended.wait()

    async def _sweep(self) -> None:
        gone = await sweep(self._db, self._retention, now=self._clock(), forget=self._forget)
        log.info("retention.swept", **gone)

    async def drain(self) -> None:
        self._ended.set()
