"""What the outbox promises: nothing is lost, order is kept inside one address."""

from core.records import Answer
from core.storage import inbox, outbox
from core.storage.database import Database
from tests.storage import examples
from tests.storage.examples import post


async def due(db: Database, now: float = 10.0, surface: str = "slack") -> list[tuple[str, int]]:
    return [(p.id, p.attempt) for p in await outbox.due(db, surface, now=now)]


async def test_posts_of_one_address_wait_for_each_other(database: Database) -> None:
    for id, channel in (("a1", "A"), ("a2", "A"), ("b1", "B")):
        await outbox.put(database, post("t", id=id, channel=channel))
    assert await due(database) == [("a1", 0), ("b1", 0)]
    await outbox.sent(database, post("t", id="a1"), "17.5", now=11.0)
    assert await due(database) == [("a2", 0), ("b1", 0)]


async def test_the_same_post_is_queued_once(database: Database) -> None:
    assert await outbox.put(database, post("t", id="a"))
    assert not await outbox.put(database, post("t", id="a", text="other"))
    [waiting] = await outbox.due(database, "slack", now=1.0)
    assert waiting.answer.text == "So much."


async def test_a_try_is_counted_before_it_is_made_and_belongs_to_one(database: Database) -> None:
    await outbox.put(database, post("t", id="a"))
    [waiting] = await outbox.due(database, "slack", now=10.0)
    assert await outbox.begin(database, waiting, lease=70.0)
    assert not await outbox.begin(database, waiting, lease=70.0)
    assert await due(database, now=69.0) == []
    assert await due(database, now=71.0) == [("a", 1)]


async def test_a_new_process_tries_at_once_what_the_old_one_left(database: Database) -> None:
    await outbox.put(database, post("t", id="a"))
    [waiting] = await outbox.due(database, "slack", now=10.0)
    await outbox.begin(database, waiting, lease=70.0)
    assert await outbox.take_over(database, "slack") == 1
    assert await due(database, now=11.0) == [("a", 1)]


async def test_a_postponed_post_waits_and_keeps_its_place(database: Database) -> None:
    for id in ("a1", "a2"):
        await outbox.put(database, post("t", id=id))
    [first] = await outbox.due(database, "slack", now=10.0)
    await outbox.begin(database, first, lease=70.0)
    await outbox.postpone(database, first, 40.0, "ratelimited")
    assert await due(database, now=39.0) == []
    assert await outbox.next_due(database, "slack") == 40.0
    assert await due(database, now=40.0) == [("a1", 1)]


async def test_a_post_that_was_given_up_lets_the_next_one_through(database: Database) -> None:
    for id in ("a1", "a2"):
        await outbox.put(database, post("t", id=id))
    async with database.transaction() as tx:
        await outbox.fail(tx, post("t", id="a1"), "is_archived", now=11.0)
    assert await due(database) == [("a2", 0)]


async def test_each_surface_has_its_own_posts(database: Database) -> None:
    await outbox.put(database, post("t", id="a"))
    assert await due(database, surface="teams") == []
    assert await outbox.next_due(database, "teams") is None


async def test_only_closed_posts_are_pruned(database: Database) -> None:
    for id, channel in (("a", "A"), ("b", "B")):
        await outbox.put(database, post("t", id=id, channel=channel))
    await outbox.sent(database, post("t", id="a"), "1", now=11.0)
    assert await outbox.prune(database, before=12.0) == 1
    assert await due(database) == [("b", 0)]


async def test_what_is_behind_is_counted_from_the_end_of_the_turn(database: Database) -> None:
    await examples.put(database, examples.question("d1"), 900.0)
    [claim] = await inbox.claim(database, "o", now=900.0, lease=930.0)
    mine = examples.post(claim.turn.id)
    assert await outbox.backlog(database, now=1_000.0) == (0, 0.0)
    await inbox.finish(database, claim.turn, "done", Answer(text="So much."), [mine], now=1_000.0)

    assert await outbox.backlog(database, now=1_000.5) == (1, 0.5)
    # Somebody tries it.
    [tried] = await outbox.due(database, "slack", now=1_000.5)
    await outbox.begin(database, tried, lease=1_060.0)
    assert await outbox.backlog(database, now=1_030.0) == (1, 0.0)
    # It was put off: it is late again from then on.
    await outbox.postpone(database, tried, 1_040.0, "ratelimited")
    assert await outbox.backlog(database, now=1_030.0) == (1, 0.0)
    assert await outbox.backlog(database, now=1_045.0) == (1, 5.0)
    await outbox.sent(database, tried, "1.2", now=1_046.0)
    assert await outbox.backlog(database, now=1_050.0) == (0, 0.0)
