"""How fast a delivery of ten workspaces is acknowledged while Slack delivers each event three \
times, and whether each is answered once."""

import asyncio
import sqlite3
import time
from pathlib import Path

from aiohttp import ClientSession, TCPConnector

from bench.bots import Bot, first_acknowledged, running
from bench.slack_side import WORKSPACES, answered, mention, signed, web_api

RATE = 150
SECONDS = 5.0
REPEATS_AFTER = (0.0, 0.02, 0.5)
"""When an event is delivered again, in seconds after its first delivery."""
ANSWER_SECONDS = 180.0


async def measure(subject: str, folder: Path, rate: int = RATE) -> dict[str, float]:
    """Times in milliseconds. `subject` is `held`, `running` or `bolt`."""
    module = {
        "held": ("bench.serve", str(folder / "state"), "held"),
        "running": ("bench.serve", str(folder / "state")),
        "bolt": ("bench.peers.bolt",),
    }[subject]
    async with (
        web_api() as api,
        ClientSession(connector=TCPConnector(limit=0)) as session,
        running(*module, folder=folder, api=api) as bot,
    ):
        await first_acknowledged(bot, session)
        for number in range(1, 31):
            await _deliver(session, bot, *_asked(number, "warm"), 0)
        await asyncio.sleep(1.0)
        events = int(rate * SECONDS)
        began = time.perf_counter()
        taken, refused, stamps = await _storm(session, bot, rate, events)
        whole = time.perf_counter() - began
        figures = {
            "p50": taken[len(taken) // 2] * 1e3,
            "p99": taken[int(0.99 * len(taken))] * 1e3,
            "max": taken[-1] * 1e3,
            "deliveries/s": len(taken) / whole,
            "deliveries not acknowledged": refused,
            "events never acknowledged": events - len(stamps),
        }
        if subject != "held":
            figures |= await _answers(session, api, stamps)
            figures["seconds until all are answered"] = time.perf_counter() - began
    if subject == "held":
        figures["lost"] = len(stamps) - _recorded(folder, stamps)
    return figures


async def _storm(
    session: ClientSession, bot: Bot, rate: int, events: int
) -> tuple[list[float], int, set[str]]:
    """Deliver at that rate, without waiting for what was delivered before: how long each
    acknowledgement took, how many deliveries got none, and the events that got one. Slack would
    deliver the others again."""
    taken: list[float] = []
    refused = 0
    stamps: set[str] = set()

    async def deliver(ts: str, body: bytes, number: int) -> None:
        nonlocal refused
        await asyncio.sleep(REPEATS_AFTER[number])
        seconds, is_taken = await _deliver(session, bot, ts, body, number)
        taken.append(seconds)
        refused += not is_taken
        if is_taken:
            stamps.add(ts)

    start = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(events):
            ts, body = _asked(1_000 + number, f"how many orders came in on day {number}?")
            for repeat in range(len(REPEATS_AFTER)):
                group.create_task(deliver(ts, body, repeat))
            await asyncio.sleep(max(0.0, start + (number + 1) / rate - time.perf_counter()))
    return sorted(taken), refused, stamps


def _asked(number: int, text: str) -> tuple[str, bytes]:
    return mention(number, text, WORKSPACES[number % len(WORKSPACES)])


async def _deliver(
    session: ClientSession, bot: Bot, ts: str, body: bytes, retry: int
) -> tuple[float, bool]:
    headers = signed(body, retry)
    began = time.perf_counter()
    async with session.post(bot.address, data=body, headers=headers) as response:
        await response.read()
        return time.perf_counter() - began, response.status == 200


async def _answers(session: ClientSession, api: str, stamps: set[str]) -> dict[str, float]:
    """Wait until each event that was acknowledged has an answer and no more come."""
    until = time.perf_counter() + ANSWER_SECONDS
    while time.perf_counter() < until:
        found = await answered(session, api)
        if all(found.get(ts) for ts in stamps):
            break
        await asyncio.sleep(0.5)
    await asyncio.sleep(1.0)
    found = await answered(session, api)
    return {
        "lost": sum(not found.get(ts) for ts in stamps),
        "answered more than once": sum(found.get(ts, 0) > 1 for ts in stamps),
    }


def _recorded(folder: Path, stamps: set[str]) -> int:
    rows = sqlite3.connect(next(folder.rglob("countersign.db")))
    try:
        kept = {row[0].rpartition("/")[2] for row in rows.execute("SELECT delivery FROM inbox")}
    finally:
        rows.close()
    return sum(ts in kept for ts in stamps)
