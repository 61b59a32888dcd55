"""Carries approved calls out in the background, where no model can be reached."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

from core.approvals import carry, upkeep
from core.approvals.asking import Patience
from core.approvals.rooms import Rooms
from core.cards import CallId
from core.errors import Unavailable
from core.parked import ParkedCall
from core.policy.rules import Rules
from core.storage import duties, parked
from core.telemetry import logs, spans

log = logs.get(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Times in seconds."""

    concurrency: int = 16
    poll: float = 1.0
    """How often to look without being woken."""
    lease: float = 30.0
    """How long a call outlives the last sign of the process that looks after it; signs come three
    times as often."""
    sweep: float = 15.0
    """How often expiry, reminders and deputies are looked after, by the clock."""
    patience: Patience = field(default_factory=Patience)


SWEEP = "approvals"
"""The duty of looking after what nobody clicks."""


class Executor:
    """Works from `run` until `drain`, beside those of other processes: a call is looked after by
    one at a time, and by another one only when that one is gone."""

    def __init__(self, rooms: Rooms, pace: Pace | None = None) -> None:
        self._rooms = rooms
        self._pace = pace or Pace()
        self._busy: dict[CallId, asyncio.Task[None]] = {}
        self._broken: set[CallId] = set()
        """What cannot even be given up; the next start tries again."""
        self._is_draining = False
        self._swept_at = float("-inf")
        self._had_effects = True
        self._had_rules: Rules | None = None

    async def run(self) -> None:
        """Settle what processes left that are gone, and carry out what gets approved, until
        `drain`."""
        is_new = self._rooms.db.is_exclusive
        async with asyncio.TaskGroup() as group:
            while not self._is_draining:
                try:
                    if is_new:
                        await parked.take_over(self._rooms.db)
                        is_new = False
                    await self._begin(group)
                    await self._sweep()
                except Unavailable as failure:
                    log.warning("executor.stalled", reason=str(failure))
                if not self._is_draining:
                    await self._rooms.db.wait(parked.CHANNEL, self._pace.poll)

    async def drain(self, seconds: float) -> None:
        """Begin nothing more and let what is under way end, for that long; `run` returns then.
        What is cut short is settled at the next start."""
        self._is_draining = True
        with suppress(Unavailable):
            await self._rooms.db.notify(parked.CHANNEL)
        if self._busy:
            _, late = await asyncio.wait(self._busy.values(), timeout=seconds)
            for task in late:
                task.cancel()

    async def _begin(self, group: asyncio.TaskGroup) -> None:
        """Start what fits."""
        known = self._busy.keys() | self._broken
        free = self._pace.concurrency - len(self._busy)
        if free <= 0:
            return
        now = self._rooms.clock()
        for due in await parked.to_carry_out(self._rooms.db, free, besides=known, now=now):
            if due.call is None:
                # One row that cannot be read must not hold up the others.
                self._broken.add(due.id)
            else:
                self._start(group, due.call)

    def _start(self, group: asyncio.TaskGroup, call: ParkedCall) -> None:
        task = group.create_task(self._serve(call), name=f"call {call.id}")
        self._busy[call.id] = task

    async def _serve(self, call: ParkedCall) -> None:
        try:
            now = self._rooms.clock()
            lease = now + self._pace.lease
            if await parked.take(self._rooms.db, call, now=now, lease=lease):
                await self._work_while_held(call)
        except Unavailable as failure:
            # The row says how far it came; the next look goes on from there.
            log.warning("call.unrecorded", call=call.id, reason=str(failure))
            return
        finally:
            del self._busy[call.id]
        with suppress(Unavailable):
            await self._rooms.db.notify(parked.CHANNEL)

    async def _work_while_held(self, call: ParkedCall) -> None:
        beating = asyncio.create_task(self._beat(call.id), name=f"lease {call.id}")
        try:
            await self._work(call)
        finally:
            beating.cancel()
            await asyncio.wait([beating])

    async def _beat(self, call: CallId) -> None:
        """Keep the call this process's. Where that fails for as long as the lease lasts another
        one settles it; what is under way here cannot be called back, and of the two ends the row
        takes one."""
        while True:
            await asyncio.sleep(self._pace.lease / 3)
            with suppress(Unavailable):
                lease = self._rooms.clock() + self._pace.lease
                if not await parked.beat(self._rooms.db, call, lease=lease):
                    return

    async def _work(self, call: ParkedCall) -> None:
        attributes: spans.Attributes = {"countersign.call": call.id, "countersign.turn": call.turn}
        work = carry.carry if call.state == "approved" else carry.settle
        try:
            with spans.span(f"effect {call.tool}", attributes, parent=call.trace):
                await work(self._rooms, call, self._pace.patience)
        except Unavailable:
            raise
        # One call may break in ways nobody thought of: people are told, and the others go on.
        except Exception as failure:
            log.exception("call.broke", error=failure, call=call.id, tool=call.tool)
            self._broken.add(call.id)
            await self._give_up(call)

    async def _give_up(self, call: ParkedCall) -> None:
        try:
            await carry.give_up(self._rooms, call.id)
        except Unavailable:
            raise
        # Its row stays as it is for the next start; the others go on.
        except Exception as failure:
            log.exception("call.unsaid", error=failure, call=call.id, tool=call.tool)

    async def _sweep(self) -> None:
        rules, now = self._rooms.rules(), self._rooms.clock()
        is_new = rules is not self._had_rules
        if not is_new and now < self._swept_at + self._pace.sweep:
            return
        self._swept_at = now
        lease = now + 3 * self._pace.sweep
        if not await duties.hold(self._rooms.db, SWEEP, now=now, lease=lease):
            return
        try:
            if is_new:
                await upkeep.recheck(self._rooms)
            if rules.has_effects != self._had_effects:
                # The switch stands on every card.
                await upkeep.redraw(self._rooms)
            self._had_effects, self._had_rules = rules.has_effects, rules
            await upkeep.sweep(self._rooms)
        except Unavailable:
            raise
        # What cannot be looked after must not keep the rest from being carried out.
        except Exception as failure:
            log.exception("sweep.broke", error=failure)
