"""From the click on Send to the mail that has left, beside what Entra and Graph take of it, with \
every answer of theirs 50 ms late. The stand-ins run in this process: their work counts as ours."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, CookieJar

from adapters.slack.pacing import Pacing
from adapters.teams.pacing import Pacing as TeamsPacing
from bench.stand import KEYS
from bot import config, settings, wiring
from bot.chats import Pacings
from bot.lifecycle import Part, Standing
from bot.server import Server
from bot.wiring import Wired
from core.approvals.park import Wanted, park
from core.parked import Approval
from core.records import PersonId, Place, ThreadId, TurnId
from core.storage import parked

LATENCY = 0.05
CLICKS = 40
SCOPES = {"blind": ("Mail.Send",), "checkable": ("Mail.ReadWrite", "Mail.Send")}
MAIL = {"to": ["priya@larkspur.example"], "subject": "Q3", "body": "Nordics lead."}
PORT = 18_437


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    bot: Wired
    slack: Any
    microsoft: Any
    thread: str
    """The ts of the message under which the cards stand."""
    numbers: Any


async def measure(subject: str, folder: Path) -> dict[str, float]:
    """Milliseconds; `subject` is `blind` or `checkable`."""
    async with _desk(folder, SCOPES[subject]) as desk:
        for _ in range(5):
            await _clicked(desk)
        desk.microsoft.entra.latency = desk.microsoft.graph.latency = LATENCY
        before = _asked(desk)
        laps = [await _clicked(desk) for _ in range(CLICKS)]
        requests = (_asked(desk) - before) / CLICKS
    left, done = (sorted(lap[one] * 1e3 for lap in laps) for one in (0, 1))
    return {
        "recorded: answered to Slack, p50": sorted(lap[2] * 1e3 for lap in laps)[CLICKS // 2],
        "mail has left, p50": left[CLICKS // 2],
        "mail has left, p95": left[int(0.95 * CLICKS)],
        "seen to have left, and written down, p50": done[CLICKS // 2],
        "seen to have left, and written down, p95": done[int(0.95 * CLICKS)],
        "requests to Entra and Graph": requests,
        "of it waiting for them": requests * LATENCY * 1e3,
    }


def _asked(desk: _Desk) -> int:
    return len(desk.microsoft.graph.requests) + len(desk.microsoft.entra.requests)


async def _clicked(desk: _Desk) -> tuple[float, float, float]:
    """Seconds from the click until the mail has left, until the row says so, and until the click
    was acknowledged."""
    call = await _parked(desk)
    card = await desk.slack.wait_for(lambda: _card(desk, call.number), 20)
    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        acknowledged = group.create_task(_timed(desk.slack.click("mara", card, "call.send"), began))
        left = group.create_task(
            _timed(
                desk.microsoft.wait_for(lambda: desk.microsoft.effects("mail.sent", call.id), 20),
                began,
            )
        )
        done = group.create_task(_timed(_ended(desk, call.id), began))
    return left.result(), done.result(), acknowledged.result()


async def _timed(work: Any, began: float) -> float:
    await work
    return time.perf_counter() - began


async def _ended(desk: _Desk, call: Any) -> None:
    async with asyncio.timeout(20):
        while (found := await parked.read(desk.bot.rooms.db, call)) and found.state != "done":
            await asyncio.sleep(0.005)


def _card(desk: _Desk, number: int) -> Any:
    for message in desk.slack.replies("sales", desk.thread):
        shown = json.dumps(message["blocks"])
        if f"#{number} " in shown and "call.send" in shown:
            return message
    return None


async def _parked(desk: _Desk) -> Any:
    rooms = desk.bot.rooms
    assert rooms.approvals is not None
    found = await rooms.catalog.discover()
    world, number = desk.slack.world, next(desk.numbers)
    team, channel = world.team.id, desk.slack.channel("sales").id
    person = desk.slack.member("mara").id
    placed = await park(
        rooms.approvals,
        Wanted(
            turn=TurnId(f"t_{number}"),
            thread=ThreadId(f"slack:{team}/{channel}/{desk.thread}"),
            place=Place(surface="slack", tenant=team, channel=channel, kind="public", name="sales"),
            address={
                "team": team,
                "channel": channel,
                "thread_ts": desk.thread,
                "ts": desk.thread,
                "user": person,
            },
            requester=PersonId(f"slack:{team}/{person}"),
            question="mail it",
            tool=next(tool for tool in found.tools if tool.key == "office/send_mail"),
            arguments=MAIL,
            approval=Approval(),
            place_in_turn="1",
        ),
    )
    return placed.call


@asynccontextmanager
async def _desk(folder: Path, scopes: tuple[str, ...]) -> AsyncIterator[_Desk]:
    """The bot with its local workspace, Mara's account connected."""
    folder.mkdir(parents=True)
    (folder / "countersign.yaml").write_text("policy: {rules: [{offer: 'tool:*'}]}\n")
    given = {
        "COUNTERSIGN_PORT": str(PORT),
        "COUNTERSIGN_WORKSPACE_PORT": "0",
        "COUNTERSIGN_KEYS": KEYS,
        "COUNTERSIGN_CONFIG": str(folder / "countersign.yaml"),
    }
    read = settings.read(given, folder=folder, is_workspace=True)
    pacings = Pacings(
        slack=Pacing(time.monotonic, _at_once), teams=TeamsPacing(time.monotonic, _at_once)
    )
    async with wiring.build(read, config.read(read), pacings=pacings) as bot:
        server = Server(bot, Standing(is_up=True), host=read.host, port=read.port)
        async with _started([*bot.parts, server]):
            bot.greeting(server.address)
            assert bot.workspace is not None
            slack, microsoft = bot.workspace.slack, bot.workspace.microsoft
            thread = await slack.say("mara", "sales", "Mails go out from here.", is_told=False)
            desk = _Desk(bot=bot, slack=slack, microsoft=microsoft, thread=thread, numbers=count(1))
            await _connected(desk, scopes)
            yield desk


@asynccontextmanager
async def _started(parts: Sequence[Part]) -> AsyncIterator[None]:
    """The parts in order, and stopped in the opposite one."""
    running: list[tuple[asyncio.Event, asyncio.Task[None]]] = []
    async with asyncio.TaskGroup() as group:
        for part in parts:
            up, stop = asyncio.Event(), asyncio.Event()
            running.append((stop, group.create_task(part.run(up.set, stop))))
            await up.wait()
        try:
            yield
        finally:
            for stop, task in reversed(running):
                stop.set()
                await asyncio.wait({task})


async def _connected(desk: _Desk, scopes: tuple[str, ...]) -> None:
    approvals = desk.bot.rooms.approvals
    assert approvals is not None and approvals.accounts is not None
    world = desk.slack.world
    person = PersonId(f"slack:{world.team.id}/{desk.slack.member('mara').id}")
    channel = desk.slack.channel("sales").id
    where = {"channel": channel, "user": desk.slack.member("mara").id}
    link = (await approvals.accounts.offer(person, scopes, where)).url
    async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as browser:
        async with browser.get(link, allow_redirects=False) as response:
            onward = response.headers["Location"]
        async with browser.get(desk.microsoft.sign_in(onward, "mara").url) as response:
            page = await response.text()
    assert re.search("You are signed in", page), page


async def _at_once(_: float) -> None:
    """Posts keep their order; nobody waits for Slack's pace."""
