"""What the lanes promise: in order, one at a time in a thread, ended once, nobody held up."""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from core.errors import DeadlineExceeded
from core.records import Answer, Turn, TurnId
from core.storage import inbox
from core.storage.database import Database
from core.turn.lanes import LaneLimits, Lanes
from core.turn.rush import Rush
from tests.storage.examples import post, put, question

QUICK = LaneLimits(poll=0.02, lease=30.0, deadline=20.0)


@dataclass
class Stage:
    """Lanes on a database with a clock that is turned by hand, and what they did."""

    db: Database
    act: Callable[[Turn], Awaitable[None]]
    limits: LaneLimits = QUICK
    owner: str = "this process"
    now: float = 200.0
    rush: Rush | None = None
    said: list[tuple[str, str]] = field(default_factory=list)
    """(turn, how it ended), as written."""
    has_said: asyncio.Event = field(default_factory=asyncio.Event)

    async def end(self, turn: Turn, outcome: inbox.Outcome, text: str) -> None:
        answer = Answer(text=text)
        if await inbox.finish(self.db, turn, outcome, answer, [post(turn.id)], now=self.now):
            self.said.append((turn.id, text))
            self.has_said.set()

    async def run_turn(self, turn: Turn) -> None:
        await self.act(turn)
        await self.end(turn, "done", "answered")

    async def on_failed(self, turn: Turn, failure: Exception) -> None:
        await self.end(turn, "failed", type(failure).__name__)

    async def on_dead(self, turn: Turn) -> None:
        await self.end(turn, "dead", "interrupted")

    def lanes(self) -> Lanes:
        return Lanes(
            self.db,
            clock=lambda: self.now,
            owner=self.owner,
            run_turn=self.run_turn,
            on_failed=self.on_failed,
            on_dead=self.on_dead,
            limits=self.limits,
            rush=self.rush,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Lanes]:
        lanes = self.lanes()
        async with asyncio.TaskGroup() as group:
            running = group.create_task(lanes.run())
            yield lanes
            await lanes.drain(5.0)
            await running

    async def until_said(self, count: int) -> None:
        async with asyncio.timeout(30):
            while len(self.said) < count:
                self.has_said.clear()
                await self.has_said.wait()


async def nothing(turn: Turn) -> None:
    """A turn that has no work."""


async def stuck(turn: Turn) -> None:
    await asyncio.Event().wait()


@pytest.mark.promise("O1", "core.storage", "core.turn")
async def test_a_crowd_is_answered_in_order_with_no_overlap(database: Database) -> None:
    many_threads, each, chance = 100, 6, random.Random(7)
    inside: Counter[str] = Counter()
    overlaps: list[str] = []
    side_by_side = 0
    order: defaultdict[str, list[str]] = defaultdict(list)

    async def act(turn: Turn) -> None:
        nonlocal side_by_side
        where = turn.question.thread
        inside[where] += 1
        if inside[where] > 1:
            overlaps.append(turn.id)
        side_by_side = max(side_by_side, inside.total())
        order[where].append(turn.question.delivery)
        await asyncio.sleep(chance.random() * 0.002)
        inside[where] -= 1

    accepted: defaultdict[str, list[str]] = defaultdict(list)

    async def deliver(lane: int) -> None:
        for n in range(each):
            for _ in range(1 if chance.random() > 0.3 else 3):
                await asyncio.sleep(chance.random() * 0.1)
                asked = question(f"{lane}-{n}", in_thread=lane)
                if not (await put(database, asked)).is_duplicate:
                    accepted[asked.thread].append(asked.delivery)

    stage = Stage(database, act)
    async with stage.running():
        async with asyncio.TaskGroup() as group:
            for lane in range(many_threads):
                group.create_task(deliver(lane))
        await stage.until_said(many_threads * each)
    assert overlaps == []
    assert order == accepted
    assert len(stage.said) == len(set(stage.said)) == many_threads * each
    assert side_by_side > 4


