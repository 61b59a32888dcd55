"""Carries out what people asked for who want to be forgotten."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from core.approvals.rooms import Rooms as Approvals
from core.approvals.upkeep import void_of_turn
from core.errors import CountersignError
from core.records import PersonId
from core.storage import duties, erase
from core.storage.erase import Erasure
from core.storage.index import Index
from core.telemetry import logs
from core.turn.lanes import Lanes
from core.turn.orders.own import CHANNEL
from core.turn.retrieve import source

SETTLED = 10.0
"""Seconds after which nothing of a stopped turn writes any more: then the last pass is made."""
POLL = 5.0

log = logs.get(__name__)


class Eraser:
    """Erases from `run` until `drain`; what a crash cut short goes on at the next start."""

    def __init__(
        self,
        approvals: Approvals,
        lanes: Lanes,
        index: Index,
        disconnect: Callable[[PersonId], Awaitable[object]],
    ) -> None:
        """`disconnect` revokes what Microsoft gave."""
        self._rooms = approvals
        self._lanes = lanes
        self._index = index
        self._disconnect = disconnect
        self._ended = asyncio.Event()

    async def run(self) -> None:
        while not self._ended.is_set():
            try:
                if await erase.due(self._rooms.db):
                    await self._carry_all()
            except CountersignError as failure:
                log.warning("erasure.failed", kind=type(failure).__name__)
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL):
                    await self._rooms.db.wait(CHANNEL, POLL)

    async def _carry_all(self) -> None:
        db = self._rooms.db
        async with duties.held(db, "erasing", clock=self._rooms.clock) as is_ours:
            for one in await erase.due(db) if is_ours else ():
                await self.carry(one)

    async def drain(self) -> None:
        self._ended.set()
        await self._rooms.db.notify(CHANNEL)

    async def carry(self, one: Erasure) -> None:
        """One pass; the last one when everything that ran has ended. Raises `CountersignError`."""
        now = self._rooms.clock()
        is_last = now >= one.asked_at + SETTLED
        for number, person in enumerate(one.persons):
            await self._disconnect(person)
            await erase.stop(self._rooms.db, person, now=now)
            turns = await erase.turns_of(self._rooms.db, person)
            for turn in turns:
                await self._lanes.stop(turn)
                await void_of_turn(self._rooms, turn)
            await self._index.forget_all([source(turn) for turn in turns])
            alias = f"{one.id}.{number}"
            await erase.erase(self._rooms.db, person, turns, alias, is_last=is_last)
        await self._index.scrub()
        await erase.scrub(self._rooms.db)
        if is_last:
            await erase.close(self._rooms.db, one, now=now)
            await erase.scrub(self._rooms.db)
            log.info("erasure.done", id=one.id)
