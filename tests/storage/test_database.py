"""What the database port promises on each engine."""

import asyncio
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from core.errors import Misconfigured, Unavailable
from core.storage.database import Conflict, Database, Transaction, open_database
from core.storage.sqlite import connect
from core.storage.writer import Writer
from tests.databases import fresh_database

ADD = "INSERT INTO pins (key, digest, accepted_by, accepted_at) VALUES (?, ?, 'me', 1)"
LOCK_HOLDERS = (
    "SELECT pid, classid::bigint, objid::bigint FROM pg_locks"
    " WHERE locktype = 'advisory' AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
END_THE_LOCKS_HOLDER = f"SELECT pg_terminate_backend(pid) FROM ({LOCK_HOLDERS}) AS holders"
COUNT = "SELECT count(*) AS n FROM pins"


async def count(db: Database) -> int:
    row = await db.fetch_one(COUNT)
    assert row is not None
    return row["n"]


async def test_a_write_is_seen_by_the_next_read(database: Database) -> None:
    assert await database.execute(ADD, ("a", "1")) == 1
    assert await database.fetch("SELECT key, digest FROM pins") == [{"key": "a", "digest": "1"}]


async def test_a_percent_sign_in_a_statement_is_itself(database: Database) -> None:
    await database.execute(ADD, ("abc", "1"))
    assert await database.fetch_one("SELECT key FROM pins WHERE key LIKE 'ab%'") == {"key": "abc"}


async def test_a_transaction_that_raises_leaves_nothing(database: Database) -> None:
    with pytest.raises(ZeroDivisionError):
        async with database.transaction() as tx:
            await tx.execute(ADD, ("a", "1"))
            raise ZeroDivisionError
    assert await count(database) == 0


async def test_a_transaction_sees_its_own_writes_and_others_do_not(database: Database) -> None:
    async with database.transaction() as tx:
        await tx.execute(ADD, ("a", "1"))
        assert await tx.fetch_one(COUNT) == {"n": 1}
        assert await count(database) == 0
    assert await count(database) == 1


async def test_transactions_of_many_tasks_never_mix(database: Database) -> None:
    async def pair(number: int) -> None:
        async with database.transaction() as tx:
            await tx.execute(ADD, (f"{number}", "first"))
            await asyncio.sleep(0)
            if number % 3 == 0:
                raise ZeroDivisionError
            await tx.execute(ADD, (f"{number}", "second"))

    async def guarded(number: int) -> None:
        try:
            await pair(number)
        except ZeroDivisionError:
            pass

    async with asyncio.TaskGroup() as group:
        for number in range(200):
            group.create_task(guarded(number))
    rows = await database.fetch("SELECT key, count(*) AS n FROM pins GROUP BY key")
    assert {int(row["key"]) for row in rows} == {n for n in range(200) if n % 3}
    assert {row["n"] for row in rows} == {2}


async def test_a_failing_write_of_a_burst_fails_alone(database: Database) -> None:
    async def add(number: int) -> str:
        id = "same" if number % 10 == 0 else f"{number}"
        sql = "INSERT INTO checkpoints (turn, namespace, id, body) VALUES (?, '', '', ?)"
        try:
            await database.execute(sql, (id, b"x"))
        except Conflict:
            return "conflict"
        return "kept"

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(add(number)) for number in range(100)]
    assert [task.result() for task in tasks].count("conflict") == 9
    row = await database.fetch_one("SELECT count(*) AS n FROM checkpoints")
    assert row == {"n": 91}


async def test_a_cancelled_transaction_is_undone_and_the_next_one_works(
    database: Database,
) -> None:
    inside = asyncio.Event()

    async def hang() -> None:
        async with database.transaction() as tx:
            await tx.execute(ADD, ("hung", "1"))
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(hang())
    await inside.wait()
    task.cancel()
    await asyncio.wait([task])
    await database.execute(ADD, ("next", "1"))
    assert await database.fetch("SELECT key FROM pins") == [{"key": "next"}]


async def test_a_writer_that_gives_up_while_waiting_holds_up_nobody(sqlite: Database) -> None:
    async with sqlite.transaction() as tx:
        waiting = [asyncio.create_task(sqlite.execute(ADD, ("x", "1"))) for _ in range(5)]
        await asyncio.sleep(0)
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting)
        await tx.execute(ADD, ("mine", "1"))
    await sqlite.execute(ADD, ("next", "1"))
    assert await count(sqlite) == 2


async def test_a_ledger_entry_cannot_be_changed_or_deleted(database: Database) -> None:
    from core.storage import entries
    from tests.storage.examples import entry

    await entries.add(database, entry("t_1"))
    with pytest.raises(Conflict):
        await database.execute("UPDATE entries SET price = '0'")
    with pytest.raises(Conflict):
        await database.execute("DELETE FROM entries")


async def test_a_wake_up_before_the_wait_counts(database: Database) -> None:
    await database.notify("inbox")
    assert await database.wait("inbox", 5)
    assert not await database.wait("inbox", 0.01)


async def test_a_wake_up_reaches_another_process_on_postgres(postgres: str) -> None:
    with fresh_database(postgres) as url:
        database = await open_database(url)
        other = await open_database(url, is_shared=True)
        try:
            await other.notify("inbox")
            assert await database.wait("inbox", 5)
        finally:
            await other.close()
            await database.close()


async def test_a_lost_connection_takes_its_lock_again(postgres: str) -> None:
    with fresh_database(postgres) as url:
        database = await open_database(url)
        other = await open_database(url, is_shared=True)
        try:
            await other.fetch(END_THE_LOCKS_HOLDER)
            async with asyncio.timeout(20):
                while not await other.fetch(LOCK_HOLDERS):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            await database.execute(ADD, ("a", "1"))
        finally:
            await other.close()
            await database.close()


@pytest.mark.promise("X6", "core.storage")
async def test_a_process_that_lost_its_lock_to_another_stops_writing(postgres: str) -> None:
    with fresh_database(postgres) as url:
        database = await open_database(url)
        try:
            async with await psycopg.AsyncConnection.connect(url, autocommit=True) as other:
                [lock] = await database.fetch(LOCK_HOLDERS)
                number = (lock["classid"] << 32) + lock["objid"]
                asking = other.execute("SELECT pg_advisory_lock(%s)", (number,))
                waiting = asyncio.create_task(asking)
                await asyncio.sleep(0)
                await database.fetch(END_THE_LOCKS_HOLDER)
                await waiting
                with pytest.raises(Unavailable, match="taken this database over"):
                    async with asyncio.timeout(20):
                        while True:
                            await database.execute(ADD, ("a", "1"))
                            await asyncio.sleep(0.05)
        finally:
            await database.close()


@pytest.mark.promise("X6", "core.storage")
async def test_a_second_process_is_refused_on_a_file_with_a_sentence(
    sqlite: Database, tmp_path: Path
) -> None:
    program = (
        "import asyncio, sys\n"
        "from core.errors import Misconfigured\n"
        "from core.storage.database import open_database\n"
        "try:\n"
        "    asyncio.run(open_database(sys.argv[1]))\n"
        "except Misconfigured as refusal:\n"
        "    print(refusal)\n"
    )
    second = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", program, f"sqlite:///{tmp_path}/countersign.db"],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert second.stdout.startswith("Another process")
    assert "Stop it first" in second.stdout


@pytest.mark.promise("X6", "core.storage")
async def test_bots_run_together_on_postgres_and_beside_nobody_who_fills_it(
    postgres_url: str,
) -> None:
    first, second = await open_database(postgres_url), await open_database(postgres_url)
    assert first.owner != second.owner
    assert not first.is_exclusive
    with pytest.raises(Misconfigured, match="Another process already runs"):
        await open_database(postgres_url, is_alone=True)
    await first.close()
    await second.close()
    alone = await open_database(postgres_url, is_alone=True)
    with pytest.raises(Misconfigured, match="is filling"):
        await open_database(postgres_url)
    await alone.close()


async def test_an_administrators_command_may_look_beside_a_running_bot(
    database: Database, database_url: str
) -> None:
    other = await open_database(database_url, is_shared=True)
    try:
        assert database.is_exclusive == (database.dialect == "sqlite")
        assert not other.is_exclusive
        await other.execute(ADD, ("a", "1"))
        assert await count(database) == 1
    finally:
        await other.close()


async def test_a_closed_database_can_be_opened_again_with_its_rows(database_url: str) -> None:
    for expected in (0, 1):
        opened = await open_database(database_url)
        assert await count(opened) == expected
        await opened.execute(ADD, (f"{expected}", "1"))
        await opened.close()


@pytest.mark.parametrize("url", ["", "mysql://x", "sqlite://", "sqlite:///", "countersign.db"])
async def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(Misconfigured, match="must start with"):
        await open_database(url)


async def test_an_unreachable_postgres_is_named_without_its_password() -> None:
    with pytest.raises(Misconfigured, match="cannot be reached") as caught:
        await open_database("postgresql://me:hunter2@127.0.0.1:9/x")
    assert "hunter2" not in str(caught.value)


async def test_a_path_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("these are notes, not a database. " * 100)
    with pytest.raises(Misconfigured, match="is not a database"):
        await open_database("sqlite:///notes.db", state=tmp_path)
    with pytest.raises(Misconfigured):
        await open_database(f"sqlite:///{tmp_path}/notes.db/below/x.db")


async def test_every_sqlite_connection_syncs_each_commit(sqlite: Database) -> None:
    questions = ("PRAGMA synchronous", "PRAGMA journal_mode", "PRAGMA foreign_keys")
    for _ in range(2):  # the readers take turns
        answers = [await sqlite.fetch_one(question) for question in questions]
        assert answers == [{"synchronous": 2}, {"journal_mode": "wal"}, {"foreign_keys": 1}]
    async with sqlite.transaction() as tx:
        assert await tx.fetch_one("PRAGMA synchronous") == {"synchronous": 2}


SYNC = {
    "sqlite": ("PRAGMA synchronous", "synchronous", 2, 1),
    "postgres": ("SHOW synchronous_commit", "synchronous_commit", "on", "off"),
}


async def test_a_write_waits_for_the_disk_unless_it_says_that_it_need_not(
    database: Database,
) -> None:
    ask, name, waits, does_not = SYNC[database.dialect]
    for is_durable in (True, False, False, True):
        async with database.transaction(is_durable=is_durable) as tx:
            assert await tx.fetch_one(ask) == {name: waits if is_durable else does_not}
        asked = await database.write(lambda tx: tx.fetch_one(ask), is_durable=is_durable)
        assert asked == {name: waits if is_durable else does_not}


async def test_a_durable_write_never_joins_a_commit_that_does_not_wait(sqlite: Database) -> None:
    wrong: list[str] = []

    async def write(number: int) -> None:
        is_durable = number % 3 == 0

        async def body(tx: Transaction) -> None:
            await tx.execute(ADD, (f"{number}", "1"))
            row = await tx.fetch_one("PRAGMA synchronous")
            if is_durable and row != {"synchronous": 2}:
                wrong.append(f"{number}")

        if number % 2:
            await sqlite.write(body, is_durable=is_durable)
            return
        async with sqlite.transaction(is_durable=is_durable) as tx:
            await body(tx)

    async with asyncio.TaskGroup() as group:
        for number in range(100):
            group.create_task(write(number))
    assert wrong == []
    assert await count(sqlite) == 100


async def test_a_full_disk_is_said_and_breaks_nothing(sqlite: Database) -> None:
    [pages] = (await sqlite.fetch("PRAGMA page_count"))[0].values()
    # A pragma takes no parameter, and the schema grows: as many pages more as some of the rows.
    connection = sqlite._writer._connection  # type: ignore[attr-defined]
    await connection.execute(f"PRAGMA max_page_count = {pages + 40}")
    sql = "INSERT INTO checkpoints (turn, namespace, id, body) VALUES (?, '', '', ?)"
    kept, refused = 0, 0
    for number in range(60):
        try:
            await sqlite.execute(sql, (f"{number}", b"x" * 8000))
            kept += 1
        except Unavailable:
            refused += 1
    assert kept > 0
    assert refused > 0
    assert await sqlite.fetch_one("PRAGMA integrity_check") == {"integrity_check": "ok"}
    assert await sqlite.fetch_one("SELECT count(*) AS n FROM checkpoints") == {"n": kept}
    async with sqlite.transaction() as tx:
        await tx.fetch("PRAGMA max_page_count = 10000")
    await sqlite.execute(sql, ("again", b"x" * 8000))


async def test_a_transaction_that_never_ends_is_ended(tmp_path: Path) -> None:
    connection = await connect(tmp_path / "x.db")
    await connection.execute("CREATE TABLE pins (key, digest, accepted_by, accepted_at)")
    writer = Writer(connection, patience=0.05)
    serving = asyncio.create_task(writer.run())
    with pytest.raises(Unavailable):
        async with writer.turn() as stuck:
            await stuck.execute(ADD, ("stuck", "1"))
            async with writer.turn() as other:  # waits for the one around it
                await other.execute(ADD, ("inner", "1"))
    async with writer.turn() as turn:
        await turn.execute(ADD, ("next", "1"))
    writer.close()
    await serving
    assert await connection.fetch("SELECT key FROM pins") == [{"key": "next"}]
    await connection.close()


async def test_a_burst_of_writes_shares_its_commits(sqlite: Database) -> None:
    commits = 0

    def traced(statement: str) -> None:
        nonlocal commits
        commits += statement == "COMMIT"

    connection = sqlite._connections[0]  # pyright: ignore[reportAttributeAccessIssue]
    await connection.do(lambda held: held.set_trace_callback(traced))
    async with asyncio.TaskGroup() as group:
        for number in range(200):
            group.create_task(sqlite.execute(ADD, (f"{number}", "1")))
    await connection.do(lambda held: held.set_trace_callback(None))
    assert await count(sqlite) == 200
    assert commits < 20