@pytest.mark.promise("O4", "core.turn")
async def test_a_stuck_thread_delays_no_other(database: Database) -> None:
    async def act(turn: Turn) -> None:
        if turn.question.delivery == "stuck":
            await stuck(turn)

    stage = Stage(database, act)
    await put(database, question("stuck", in_thread=0))
    await put(database, question("behind it", in_thread=0))
    for n in range(1, 50):
        await put(database, question(f"d{n}", in_thread=n))
    lanes = stage.lanes()
    async with asyncio.TaskGroup() as group:
        group.create_task(lanes.run())
        await stage.until_said(49)
        await lanes.drain(0.0)
    assert {turn for turn, _ in stage.said} == {f"t_d{n}" for n in range(1, 50)}


async def test_a_turn_that_passes_its_deadline_is_ended_with_a_sentence(
    database: Database,
) -> None:
    stage = Stage(database, stuck, limits=LaneLimits(poll=0.02, deadline=0.05))
    await put(database, question("d1"))
    async with stage.running():
        await stage.until_said(1)
    assert stage.said == [("t_d1", DeadlineExceeded.__name__)]


async def test_a_turn_that_raises_is_ended_with_a_sentence_and_the_next_one_runs(
    database: Database,
) -> None:
    async def act(turn: Turn) -> None:
        if turn.question.delivery == "d1":
            raise ZeroDivisionError

    stage = Stage(database, act)
    for n in (1, 2):
        await put(database, question(f"d{n}"))
    async with stage.running():
        await stage.until_said(2)
    assert stage.said == [("t_d1", "ZeroDivisionError"), ("t_d2", "answered")]


async def test_a_time_out_inside_a_turn_is_not_taken_for_the_turns_deadline(
    database: Database,
) -> None:
    async def act(turn: Turn) -> None:
        raise TimeoutError

    stage = Stage(database, act)
    await put(database, question("d1"))
    async with stage.running():
        await stage.until_said(1)
    assert stage.said == [("t_d1", "TimeoutError")]


async def test_a_turn_that_was_begun_too_often_is_said_to_be_interrupted(
    database: Database,
) -> None:
    stage = Stage(database, nothing)
    await put(database, question("d1"))
    await put(database, question("d2"))
    for _ in range(3):  # three processes that died with it
        await inbox.claim(database, "gone", now=100.0, lease=0.0, limit=1)
    async with stage.running():
        await stage.until_said(2)
    assert stage.said == [("t_d1", "interrupted"), ("t_d2", "answered")]


async def test_a_turn_that_can_neither_run_nor_be_ended_does_not_block_its_thread(
    database: Database,
) -> None:
    class Mute(Stage):
        async def on_dead(self, turn: Turn) -> None:
            raise ZeroDivisionError

    stage = Mute(database, nothing)
    await put(database, question("d1"))
    await put(database, question("d2"))
    for _ in range(3):
        await inbox.claim(database, "gone", now=100.0, lease=0.0, limit=1)
    async with stage.running():
        await stage.until_said(1)
    assert stage.said == [("t_d2", "answered")]
    entry = await inbox.read(database, TurnId("t_d1"))
    assert entry is not None
    assert entry.state == "dead"


async def test_a_turn_whose_failure_could_not_be_said_is_begun_again(database: Database) -> None:
    class Hoarse(Stage):
        async def on_failed(self, turn: Turn, failure: Exception) -> None:
            self.now += 60.0  # its claim lapses
            raise ZeroDivisionError

    tries = 0

    async def act(turn: Turn) -> None:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise ZeroDivisionError

    stage = Hoarse(database, act)
    await put(database, question("d1"))
    async with stage.running():
        await stage.until_said(1)
    assert (stage.said, tries) == ([("t_d1", "answered")], 3)


