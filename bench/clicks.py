"""From the click on Send to the mail that has left, beside what Entra and Graph take of it, with \
every answer of theirs 50 ms late. The stand-ins run in this process: their work counts as ours."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

from aiohttp import ClientSession, CookieJar

from adapters.slack.pacing import Pacing
from adapters.teams.pacing import Pacing as TeamsPacing
from bench.stand import ANYTHING, KEYS, log_to
from bot import config, settings, wiring
from bot.chats import Pacings
from bot.lifecycle import Part, Standing
from bot.microsoft import Tokens
from bot.server import Server
from bot.wiring import Wired
from core.approvals.desk import Desk
from core.approvals.park import Wanted, park
from core.connectors.graph import Graph
from core.parked import Approval
from core.records import PersonId, Place, ThreadId, TurnId
from core.storage import parked

LATENCY = 0.05
CLICKS = 40
PARTS = {
    "part: the decision is committed": ("clicked", "decided"),
    "part: taken up, tool and people looked up": ("decided", "minting"),
    "part: a token minted, Entra 50 ms away": ("minting", "minted"),
    "part: policy again, and the claim committed": ("minted", "asking"),
    "part: Graph, 50 ms away, until the mail has left": ("asking", "left"),
}
SEAMS = {
    "decided": (Desk, "decide", True),
    "minting": (Tokens, "token", False),
    "minted": (Tokens, "token", True),
    "asking": (Graph, "ask", False),
}
SCOPES = {"blind": ("Mail.Send",), "checkable": ("Mail.ReadWrite", "Mail.Send")}
MAIL = {"to": ["priya@larkspur.example"], "subject": "Q3", "body": "Nordics lead."}
PORT = 18_437

Lap = dict[str, float]
"""When each step was reached, by the process's own clock."""


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
    parts = {part: _median(laps, *ends) for part, ends in PARTS.items()}
    return {
        "recorded: answered to Slack, p50": _median(laps, "clicked", "acknowledged"),
        "mail has left, p50": _median(laps, "clicked", "left"),
        "mail has left, p95": _laps(laps, "clicked", "left")[int(0.95 * CLICKS)],
        **parts,
        "sum of these parts": sum(parts.values()),
        "seen to have left, and written down, p50": _median(laps, "clicked", "ended"),
        "requests to Entra and Graph": requests,
        "of it waiting for them": requests * LATENCY * 1e3,
    }


def _laps(laps: Sequence[Lap], start: str, end: str) -> list[float]:
    return sorted((lap[end] - lap[start]) * 1e3 for lap in laps)


def _median(laps: Sequence[Lap], start: str, end: str) -> float:
    return median(_laps(laps, start, end))


def _asked(desk: _Desk) -> int:
    return len(desk.microsoft.graph.requests) + len(desk.microsoft.entra.requests)


async def _clicked(desk: _Desk) -> Lap:
    """When each step of one click was reached. What the click before has left behind, a card that
    says what came of it, is out of the way by then."""
    call = await _parked(desk)
    card = await desk.slack.wait_for(lambda: _card(desk, call.number), 20)
    began = {"clicked": time.perf_counter()}
    with _noting(began):
        async with asyncio.TaskGroup() as group:
            click = group.create_task(desk.slack.click("mara", card, "call.send"))
            click.add_done_callback(lambda _: began.setdefault("acknowledged", time.perf_counter()))
            sent = desk.microsoft.effects
            await desk.microsoft.wait_for(lambda: sent("mail.sent", call.id), 20)
            began["left"] = time.perf_counter()
            await _ended(desk, call.id)
            began["ended"] = time.perf_counter()
    await desk.slack.wait_for(lambda: _is_over(desk, card["ts"]), 20)
    return began


@contextmanager
def _noting(lap: Lap) -> Iterator[None]:
    """When each of these seams is reached, or left."""

    def noted(name: str, seam: Any, *, at_end: bool) -> Any:
        async def seen(*args: Any, **kwargs: Any) -> Any:
            if not at_end:
                lap.setdefault(name, time.perf_counter())
            try:
                return await seam(*args, **kwargs)
            finally:
                if at_end:
                    lap.setdefault(name, time.perf_counter())

        return seen

    with ExitStack() as held:
        for name, (owner, method, at_end) in SEAMS.items():
            seam = noted(name, getattr(owner, method), at_end=at_end)
            held.enter_context(patch.object(owner, method, seam))
        yield


async def _ended(desk: _Desk, call: Any) -> None:
    async with asyncio.timeout(20):
        while (found := await parked.read(desk.bot.rooms.db, call)) and found.state != "done":
            await asyncio.sleep(0.005)


def _is_over(desk: _Desk, ts: str) -> bool:
    """The card says what came of it, and offers nothing any more."""
    [card] = [one for one in desk.slack.replies("sales", desk.thread) if one["ts"] == ts]
    return "Handed to Outlook" in (shown := json.dumps(card["blocks"])) or "Sent to" in shown


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
            address=_address(desk),
            requester=PersonId(f"slack:{team}/{person}"),
            question="mail it",
            tool=next(tool for tool in found.tools if tool.key == "office/send_mail"),
            arguments=MAIL,
            approval=Approval(),
            place_in_turn="1",
        ),
    )
    return placed.call


def _address(desk: _Desk) -> dict[str, str]:
    return {
        "team": desk.slack.world.team.id,
        "channel": desk.slack.channel("sales").id,
        "thread_ts": desk.thread,
        "message_ts": "",
        "is_dm": "false",
        "user": desk.slack.member("mara").id,
    }


@asynccontextmanager
async def _desk(folder: Path, scopes: tuple[str, ...]) -> AsyncIterator[_Desk]:
    """The bot with its local workspace, Mara's account connected."""
    folder.mkdir(parents=True)
    (folder / "countersign.yaml").write_text(ANYTHING)
    given = {
        "COUNTERSIGN_PORT": str(PORT),
        "COUNTERSIGN_WORKSPACE_PORT": "0",
        "COUNTERSIGN_KEYS": KEYS,
        "COUNTERSIGN_CONFIG": str(folder / "countersign.yaml"),
    }
    read = settings.read(given, folder=folder, is_workspace=True)
    log_to(folder.with_suffix(".log"), read.secrets())
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
    link = (await approvals.accounts.offer(person, scopes, _address(desk))).url
    async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as browser:
        async with browser.get(link, allow_redirects=False) as response:
            onward = response.headers["Location"]
        async with browser.get(desk.microsoft.sign_in(onward, "mara").url) as response:
            page = await response.text()
    assert re.search("You are signed in", page), page


async def _at_once(_: float) -> None:
    """Posts keep their order; nobody waits for Slack's pace."""
