"""The lanes: run accepted turns, one at a time in a thread and side by side across threads.

What is promised (order, one at a time, ended once) is kept by the inbox's rows; the lanes only
decide when to look, and hold a turn to its deadline.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from core.errors import DeadlineExceeded, Unavailable
from core.ports import Clock
from core.records import Turn, TurnId
from core.storage import inbox, stops
from core.storage.database import Database
from core.turn.rush import Rush

log = logging.getLogger(__name__)


class _LeaseLost(Exception):
    """Another claim owns the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneLimits:
    """Times in seconds."""

    concurrency: int = 16
    in_a_rush: int = 1
    """Turns at a time while questions come in faster than they are taken."""
    deadline: float = 300.0
    """How long one try of a turn may take."""
    lease: float = 30.0
    """How long a claim outlives its last heartbeat; beats come three times as often."""
    poll: float = 1.0
    """How often to look without being woken: for lapsed claims, and in case a wake-up got
    lost."""
    gap: float = 0.02
    """Between two looks at an inbox that other processes look at too: whatever is rung, all of
    them hear."""
    tries: int = 3
    """How often a turn is begun before it counts as dead."""
    last_word: float = 30.0
    """How long writing the sentence about a failure may take."""
    look_back: float = 600.0
    """How long ago a person may have stopped a turn that still runs."""