async def test_a_turn_whose_claim_was_lost_is_stopped(database: Database) -> None:
    begun, stopped = asyncio.Event(), asyncio.Event()

    async def act(turn: Turn) -> None:
        begun.set()
        try:
            await stuck(turn)
        finally:
            stopped.set()

    stage = Stage(database, act, limits=LaneLimits(poll=0.02, lease=0.06))
    await put(database, question("d1"))
    async with stage.running():
        await begun.wait()
        [other] = await inbox.claim(database, "another", now=1e9, lease=2e9)
        async with asyncio.timeout(10):
            await stopped.wait()
        assert await inbox.finish(database, other.turn, "done", Answer(text="x"), [], now=1e9)
    assert stage.said == []


async def test_a_heartbeat_keeps_a_long_turn(database: Database) -> None:
    beats = 0

    async def act(turn: Turn) -> None:
        nonlocal beats
        lease = 0.0
        while beats < 3:
            row = await database.fetch_one("SELECT lease FROM inbox WHERE id = ?", (turn.id,))
            assert row is not None
            beats += row["lease"] > lease
            lease = row["lease"]
            stage.now += 0.001
            await asyncio.sleep(0.005)

    stage = Stage(database, act, limits=LaneLimits(poll=0.02, lease=0.06))
    await put(database, question("d1"))
    async with stage.running():
        await stage.until_said(1)
    assert stage.said == [("t_d1", "answered")]


async def test_what_follows_the_end_of_a_turn_is_not_cut_off_by_its_heartbeat(
    database: Database,
) -> None:
    after = asyncio.Event()

    class Tidy(Stage):
        async def run_turn(self, turn: Turn) -> None:
            await self.end(turn, "done", "answered")
            await asyncio.sleep(0.1)  # several beats long
            after.set()

    stage = Tidy(database, nothing, limits=LaneLimits(poll=0.02, lease=0.03))
    await put(database, question("d1"))
    async with stage.running():
        async with asyncio.timeout(10):
            await after.wait()


@pytest.mark.promise("X1", "core.turn")
async def test_a_drain_lets_turns_end_and_starts_none(database: Database) -> None:
    begun, go = asyncio.Event(), asyncio.Event()

    async def act(turn: Turn) -> None:
        begun.set()
        await go.wait()

    stage = Stage(database, act)
    for n in (1, 2):
        await put(database, question(f"d{n}"))
    lanes = stage.lanes()
    async with asyncio.TaskGroup() as group:
        group.create_task(lanes.run())
        await begun.wait()
        draining = group.create_task(lanes.drain(10.0))
        await asyncio.sleep(0)
        go.set()
        await draining
    assert stage.said == [("t_d1", "answered")]
    assert await inbox.backlog(database) == (1, 0, 100.0)


@pytest.mark.promise("X1", "core.turn")
async def test_a_drain_gives_back_what_takes_too_long_and_the_next_start_resumes_it(
    database: Database,
) -> None:
    begun = asyncio.Event()

    async def act(turn: Turn) -> None:
        begun.set()
        await stuck(turn)

    stage = Stage(database, act)
    await put(database, question("d1"))
    lanes = stage.lanes()
    async with asyncio.TaskGroup() as group:
        group.create_task(lanes.run())
        await begun.wait()
        await lanes.drain(0.01)
    entry = await inbox.read(database, TurnId("t_d1"))
    assert entry is not None
    assert (entry.state, entry.turn.attempt, entry.owner) == ("new", 1, None)
    assert lanes.running == 0
    after = Stage(database, nothing, owner="the next process")
    async with after.running():
        await after.until_said(1)
    assert after.said == [("t_d1", "answered")]


async def test_a_cancelled_run_gives_its_turns_back(database: Database) -> None:
    begun = asyncio.Event()

    async def act(turn: Turn) -> None:
        begun.set()
        await stuck(turn)

    stage = Stage(database, act)
    await put(database, question("d1"))
    running = asyncio.create_task(stage.lanes().run())
    await begun.wait()
    running.cancel()
    await asyncio.wait([running])
    assert await inbox.backlog(database) == (1, 0, 100.0)
