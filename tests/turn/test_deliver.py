"""What the courier promises: in order, once, and never silently lost."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.cards import CallId, Card
from core.errors import DeliveryFailed
from core.parked import Verdict
from core.records import Address, Answer, FileId, FileRef, MadeFile, Person, PersonId, Post, TurnId
from core.storage import files, outbox
from core.storage.database import Database, open_database
from core.turn.deliver import Courier, Patience, apology, pause
from tests.storage.examples import post

QUICK = Patience(poll=0.01, tries=4, waits=6)


@dataclass
class Wall:
    """A surface that shows posts on a list and fails as it is told to."""

    name: str = "slack"
    shown: list[tuple[str, int, bytes | None]] = field(default_factory=list)
    """(post, earlier tries, content)."""
    posts: list[Post] = field(default_factory=list)
    """What was shown, whole."""
    tried: list[str] = field(default_factory=list)
    failures: dict[str, list[Exception]] = field(default_factory=dict)
    """What comes before the success, by post."""
    hung: set[str] = field(default_factory=set)
    was_shown: asyncio.Event = field(default_factory=asyncio.Event)
    was_tried: asyncio.Event = field(default_factory=asyncio.Event)

    async def deliver(self, post: Post, content: bytes | None) -> str:
        self.tried.append(post.id)
        self.was_tried.set()
        if post.id in self.hung:
            await asyncio.Event().wait()
        await asyncio.sleep(0)
        if self.failures.get(post.id):
            raise self.failures[post.id].pop(0)
        self.shown.append((post.id, post.attempt, content))
        self.posts.append(post)
        self.was_shown.set()
        return f"ts-{post.id}"

    async def offer(self, address: Address, link: Verdict) -> bool:
        raise AssertionError("a courier offers nothing")

    async def progress(self, address: Address, text: str) -> None:
        """Not asked for."""

    def showing(self, post: str, address: Address, words: Callable[[], str]) -> Any:
        raise NotImplementedError

    async def profile(self, person: Person) -> Person:
        return person

    async def fetch(self, file: FileRef, *, limit: int, person: PersonId) -> bytes:
        raise NotImplementedError

    async def until_shown(self, count: int) -> list[str]:
        async with asyncio.timeout(20):
            while len(self.shown) < count:
                self.was_shown.clear()
                await self.was_shown.wait()
        return [id for id, _, _ in self.shown]

    async def until_tried(self, count: int) -> None:
        async with asyncio.timeout(20):
            while len(self.tried) < count:
                self.was_tried.clear()
                await self.was_tried.wait()


@dataclass
class Hands:
    """A clock that is turned by hand."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def courier(
    db: Database, wall: Wall, clock: Hands, patience: Patience = QUICK
) -> AsyncIterator[Courier]:
    running = Courier(db, wall, clock=clock, chance=lambda: 1.0, patience=patience)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(running.run())
        yield running
        await running.drain(5.0)
        await task


async def queue(db: Database, *posts: Post) -> None:
    async with db.transaction() as tx:
        for waiting in posts:
            await outbox.put(tx, waiting)
    await db.notify(outbox.channel("slack"))


async def state(db: Database, id: str) -> str:
    row = await db.fetch_one("SELECT state FROM outbox WHERE id = ?", (id,))
    assert row is not None
    return row["state"]


async def until_state(db: Database, id: str, wanted: str) -> None:
    async with asyncio.timeout(20):
        while await state(db, id) != wanted:  # noqa: ASYNC110 - only the row knows
            await asyncio.sleep(0.005)


async def until_postponed(db: Database, id: str, clock: Hands) -> float:
    """The wait that was decided, in seconds."""
    async with asyncio.timeout(20):
        while True:
            row = await db.fetch_one("SELECT due_at, lease FROM outbox WHERE id = ?", (id,))
            assert row is not None
            if row["lease"] == 0 and row["due_at"] > clock.now:
                return row["due_at"] - clock.now
            await asyncio.sleep(0.005)


async def test_posts_of_one_thread_are_shown_in_order(database: Database) -> None:
    wall = Wall()
    await queue(database, *(post("t", id=f"p{n:02}") for n in range(20)))
    async with courier(database, wall, Hands()):
        assert await wall.until_shown(20) == [f"p{n:02}" for n in range(20)]
    row = await database.fetch_one("SELECT platform_id FROM outbox WHERE id = 'p07'")
    assert row == {"platform_id": "ts-p07"}


