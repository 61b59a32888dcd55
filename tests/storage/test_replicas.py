"""What several processes on one database hold, and what becomes of it when one of them is gone."""

import asyncio
import time
from dataclasses import replace

import pytest

from core.errors import Unavailable
from core.records import Answer
from core.storage import duties, inbox, moments, outbox, parked
from core.storage.database import Database, open_database
from core.storage.moments import Moments
from tests.storage.examples import post, put, question


async def test_a_post_is_tried_by_one_and_by_another_once_its_lease_is_over(
    database: Database,
) -> None:
    await outbox.put(database, post("t", id="a"))
    [mine] = await outbox.due(database, "slack", owner="a", now=10.0)
    assert await outbox.begin(database, mine, "a", lease=40.0)
    assert await outbox.beat(database, mine, lease=50.0)
    assert await outbox.due(database, "slack", owner="b", now=49.0) == []
    [theirs] = await outbox.due(database, "slack", owner="b", now=51.0)
    assert theirs.attempt == 1
    assert await outbox.begin(database, theirs, "b", lease=90.0)
    # Whoever was slow neither keeps it, nor puts it off, nor gives it up.
    assert not await outbox.beat(database, mine, lease=99.0)
    await outbox.postpone(database, mine, 500.0, "timeout")
    async with database.transaction() as tx:
        assert not await outbox.fail(tx, mine, "timeout", now=52.0)
    assert await outbox.due(database, "slack", owner="c", now=89.0) == []
    [again] = await outbox.due(database, "slack", owner="c", now=91.0)
    assert again.attempt == 2


async def test_an_answer_that_was_streamed_is_left_to_its_process_for_a_moment(
    database: Database,
) -> None:
    await put(database, question("d1"))
    [claim] = await inbox.claim(database, "o", now=100.0, lease=130.0)
    said = replace(post(claim.turn.id), may_have_begun=True)
    await inbox.finish(database, claim.turn, "done", Answer(text="So."), [said], now=101.0)
    assert await outbox.due(database, "slack", owner="another", now=102.0) == []
    assert len(await outbox.due(database, "slack", owner=database.owner, now=102.0)) == 1
    late = 101.0 + outbox.HEAD_START
    assert len(await outbox.due(database, "slack", owner="another", now=late)) == 1


async def test_a_duty_is_one_process_s_until_it_is_over_or_gone(postgres_url: str) -> None:
    first, second = await open_database(postgres_url), await open_database(postgres_url)
    async with duties.held(first, "d", clock=lambda: 100.0, every=50.0) as is_ours:
        assert is_ours
        async with duties.held(second, "d", clock=lambda: 129.0) as is_theirs:
            assert not is_theirs
        # It gave no sign for as long as a lease.
        assert await duties.hold(second, "d", now=130.0, lease=140.0)
    async with duties.held(first, "d", clock=lambda: 139.0) as is_ours:
        assert not is_ours
    async with duties.held(first, "d", clock=lambda: 150.0, every=50.0) as is_ours:
        assert is_ours
    assert not await duties.hold(second, "d", now=199.0, lease=210.0)
    assert await duties.hold(second, "d", now=200.0, lease=210.0)
    await first.close()
    await second.close()


async def test_moments_are_counted_over_all_processes(database: Database) -> None:
    one, other = Moments(database), Moments(database)
    windows = ((2, 60.0),)
    waits = [await who.take("line", windows, patience=500.0) for who in (one, other, one, other)]
    assert waits[:2] == [0.0, 0.0]
    assert waits[2:] == pytest.approx([60.0, 60.0], abs=5.0)
    assert await one.take("another", windows, patience=0.0) == 0.0
    # Nothing is taken beyond patience, and a pause is a pause for all.
    assert await one.take("line", windows, patience=10.0) > 10.0
    await one.hold("another", 30.0)
    assert await other.take("another", windows, patience=0.0) == pytest.approx(30.0, abs=5.0)
    assert await moments.prune(database, now=time.time() + 3_600.0) == 2


async def test_of_twenty_who_ask_at_once_each_gets_a_moment_of_its_own(postgres_url: str) -> None:
    replicas = [await open_database(postgres_url) for _ in range(2)]
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(Moments(replicas[n % 2]).take("l", ((1, 10.0),), patience=900.0))
            for n in range(20)
        ]
    waits = sorted(task.result() for task in tasks)
    assert waits == pytest.approx([10.0 * n for n in range(20)], abs=8.0)
    for one in replicas:
        await one.close()


async def test_a_call_that_one_looks_after_is_not_seen_by_others_before_that_one_is_gone(
    postgres_url: str,
) -> None:
    from tests.approvals.office import office

    first, second = await open_database(postgres_url), await open_database(postgres_url)
    async with office(first) as room:
        call = await room.park()
        await parked.move(first, call, replace(call, state="approved"))
        due = (await parked.to_carry_out(first, 5, now=10.0))[0].call
        assert due is not None
        assert await parked.take(first, due, now=10.0, lease=40.0)
        assert not await parked.take(second, due, now=39.0, lease=70.0)
        assert await parked.to_carry_out(second, 5, now=39.0) == []
        assert len(await parked.to_carry_out(first, 5, now=39.0)) == 1
        assert await parked.beat(first, due.id, lease=60.0)
        assert not await parked.beat(second, due.id, lease=60.0)
        assert await parked.take(second, due, now=61.0, lease=90.0)
        # What waits for people again is nobody's.
        assert await parked.move(second, due, replace(due, state="parked"))
        row = await first.fetch_one("SELECT lease FROM parked")
        assert row is not None and row["lease"] == 0.0
    await first.close()
    await second.close()


async def test_a_process_lives_on_while_a_newer_version_adds_columns(postgres_url: str) -> None:
    """Statements that it has run often enough for a server to remember them."""
    old = await open_database(postgres_url)
    for number in range(8):
        await put(old, question(f"d{number}", in_thread=number))
        assert len(await inbox.claim(old, "o", now=100.0, lease=130.0)) == 1
    newer = await open_database(postgres_url, is_shared=True)
    await newer.execute("ALTER TABLE inbox ADD COLUMN newer TEXT NOT NULL DEFAULT ''")
    await newer.execute("INSERT INTO migrations (number, name) VALUES (9999, 'newer')")
    await put(old, question("d9", in_thread=9))
    try:
        [claim] = await inbox.claim(old, "o", now=100.0, lease=130.0)
        assert await inbox.finish(old, claim.turn, "done", Answer(text="So."), [], now=101.0)
    except Unavailable as failure:
        pytest.fail(str(failure))
    await newer.close()
    await old.close()
