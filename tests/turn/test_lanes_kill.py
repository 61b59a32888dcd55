"""Turns that are cut by the death of their process."""

import asyncio
import sys
from pathlib import Path

import pytest

from core.storage import inbox, threads
from core.storage.database import open_database
from tests.storage.examples import put, question, thread


@pytest.mark.promise("D8", "core.storage", "core.turn")
async def test_turns_cut_by_a_kill_end_once(database_url: str) -> None:
    database = await open_database(database_url)
    for n in range(24):
        await put(database, question(f"d{n}", in_thread=n % 8))
    await database.close()
    begun: list[str] = []
    for name in ("first", "second", "last"):
        open_rows = await _open_turns(database_url)
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.turn.worker", database_url, name, str(open_rows),
            stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2],
        )  # fmt: skip
        assert child.stdout is not None
        try:
            async with asyncio.timeout(60):
                if name != "last":
                    # Some turns are over by then, and several are in their middle.
                    lines = [(await child.stdout.readline()).decode() for _ in range(10)]
                    begun += [line.split()[0] for line in lines]
                    child.kill()
                rest = (await child.stdout.read()).decode()
                begun += [line.split()[0] for line in rest.splitlines() if " " in line]
                code = await child.wait()
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()
    assert code == 0
    assert len(begun) > len(set(begun)), "no turn was cut and begun again"
    database = await open_database(database_url)
    told = [turn for n in range(8) for turn in await threads.finished(database, thread(n))]
    rows = await database.fetch("SELECT turn, count(*) AS n FROM outbox GROUP BY turn")
    assert sorted(turn.turn for turn in told) == sorted(f"t_d{n}" for n in range(24))
    assert {row["n"] for row in rows} == {1}
    assert len(rows) == 24
    await database.close()


async def _open_turns(url: str) -> int:
    database = await open_database(url)
    waiting, running, _ = await inbox.backlog(database)
    await database.close()
    return waiting + running
