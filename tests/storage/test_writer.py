"""Whoever gives up while waiting for the one SQLite writer holds up nobody else."""

import asyncio
import threading
from pathlib import Path

import pytest

from core.errors import Unavailable
from core.storage.connection import Connection
from core.storage.sqlite import connect
from core.storage.writer import Writer

ADD = "INSERT INTO seen VALUES (?)"


async def test_a_write_that_is_given_up_in_the_moment_of_its_turn_ends_no_other(
    tmp_path: Path,
) -> None:
    connection = await connect(tmp_path / "some.db")
    await connection.execute("CREATE TABLE seen (x TEXT)")
    writer = Writer(connection)
    working = asyncio.create_task(writer.run())

    async def write(text: str) -> None:
        async with writer.turn() as tx:
            await tx.execute(ADD, (text,))

    gives_up = asyncio.create_task(write("given up"))
    await _cancelled_at("SAVEPOINT turn", connection, gives_up)
    async with asyncio.timeout(5):
        await write("next")
        writer.close()
        await working
    assert [row["x"] for row in await connection.fetch("SELECT x FROM seen")] == ["next"]
    await connection.close()


async def test_a_fault_of_ours_fails_the_write_that_met_it_and_the_writer_lives_on(
    tmp_path: Path,
) -> None:
    connection = await connect(tmp_path / "some.db")
    writer = Writer(connection)
    working = asyncio.create_task(writer.run())
    # Its queue is closed under it: aiosqlite answers that with an error that is not SQLite's.
    await connection.close()

    async with asyncio.timeout(5):
        with pytest.raises(Unavailable, match="a fault on our side"):
            await writer.write(lambda tx: tx.execute(ADD, ("x",)))
        with pytest.raises(Unavailable, match="a fault on our side"):
            async with writer.turn() as tx:
                await tx.execute(ADD, ("x",))
        writer.close()
        await working


async def _cancelled_at(statement: str, connection: Connection, task: asyncio.Task[None]) -> None:
    """Cancel the task while the connection's thread is in this statement, before it returns."""
    loop, is_over = asyncio.get_running_loop(), threading.Event()
    task.add_done_callback(lambda _: is_over.set())

    def meet(sql: str) -> None:
        if sql == statement:
            loop.call_soon_threadsafe(task.cancel)
            is_over.wait(10)

    await connection.do(lambda held: held.set_trace_callback(meet))
    await asyncio.wait({task})
    await connection.do(lambda held: held.set_trace_callback(None))
    assert task.cancelled()
