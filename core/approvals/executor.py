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
from core.storage import parked
from core.telemetry import logs, spans

log = logs.get(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Times in seconds."""

    concurrency: int = 16
    poll: float = 1.0
    """How often to look without being woken."""
    sweep: float = 15.0
    """How often expiry, reminders and deputies are looked after, by the clock."""
    patience: Patience = field(default_factory=Patience)


class Executor:
    """Works from `run` until `drain`."""

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
        """Settle what an earlier process left, then carry out what gets approved, until
        `drain`."""
        async with asyncio.TaskGroup() as group:
            while not self._is_draining:
                try:
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
        for due in await parked.to_carry_out(self._rooms.db, free, besides=known):
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
            await self._work(call)
        except Unavailable as failure:
            # The row says how far it came; the next look goes on from there.
            log.warning("call.unrecorded", call=call.id, reason=str(failure))
            return
        finally:
            del self._busy[call.id]
        with suppress(Unavailable):
            await self._rooms.db.notify(parked.CHANNEL)

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
