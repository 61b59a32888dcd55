"""The storm: many clicks, delivered several times each, at a bot that is killed again and again."""

import asyncio
import random
import signal
import socket
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from core.approvals.park import Wanted, park
from core.approvals.rooms import Rooms
from core.parked import Approval
from core.records import PersonId, Place, ThreadId, Tool, TurnId
from core.storage.database import open_database
from core.storage.parked import Placed
from tests.chaos.rooms import KINDS, rooms, tools

ROOT = Path(__file__).parents[2]
ASKER, MALLORY = PersonId("slack:T1/U1"), PersonId("slack:T1/U666")
PLACE = Place(surface="slack", tenant="T1", channel="C1", kind="public", name="sales")
IN_FLIGHT = 64

_DECIDED = "SELECT call, count(*) FROM decisions WHERE verdict = 'approved' GROUP BY call"
_TOLD = "SELECT id FROM outbox WHERE kind = 'private' AND id LIKE '%.unknown.%'"
_SHOWN = """
    SELECT json_extract(body, '$.card.call') FROM outbox
    WHERE json_extract(body, '$.card.state') = 'unknown'
"""


async def parked_call(where: Rooms, known: Mapping[str, Tool], number: int) -> Placed:
    """A call of the asker's that waits; of the odd numbers one that is blind."""
    return await park(
        where,
        Wanted(
            turn=TurnId(f"t_{number}"),
            thread=ThreadId(f"slack:T1/C1/{number % 50}"),
            place=PLACE,
            address={"channel": "C1", "thread_ts": str(number % 50), "user": "U1"},
            requester=ASKER,
            question="send it",
            tool=known[KINDS[number % 2]],
            arguments={"text": f"text {number}"},
            approval=Approval(),
            place_in_turn="1",
        ),
    )