async def test_a_thread_that_hangs_holds_up_no_other(database: Database) -> None:
    wall = Wall(hung={"a1"})
    await queue(database, post("t", id="a1", channel="A"), post("t", id="a2", channel="A"))
    await queue(database, *(post("t", id=f"b{n}", channel=f"B{n}") for n in range(20)))
    running = Courier(database, wall, clock=Hands(), chance=lambda: 1.0, patience=QUICK)
    async with asyncio.TaskGroup() as group:
        group.create_task(running.run())
        shown = await wall.until_shown(20)
        await running.drain(0.01)
    assert set(shown) == {f"b{n}" for n in range(20)}
    assert await state(database, "a1") == await state(database, "a2") == "waiting"


async def test_the_platforms_wait_is_obeyed_and_the_order_kept(database: Database) -> None:
    wall, clock = Wall(), Hands()
    wall.failures["a1"] = [DeliveryFailed("ratelimited", retry_after=30.0)]
    await queue(database, post("t", id="a1"), post("t", id="a2"))
    async with courier(database, wall, clock):
        assert await until_postponed(database, "a1", clock) == 30.0
        clock.now += 29.0
        await queue(database, post("t", id="b1", channel="B"))
        assert await wall.until_shown(1) == ["b1"]
        clock.now += 1.0
        assert await wall.until_shown(3) == ["b1", "a1", "a2"]
    assert ("a1", 1, None) in wall.shown


async def test_a_post_that_never_goes_is_given_up_and_said_privately(database: Database) -> None:
    wall, clock = Wall(), Hands()
    wall.failures["a1"] = [DeliveryFailed("internal_error") for _ in range(99)]
    await queue(database, post("t", id="a1", text="It is 42."))
    async with courier(database, wall, clock):
        for n in range(1, 4):
            await wall.until_tried(n)
            clock.now += await until_postponed(database, "a1", clock)
        assert await wall.until_shown(1) == ["a1.told"]
    assert wall.tried.count("a1") == 4
    assert await state(database, "a1") == "failed"


async def test_a_final_failure_is_not_tried_again(database: Database) -> None:
    wall = Wall()
    wall.failures["a1"] = [DeliveryFailed("is_archived", is_final=True)]
    await queue(database, post("t", id="a1"), post("t", id="a2"))
    async with courier(database, wall, Hands()):
        assert await wall.until_shown(2) == ["a2", "a1.told"]
    assert wall.tried.count("a1") == 1


async def test_a_private_post_that_fails_for_good_ends_there(database: Database) -> None:
    wall = Wall()
    wall.failures["a1"] = [DeliveryFailed("is_archived", is_final=True)]
    await queue(database, post("t", id="a1", kind="private"))
    async with courier(database, wall, Hands()):
        await until_state(database, "a1", "failed")
    assert wall.shown == []


async def test_a_surface_that_breaks_on_one_post_shows_the_others(database: Database) -> None:
    wall = Wall()
    wall.failures["a1"] = [ZeroDivisionError()]
    await queue(database, post("t", id="a1"), post("t", id="b1", channel="B"))
    clock = Hands()
    async with courier(database, wall, clock):
        assert await wall.until_shown(1) == ["b1"]
        clock.now += await until_postponed(database, "a1", clock)
        assert await wall.until_shown(2) == ["b1", "a1"]


async def test_a_call_that_hangs_is_ended_by_its_deadline(database: Database) -> None:
    wall, clock = Wall(hung={"a1"}), Hands()
    await queue(database, post("t", id="a1"))
    async with courier(database, wall, clock, replace(QUICK, call=0.02)):
        await until_postponed(database, "a1", clock)
        wall.hung.clear()
        clock.now += 60.0
        assert await wall.until_shown(1) == ["a1"]


async def test_a_file_post_brings_its_bytes(database: Database) -> None:
    made = MadeFile(id=FileId("file_1"), name="a.csv", media_type="text/csv", size=3)
    gone = replace(made, id=FileId("file_2"), name="gone.csv")
    await files.keep(database, TurnId("t"), made, b"1,2", made_at=1.0)
    wall = Wall()
    for file in (made, gone):
        carrying = replace(
            post("t", id=file.id, kind="file"), answer=Answer(text="", files=(file,))
        )
        await queue(database, carrying)
    async with courier(database, wall, Hands()):
        assert await wall.until_shown(2) == ["file_1", "file_2.told"]
    assert wall.shown[0] == ("file_1", 0, b"1,2")


async def test_a_drain_brings_what_is_due_and_leaves_what_hangs(database: Database) -> None:
    wall = Wall(hung={"z"})
    await queue(database, *(post("t", id=f"p{n}", channel=f"C{n % 3}") for n in range(30)))
    await queue(database, post("t", id="z", channel="Z"))
    running = Courier(database, wall, clock=Hands(), chance=lambda: 0.0, patience=QUICK)
    async with asyncio.TaskGroup() as group:
        group.create_task(running.run())
        await wall.until_shown(1)
        await running.drain(1.0)
    assert len(wall.shown) == 30
    assert await state(database, "z") == "waiting"


SHOWING = """
import asyncio, sys
from core.storage.database import open_database
from core.turn.deliver import Courier

class Wall:
    name = "slack"
    async def deliver(self, post, content):
        print(post.id, post.attempt, flush=True)
        await asyncio.Event().wait()

async def main():
    db = await open_database(sys.argv[1])
    await Courier(db, Wall(), clock=lambda: 5.0, chance=lambda: 0.0).run()

asyncio.run(main())
"""


async def test_a_try_that_was_cut_by_a_kill_is_known_to_have_been_one(database_url: str) -> None:
    database = await open_database(database_url)
    await queue(database, post("t", id="a1"))
    await database.close()
    for expected in (b"a1 0\n", b"a1 1\n", b"a1 2\n"):
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-c", SHOWING, database_url,
            stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2],
        )  # fmt: skip
        assert child.stdout is not None
        try:
            async with asyncio.timeout(30):
                assert await child.stdout.readline() == expected
        finally:
            child.kill()
            await child.wait()


def test_the_pause_doubles_up_to_a_bound_and_is_spread() -> None:
    failure, patience = DeliveryFailed("x"), Patience(first_pause=1.0, longest_pause=300.0)
    assert [pause(failure, n, patience, 1.0) for n in (0, 1, 2, 8, 9, 500)] == [
        1.0, 2.0, 4.0, 256.0, 300.0, 300.0,
    ]  # fmt: skip
    assert pause(failure, 2, patience, 0.0) == 2.0
    assert pause(DeliveryFailed("x", retry_after=90.0), 2, patience, 0.0) == 90.0


def a_card(id: str, replaces: str = "", address: str = "C1") -> Post:
    shown = Card(
        call=CallId("c_1"), number=1, revision=1, state="parked", title="Send", fields=(),
        expires_at=9.0,
    )  # fmt: skip
    return replace(
        post("t", id=id, kind="card"), card=shown, replaces=replaces, address={"channel": address}
    )


async def test_a_cards_later_post_changes_the_copy_that_is_there(database: Database) -> None:
    wall = Wall()
    async with courier(database, wall, Hands()):
        await queue(database, a_card("first"), a_card("other", address="C2"))
        await wall.until_shown(2)
        await queue(database, a_card("second", "first"), a_card("third", "first"))
        await wall.until_shown(4)
    replaced = {one.id: one.replaces for one in wall.posts}
    assert replaced == {"first": "", "other": "", "second": "ts-first", "third": "ts-first"}
    assert {one.card for one in wall.posts} == {a_card("x").card}


async def test_a_copy_that_could_not_be_shown_is_shown_by_its_next_change(
    database: Database,
) -> None:
    wall = Wall(failures={"first": [DeliveryFailed("gone", is_final=True)]})
    async with courier(database, wall, Hands()):
        await queue(database, a_card("first"), a_card("second", "first"))
        # What was given up is told privately.
        await wall.until_shown(2)
        await queue(database, a_card("third", "first"))
        await wall.until_shown(3)
    replaced = {one.id: one.replaces for one in wall.posts}
    assert replaced == {"first.told": "", "second": "", "third": "ts-second"}


async def test_a_change_that_gives_way_to_a_newer_one_is_not_shown(database: Database) -> None:
    await queue(database, a_card("first"), a_card("second", "first"))
    async with database.transaction() as tx:
        await outbox.supersede(tx, "first")
        await outbox.put(tx, a_card("third", "first"))
    wall = Wall()
    async with courier(database, wall, Hands()):
        assert await wall.until_shown(2) == ["first", "third"]


def test_only_a_cards_first_post_in_a_channel_is_apologised_for() -> None:
    told = apology(a_card("first"), "not_in_channel")
    assert told is not None
    assert (told.kind, told.card) == ("private", None)
    assert "`/approvals` lists it" in told.answer.text
    assert apology(a_card("second", "first"), "x") is None
    assert apology(replace(a_card("first"), address={"person": "slack:T1/U2"}), "x") is None


def test_the_apology_keeps_the_answer_and_names_the_reason() -> None:
    told = apology(post("t", id="a", text="It is 42."), "is_archived")
    assert told is not None
    assert (told.kind, told.id, told.attempt) == ("private", "a.told", 0)
    assert "is_archived" in told.answer.text
    assert "It is 42." in told.answer.text
    assert apology(told, "is_archived") is None
