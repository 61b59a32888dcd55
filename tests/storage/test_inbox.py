"""What the inbox promises: recorded once, claimed in order, ended once."""

import asyncio
import subprocess
import sys
from dataclasses import replace

import pytest

from core.errors import Unavailable
from core.records import Answer, Chip, FileId, FileRef, MadeFile, Turn, TurnId
from core.storage import checkpoints, inbox, outbox, threads
from core.storage.checkpoints import Sealed
from core.storage.database import Conflict, Database, open_database
from tests.storage.examples import post, put, question, thread


async def claim(db: Database, owner: str = "one", now: float = 200.0, limit: int = 10):
    return await inbox.claim(db, owner, now=now, lease=now + 30, limit=limit)


async def claimed(db: Database) -> list[str]:
    return [taken.turn.id for taken in await claim(db)]


async def finish(db: Database, turn: Turn, text: str = "So much.", now: float = 300.0) -> bool:
    return await inbox.finish(db, turn, "done", Answer(text=text), [post(turn.id)], now=now)


async def test_a_question_comes_back_as_it_was_put(database: Database) -> None:
    asked = replace(
        question("d1", text='Größe? 日本\n"quoted" \'n %s ?'),
        files=(FileRef(id=FileId("slack:T1/F1"), name="a.xlsx", size=12),),
    )
    await put(database, asked)
    [taken] = await claim(database)
    assert taken.turn.question == asked
    assert (taken.turn.model, taken.turn.agent) == ("demo", "general")
    assert (taken.turn.attempt, taken.tries, taken.turn.accepted_at) == (1, 1, 100.0)


async def test_text_that_no_database_can_hold_is_taken_all_the_same(database: Database) -> None:
    await put(database, question("d1", text="a\0b\ud800c"))
    [taken] = await claim(database)
    assert await finish(database, taken.turn, "x\0y\ud800")
    [told] = await threads.finished(database, thread())
    assert told.answer == "xy?"


@pytest.mark.promise("O2", "core.storage")
async def test_a_duplicate_starts_nothing_over_seven_days(database: Database) -> None:
    day = 86_400.0
    first = await put(database, question("d1"), now=0.0)
    assert (first.is_duplicate, first.ahead) == (False, 0)
    turns: list[str] = []
    for n in range(10):
        now = n * 0.7 * day
        again = await inbox.put(
            database, question("d1"), TurnId(f"other{n}"), model="demo", agent="x", now=now
        )
        assert again.is_duplicate
        assert again.turn == first.turn
        for taken in await claim(database, now=now):
            turns.append(taken.turn.id)
            assert await finish(database, taken.turn, now=now)
        await inbox.prune(database, before=now - 7 * day)
    assert turns == [first.turn]


async def test_duplicates_that_arrive_together_start_one_turn(database: Database) -> None:
    async def arrive(number: int) -> inbox.Placed:
        asked = question("d1")
        return await inbox.put(
            database, asked, TurnId(f"t{number}"), model="demo", agent="x", now=1.0
        )

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(arrive(number)) for number in range(20)]
    placed = [task.result() for task in tasks]
    assert [p.is_duplicate for p in placed].count(False) == 1
    assert len({p.turn for p in placed}) == 1
    assert len(await claim(database)) == 1


async def test_a_refusal_is_recorded_and_said_once(database: Database) -> None:
    refused = post("t_d1", kind="private", text="Which model?")
    for _ in range(2):
        await inbox.refuse(database, question("d1"), TurnId("t_d1"), refused, now=1.0)
    assert await claimed(database) == []
    assert await outbox.due(database, "slack", now=2.0) == [refused]
    entry = await inbox.read(database, TurnId("t_d1"))
    assert entry is not None
    assert entry.state == "refused"


async def test_who_waits_is_told_how_many_are_ahead(database: Database) -> None:
    ahead = [(await put(database, question(f"d{n}"))).ahead for n in range(4)]
    assert ahead == [0, 1, 2, 3]
    [taken] = await claim(database)
    await finish(database, taken.turn)
    assert (await put(database, question("d9"))).ahead == 3
    assert await inbox.ahead(database, thread()) == 4
    assert (await put(database, question("e1", in_thread=2))).ahead == 0