@dataclass
class Storm:
    """What is to happen, and what came of it."""

    folder: Path
    count: int
    seed: int
    kills: int
    """At least that many, while there are clicks to come."""
    calls: list[str] = field(default_factory=list)
    verdicts: Counter[str] = field(default_factory=Counter)
    recorded: set[str] = field(default_factory=set)
    killed: int = 0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.path = self.folder / "countersign.db"
        self.effects = self.folder / "effects.db"
        self.log = self.folder / "log"
        self.port, self.provider_port = free_ports(2)
        self.provider = f"http://127.0.0.1:{self.provider_port}"
        self.clicked = 0
        self.progressed = asyncio.Event()

    async def run(self) -> None:
        await self._park()
        module = ("tests.chaos.provider", str(self.effects), str(self.provider_port))
        provider = await started(self.log, *module)
        begun = time.monotonic()
        try:
            await until_up(f"{self.provider}/by/x")
            await self._rage()
        finally:
            await stop(provider)
        self.seconds = time.monotonic() - begun

    async def _park(self) -> None:
        db = await open_database(f"sqlite:///{self.path}")
        async with rooms(db, self.provider) as where:
            known = await tools(where)
            free = asyncio.Semaphore(IN_FLIGHT)

            async def one(number: int) -> None:
                async with free:
                    placed = await parked_call(where, known, number)
                self.calls.append(placed.call.id)

            async with asyncio.TaskGroup() as group:
                for number in range(self.count):
                    group.create_task(one(number))
        await db.close()

    async def _rage(self) -> None:
        is_over = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            killing = group.create_task(self._kill(is_over))
            await self._click()
            is_over.set()
            self.progressed.set()
            worker = await killing
        try:
            async with asyncio.timeout(120 + self.count / 10):
                while self.open_rows():  # noqa: ASYNC110 - it is another process that works
                    await asyncio.sleep(0.2)
        finally:
            await stop(worker)

    async def _kill(self, is_over: asyncio.Event) -> asyncio.subprocess.Process:
        """Kill the bot at random points, spread over the clicks; return the one that lives."""
        worker = await self._worker()
        for number in range(self.kills):
            share = self.count * (number + self.chance.random()) / self.kills
            while self.clicked < share and not is_over.is_set():
                self.progressed.clear()
                await self.progressed.wait()
            await asyncio.sleep(self.chance.random() * 0.05)
            worker.send_signal(signal.SIGKILL)
            await worker.wait()
            self.killed += 1
            worker = await self._worker()
        return worker

    async def _worker(self) -> asyncio.subprocess.Process:
        url = f"sqlite:///{self.path}"
        module = ("tests.chaos.worker", url, str(self.port), self.provider)
        worker = await started(self.log, *module)
        # One that is killed before it is up makes no progress, however often it is started.
        await until_up(f"http://127.0.0.1:{self.port}/livez")
        return worker

    async def _click(self) -> None:
        free = asyncio.Semaphore(IN_FLIGHT)
        limit = aiohttp.ClientTimeout(total=10)
        async with aiohttp.ClientSession(timeout=limit) as web, asyncio.TaskGroup() as group:
            for call in self.chance.sample(self.calls, self.count):
                await free.acquire()
                times = self.chance.randint(1, 4)
                is_preceded = self.chance.random() < 0.1
                task = group.create_task(self._deliver(web, call, times, is_preceded))
                task.add_done_callback(lambda _: free.release())

    async def _deliver(
        self, web: aiohttp.ClientSession, call: str, times: int, is_preceded: bool
    ) -> None:
        if is_preceded:
            self.verdicts[f"mallory: {await self._post(web, call, MALLORY)}"] += 1
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._post(web, call, ASKER)) for _ in range(times)]
        said = [task.result() for task in tasks]
        self.verdicts.update(said)
        if "recorded" in said:
            self.recorded.add(call)
        self.clicked += 1
        self.progressed.set()

    async def _post(self, web: aiohttp.ClientSession, call: str, person: str) -> str:
        """The verdict, however often it has to be asked for: platforms deliver again."""
        body = {"call": call, "person": person, "delivery": f"d-{call}"}
        while True:
            with suppress(aiohttp.ClientError, OSError, TimeoutError):
                async with web.post(f"http://127.0.0.1:{self.port}/click", json=body) as answer:
                    if answer.status == 200:
                        return str((await answer.json())["verdict"])
            await asyncio.sleep(0.05)

    def open_rows(self) -> int:
        [[count]] = self.ask(
            "SELECT count(*) FROM parked WHERE state IN ('parked', 'approved', 'executing')"
        )
        return int(count)

    def ask(self, sql: str) -> Sequence[Sequence[Any]]:
        return ask_file(self.path, sql)

    def happened(self, sql: str) -> Counter[str]:
        """(key → how often) at the provider."""
        return Counter(dict(ask_file(self.effects, sql)))

    def faults(self) -> dict[str, list[str]]:
        """Every call about which a promise was broken, by promise."""
        states = dict(self.ask("SELECT id, state FROM parked"))
        tools = dict(self.ask("SELECT id, json_extract(body, '$.tool') FROM parked"))
        kinds = {call: tool.partition("/")[2] for call, tool in tools.items()}
        requests = self.happened("SELECT key, count(*) FROM requests GROUP BY key")
        effects = self.happened("SELECT key, count(*) FROM effects GROUP BY key")
        decided: Counter[str] = Counter(dict(self.ask(_DECIDED)))
        told = {row[0] for row in self.ask(_TOLD)}
        shown = {row[0] for row in self.ask(_SHOWN)}
        blind = [call for call in self.calls if kinds[call] == "blind"]
        keyed = [call for call in self.calls if kinds[call] == "keyed"]
        unknown = [call for call in self.calls if states[call] == "unknown"]
        return {
            "D1": [c for c in self.recorded if states[c] not in ("done", "unknown", "failed")],
            "D2": [c for c in blind if requests[c] > 1] + [c for c in keyed if effects[c] > 1],
            "D3": [c for c in keyed if effects[c] != 1 or states[c] != "done"],
            "D4": [c for c in unknown if f"{c}.unknown.{ASKER}" not in told or c not in shown],
            "a lie": [c for c in self.calls if states[c] == "done" and not effects[c]],
            "P1": [v for v in self.verdicts if v.startswith("m") and v != "mallory: not_yours"],
            "P10": [c for c in self.calls if decided[c] != 1],
        }

    def report(self) -> str:
        states = Counter(state for (state,) in self.ask("SELECT state FROM parked"))
        effects = self.happened("SELECT key, count(*) FROM effects GROUP BY key")
        doubt = [row[0] for row in self.ask("SELECT id FROM parked WHERE state = 'unknown'")]
        really = sum(effects[call] == 1 for call in doubt)
        return (
            f"{self.count} calls, {sum(self.verdicts.values())} deliveries, {self.killed} kills,"
            f" {self.seconds:.0f} s; {dict(self.verdicts)}; {dict(states)};"
            f" of {len(doubt)} unknown {really} had really happened;"
            f" broken: { {name: len(calls) for name, calls in self.faults().items()} }"
        )


def ask_file(path: Path, sql: str) -> Sequence[Sequence[Any]]:
    db = sqlite3.connect(path, timeout=10)
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


async def started(log: Path, *module: str) -> asyncio.subprocess.Process:
    with log.open("ab") as said:
        command = (sys.executable, "-m", *module)
        return await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=said, stderr=said)


async def stop(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()


async def until_up(address: str) -> None:
    async with asyncio.timeout(60), aiohttp.ClientSession() as web:
        while True:
            with suppress(aiohttp.ClientError, OSError):
                async with web.get(address):
                    return
            await asyncio.sleep(0.05)


def free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports
