"""What is promised of transactions that are handed over whole, on each engine."""

import asyncio

import pytest

from core.storage.database import Conflict, Database, Transaction

ADD = "INSERT INTO pins (key, digest, accepted_by, accepted_at) VALUES (?, ?, 'me', 1)"


async def count(db: Database) -> int:
    row = await db.fetch_one("SELECT count(*) AS n FROM pins")
    assert row is not None
    return row["n"]


async def test_whole_transactions_return_what_they_read_and_fail_alone(database: Database) -> None:
    async def add(number: int) -> int:
        async def body(tx: Transaction) -> int:
            await tx.execute(ADD, (f"{number}", "first"))
            if number % 3 == 0:
                raise ZeroDivisionError
            await tx.execute(ADD, (f"{number}", "second"))
            row = await tx.fetch_one("SELECT count(*) AS n FROM pins WHERE key = ?", (f"{number}",))
            return 0 if row is None else row["n"]

        try:
            return await database.write(body, is_durable=number % 2 == 0)
        except ZeroDivisionError:
            return -1

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(add(number)) for number in range(200)]
    assert [task.result() for task in tasks] == [2 if n % 3 else -1 for n in range(200)]
    rows = await database.fetch("SELECT key, count(*) AS n FROM pins GROUP BY key")
    assert {int(row["key"]) for row in rows} == {n for n in range(200) if n % 3}
    assert {row["n"] for row in rows} == {2}


async def test_a_conflict_undoes_the_whole_body(database: Database) -> None:
    sql = "INSERT INTO checkpoints (turn, namespace, id, body) VALUES ('t', '', ?, ?)"

    async def body(tx: Transaction) -> None:
        await tx.execute(ADD, ("a", "1"))
        await tx.execute(sql, ("1", b""))
        await tx.execute(sql, ("2", b""))

    with pytest.raises(Conflict):
        await database.write(body)
    assert await count(database) == 0
    await database.execute(ADD, ("next", "1"))
    assert await count(database) == 1


async def test_a_body_that_waits_for_something_else_is_undone(sqlite: Database) -> None:
    async def body(tx: Transaction) -> None:
        await tx.execute(ADD, ("a", "1"))
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="nothing but its own statements"):
        await sqlite.write(body)
    assert await count(sqlite) == 0