async def test_a_thread_runs_one_turn_at_a_time_in_order(database: Database) -> None:
    for n in range(3):
        await put(database, question(f"a{n}"))
    order: list[str] = []
    for _ in range(3):
        [taken] = await claim(database)
        assert await claim(database) == []
        order.append(taken.turn.id)
        await finish(database, taken.turn)
    assert order == ["t_a0", "t_a1", "t_a2"]


async def test_a_busy_thread_does_not_keep_others_from_their_turn(database: Database) -> None:
    for n in range(20):
        await put(database, question(f"a{n}", in_thread=1))
    await put(database, question("b0", in_thread=2))
    order: list[str] = []
    for n in range(3):
        [taken] = await claim(database, limit=1, now=200.0 + n)
        order.append(taken.turn.id)
        await finish(database, taken.turn)
    assert order == ["t_a0", "t_b0", "t_a1"]


async def test_a_lapsed_claim_is_taken_again_and_the_old_one_can_do_nothing(
    database: Database,
) -> None:
    await put(database, question("d1"))
    [old] = await claim(database, owner="one", now=200.0)
    assert await claim(database, owner="two", now=229.0) == []
    [new] = await claim(database, owner="two", now=231.0)
    assert (new.turn.id, new.turn.attempt, new.tries) == (old.turn.id, 2, 2)
    assert await inbox.beat(database, old.turn, "one", lease=999.0) == "lost"
    assert not await finish(database, old.turn, "from the old one")
    assert not await inbox.release(database, old.turn, "one")
    assert not await inbox.give_up(database, old.turn, now=1.0)
    assert await outbox.due(database, "slack", now=999.0) == []
    assert await finish(database, new.turn, "from the new one")
    assert [told.answer for told in await threads.finished(database, thread())] == [
        "from the new one"
    ]


async def test_a_beat_keeps_a_claim(database: Database) -> None:
    await put(database, question("d1"))
    [mine] = await claim(database, now=200.0)
    assert await inbox.beat(database, mine.turn, "one", lease=260.0) == "held"
    assert await claim(database, owner="two", now=250.0) == []
    await finish(database, mine.turn)
    assert await inbox.beat(database, mine.turn, "one", lease=300.0) == "over"


async def test_ending_a_turn_is_one_write(database: Database) -> None:
    await put(database, question("d1"))
    [mine] = await claim(database)
    turn = mine.turn
    await checkpoints.put(database, turn.id, "", Sealed("1", b"x"))
    answer = Answer(
        text="So much.",
        chips=(Chip(number=1, label="sales", url="https://example.com/x"),),
        files=(MadeFile(id=FileId("file_1"), name="a.xlsx", media_type="x/y", size=3),),
    )
    posts = [post(turn.id, id="p1"), post(turn.id, id="p2", kind="file")]
    assert await inbox.finish(database, turn, "done", answer, posts, now=300.0)
    [told] = await threads.finished(database, thread())
    assert (told.question, told.answer, told.turn) == ("How much?", "So much.", turn.id)
    assert (told.chips, told.files, told.finished_at) == (answer.chips, answer.files, 300.0)
    assert [waiting.id for waiting in await outbox.due(database, "slack", now=1.0)] == ["p1"]
    assert await checkpoints.newest(database, turn.id, "") is None
    assert not await inbox.finish(database, turn, "done", answer, posts, now=301.0)


async def test_an_end_that_cannot_be_written_whole_is_not_written_at_all(
    database: Database,
) -> None:
    await put(database, question("d1"))
    [mine] = await claim(database)
    async with database.transaction() as tx:
        await threads.write_answer(tx, mine.turn, "done", Answer(text="in the way"), now=1.0)
    with pytest.raises(Conflict):
        await finish(database, mine.turn)
    assert await outbox.due(database, "slack", now=1.0) == []
    entry = await inbox.read(database, mine.turn.id)
    assert entry is not None
    assert entry.state == "running"
    await threads.forget(database, [mine.turn.id])
    assert await finish(database, mine.turn)


async def test_failed_turns_do_not_enter_the_history(database: Database) -> None:
    await put(database, question("d1"))
    [mine] = await claim(database)
    await inbox.finish(database, mine.turn, "failed", Answer(text="Sorry."), [], now=300.0)
    assert await threads.finished(database, thread()) == []
    told = await threads.read(database, mine.turn.id)
    assert told is not None
    assert (told.answer, told.outcome) == ("Sorry.", "failed")


async def test_the_history_is_the_newest_turns_oldest_first(database: Database) -> None:
    for n in range(5):
        await put(database, question(f"d{n}", text=f"question {n}"))
        [mine] = await claim(database)
        await finish(database, mine.turn, now=300.0 + n)
    told = await threads.finished(database, thread(), limit=3)
    assert [finished.question for finished in told] == ["question 2", "question 3", "question 4"]


async def test_a_released_turn_goes_on_and_does_not_count_as_a_try(database: Database) -> None:
    await put(database, question("d1"))
    await put(database, question("d2"))
    for n in range(5):
        [mine] = await claim(database)
        assert (mine.turn.id, mine.tries, mine.turn.attempt) == ("t_d1", 1, n + 1)
        assert await inbox.release(database, mine.turn, "one")
    [mine] = await claim(database)
    assert await finish(database, mine.turn)


async def test_a_new_process_takes_over_at_once(database: Database) -> None:
    await put(database, question("d1"))
    [old] = await claim(database, owner="before the crash", now=200.0)
    assert await inbox.take_over(database, "after it") == 1
    [new] = await claim(database, owner="after it", now=201.0)
    assert (new.turn.id, new.tries) == (old.turn.id, 2)


async def test_what_is_given_up_lets_its_thread_go_on(database: Database) -> None:
    await put(database, question("d1"))
    await put(database, question("d2"))
    [mine] = await claim(database)
    assert await inbox.give_up(database, mine.turn, now=300.0)
    assert await claimed(database) == ["t_d2"]


async def test_a_row_that_cannot_be_read_stops_no_other(database: Database) -> None:
    await put(database, question("d1", in_thread=1))
    await put(database, question("d2", in_thread=2))
    await database.execute("UPDATE inbox SET body = '{\"delivery\": 5}' WHERE delivery = 'd1'")
    assert await claimed(database) == ["t_d2"]


async def test_the_backlog_says_what_waits(database: Database) -> None:
    assert await inbox.backlog(database) == (0, 0, None)
    for n in range(3):
        await put(database, question(f"d{n}"), now=50.0 + n)
    await claim(database)
    assert await inbox.backlog(database) == (2, 1, 50.0)


async def test_old_rows_are_forgotten_and_open_ones_are_not(database: Database) -> None:
    await put(database, question("d1"))
    await put(database, question("d2"))
    [mine] = await claim(database)
    await finish(database, mine.turn, now=300.0)
    assert await inbox.prune(database, before=300.0) == 0
    assert await inbox.prune(database, before=301.0) == 1
    assert await inbox.read(database, TurnId("t_d1")) is None
    assert await claimed(database) == ["t_d2"]


async def test_a_put_that_cannot_be_recorded_says_so(database_url: str) -> None:
    database = await open_database(database_url)
    await database.close()
    with pytest.raises(Unavailable):
        await put(database, question("d1"))


PUTTING = """
import asyncio, sys
from core.storage.database import open_database
from tests.storage.examples import put, question

async def main():
    db = await open_database(sys.argv[1])
    async def forever(lane):
        for n in range(10_000):
            await put(db, question(f"{lane}-{n}", in_thread=lane))
            print(f"{lane}-{n}", flush=True)
    async with asyncio.TaskGroup() as group:
        for lane in range(8):
            group.create_task(forever(lane))

asyncio.run(main())
"""


@pytest.mark.promise("D6", "core.storage")
async def test_what_was_put_survives_a_kill(database_url: str) -> None:
    said: set[str] = set()
    for _ in range(3):
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-c", PUTTING, database_url, stdout=subprocess.PIPE
        )
        assert child.stdout is not None
        try:
            async with asyncio.timeout(60):
                for _ in range(100):
                    said.add((await child.stdout.readline()).decode().strip())
        finally:
            child.kill()
            rest = await child.stdout.read()
            await child.wait()
        # A line that was cut by the kill was not said.
        said.update(rest.decode().rpartition("\n")[0].split())
    database = await open_database(database_url)
    rows = await database.fetch("SELECT delivery FROM inbox")
    await database.close()
    assert said <= {row["delivery"] for row in rows}
    assert len(said) >= 100