class Lanes:
    """Runs turns from `run` until `drain`.

    `run_turn` finishes the turn itself. When it raises or passes its deadline, `on_failed` has
    to finish it; when it was begun too often without an end (it takes the process down),
    `on_dead` has to. If those fail as well the turn is tried again later, `on_dead`'s last
    resort being an end without a word, so that the thread goes on.
    """

    def __init__(
        self,
        db: Database,
        *,
        clock: Clock,
        owner: str,
        run_turn: Callable[[Turn], Awaitable[None]],
        on_failed: Callable[[Turn, Exception], Awaitable[None]],
        on_dead: Callable[[Turn], Awaitable[None]],
        limits: LaneLimits | None = None,
        rush: Rush | None = None,
    ) -> None:
        """`owner` names this process among all that ever ran on the database. With `rush` turns
        give way to questions that come in."""
        self._db = db
        self._clock = clock
        self._owner = owner
        self._run_turn = run_turn
        self._on_failed = on_failed
        self._on_dead = on_dead
        self._limits = limits or LaneLimits()
        self._rush = rush or Rush()
        self._running: dict[asyncio.Task[None], TurnId] = {}
        self._is_draining = False
        self._changed = asyncio.Event()
        """Set whenever a turn ended or a drain began."""
        self._claiming = asyncio.Lock()
        """Held during a look into the inbox: a turn that is given back meanwhile would be taken
        once more, and a try of it be lost."""
        self._looked_at: float | None = None
        self._next_look = 0.0

    @property
    def running(self) -> int:
        """How many turns run now."""
        return len(self._running)

    @property
    def looked_at(self) -> float | None:
        """When the inbox was last read without trouble, for readiness."""
        return self._looked_at

    async def run(self) -> None:
        """Claim and run turns until `drain`; a cancelled run gives its turns back."""
        if self._db.is_exclusive:
            await inbox.take_over(self._db, self._owner)
        async with asyncio.TaskGroup() as group:
            while not self._is_draining:
                await self._end_stopped()
                free = self._most() - len(self._running)
                if free <= 0:
                    await self._wait_for_change()
                    continue
                await self._give_room()
                claims = await self._claim(free)
                if self._is_draining:
                    await self._give_back(claims)
                    break
                for claim in claims:
                    self._start(group, claim)
                if len(claims) < free:
                    await self._db.wait(inbox.CHANNEL, self._limits.poll)

    async def drain(self, seconds: float) -> None:
        """Stop claiming, let the running turns end for that long, and give the rest back: they
        go on at the next start. `run` returns then."""
        self._is_draining = True
        self._changed.set()
        # The next look is awaited under a deadline of its own; a lost database delays nothing.
        with suppress(Unavailable):
            await self._db.notify(inbox.CHANNEL)
        if self._running:
            _, late = await asyncio.wait(self._running, timeout=seconds)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=self._limits.last_word)

    async def stop(self, turn: TurnId) -> bool:
        """Cut this turn off where it runs here; it has ended when this returns. Whether it ran."""
        tasks = [task for task in self._running if task.get_name() == _name(turn)]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        return bool(tasks)

    def _most(self) -> int:
        return self._limits.in_a_rush if self._rush.is_on else self._limits.concurrency

    async def _wait_for_change(self) -> None:
        self._changed.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._limits.poll):
                await self._changed.wait()

    async def _end_stopped(self) -> None:
        """Cut off the turns that a person has stopped: their end is written already, here or by
        another process."""
        if not self._running:
            return
        try:
            stopped = await stops.stopped(self._db, self._clock() - self._limits.look_back)
        except Unavailable:
            return
        for task, turn in list(self._running.items()):
            if turn in stopped and not task.cancelling():
                log.info("a person stopped it", extra={"action": "turn.stopped", "turn": turn})
                task.cancel()

    async def _give_room(self) -> None:
        loop = asyncio.get_running_loop()
        if not self._db.is_exclusive and (wait := self._next_look - loop.time()) > 0:
            await asyncio.sleep(wait)
        self._next_look = loop.time() + self._limits.gap

    async def _claim(self, free: int) -> list[inbox.Claim]:
        now = self._clock()
        try:
            async with self._claiming:
                if self._is_draining:
                    return []
                claims = await inbox.claim(
                    self._db, self._owner, now=now, lease=now + self._limits.lease, limit=free
                )
        except Unavailable as failure:
            log.warning("the inbox cannot be read: %s", failure, extra={"action": "lanes.stalled"})
            return []
        self._looked_at = now
        return claims

    def _start(self, group: asyncio.TaskGroup, claim: inbox.Claim) -> None:
        task = group.create_task(self._serve(claim), name=_name(claim.turn.id))
        self._running[task] = claim.turn.id
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.pop(task, None)
        self._changed.set()

    async def _serve(self, claim: inbox.Claim) -> None:
        try:
            await self._serve_while_owned(claim)
        except asyncio.CancelledError:
            await self._give_back([claim])
            raise

    async def _give_back(self, claims: Sequence[inbox.Claim]) -> None:
        # Not giving back costs the wait for the lease: no reason to hold up the end of the
        # process when even that cannot be written.
        with suppress(Unavailable, TimeoutError):
            async with asyncio.timeout(self._limits.last_word), self._claiming:
                for claim in claims:
                    await inbox.release(self._db, claim.turn, self._owner)

    async def _serve_while_owned(self, claim: inbox.Claim) -> None:
        try:
            async with asyncio.TaskGroup() as both:
                beating = both.create_task(self._beat(claim.turn))
                await self._work(claim)
                beating.cancel()
        except* _LeaseLost:
            log.warning(
                "another claim took the turn over",
                extra={"action": "turn.lost", "turn": claim.turn.id},
            )

    async def _beat(self, turn: Turn) -> None:
        """Keep the claim alive until the turn is over. Raises `_LeaseLost`."""
        held_until = self._clock() + self._limits.lease
        while True:
            await asyncio.sleep(self._limits.lease / 3)
            now = self._clock()
            try:
                beat = await inbox.beat(self._db, turn, self._owner, lease=now + self._limits.lease)
            except Unavailable:
                if now >= held_until:
                    raise _LeaseLost from None
                continue
            if beat == "lost":
                raise _LeaseLost
            if beat == "over":
                return
            held_until = now + self._limits.lease

    async def _work(self, claim: inbox.Claim) -> None:
        turn = claim.turn
        try:
            # It may have been taken back before this task was there to be stopped.
            is_ours = await inbox.is_held(self._db, turn)
        except Unavailable:
            # The claim lapses, and the turn is begun again.
            return
        if not is_ours:
            return
        if claim.tries > self._limits.tries:
            await self._bury(turn)
            return
        limit = asyncio.timeout(self._limits.deadline)
        try:
            async with limit:
                await self._run_turn(turn)
        except Unavailable:
            if self._db.is_exclusive:
                await self._fail(turn, Unavailable())
            # Else the claim lapses: the turn goes on where the database can be reached.
        # Whatever goes wrong in one turn is told to its person and must not end the others.
        except Exception as failure:
            late = DeadlineExceeded("The time for this turn ran out.")
            await self._fail(turn, late if limit.expired() else failure)

    async def _fail(self, turn: Turn, failure: Exception) -> None:
        try:
            async with asyncio.timeout(self._limits.last_word):
                await self._on_failed(turn, failure)
        # The claim is left to lapse: the turn is begun again, and buried after too many tries.
        except Exception:
            log.exception(
                "a turn failed, and so did the sentence about it",
                extra={"action": "turn.unsaid", "turn": turn.id},
            )

    async def _bury(self, turn: Turn) -> None:
        try:
            async with asyncio.timeout(self._limits.last_word):
                await self._on_dead(turn)
        # A turn that can neither be run nor be ended with a sentence must not block its thread.
        except Exception:
            log.exception(
                "a dead turn ends without a word",
                extra={"action": "turn.buried", "turn": turn.id},
            )
            with suppress(Unavailable):
                await inbox.give_up(self._db, turn, now=self._clock())


def _name(turn: TurnId) -> str:
    return f"turn {turn}"
