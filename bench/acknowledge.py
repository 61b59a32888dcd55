"""How fast a delivery is acknowledged while the platform delivers each event three times, and \
whether each is answered once."""

import asyncio
import sqlite3
import time
from pathlib import Path

from aiohttp import ClientSession

from bench.bots import first_taken, serving
from bench.post import Poster, posting
from bench.slack_side import SlackSide, slack
from bench.teams_side import TeamsSide, teams

RATE = 150
SECONDS = 5.0
REPEATS_AFTER = (0.0, 0.02, 0.5)
"""When an event is delivered again, in seconds after its first delivery."""
ANSWER_SECONDS = 180.0
PEOPLE = 200
"""Who ask, in turn."""
SETTLED_SECONDS = 3.0
"""For greetings to end before the storm."""
TOKENS = 200
"""That Teams' deliveries show in turn: its connector shows one until it ends, and has more of
them than it has processes."""
Side = SlackSide | TeamsSide


async def measure(subject: str, folder: Path, rate: int = RATE) -> dict[str, float]:
    """Times in milliseconds. `subject` is `held`, `running`, `bolt`, or one of the first two
    after `Teams, `."""
    platform, _, kind = subject.rpartition(", ")
    module = {
        "held": ("bench.serve", str(folder / "state"), "held"),
        "running": ("bench.serve", str(folder / "state")),
        "bolt": ("bench.peers.bolt",),
    }[kind]
    async with (
        teams(TOKENS) if platform else slack() as side,
        ClientSession() as session,
        serving(module, folder, side.path, side.environment) as bot,
        posting(bot.address) as poster,
    ):
        _, body = side.event(0, "help")
        await first_taken(bot, session, body, side.headers(body))
        # Whoever asks for the first time is looked up and greeted: everybody is known by now.
        warm = [side.event(number, "warm") for number in range(1, PEOPLE + 1)]
        for _, body in warm:
            await _deliver(poster, side, body, 0)
        if kind != "held":
            await _answers(session, side, {id for id, _ in warm})
        await asyncio.sleep(SETTLED_SECONDS)
        events = int(rate * SECONDS)
        began, used = time.perf_counter(), bot.cpu_seconds
        taken, refused, ids = await _storm(poster, side, rate, events)
        whole, used = time.perf_counter() - began, bot.cpu_seconds - used
        figures = {
            "p50": taken[len(taken) // 2] * 1e3,
            "p99": taken[int(0.99 * len(taken))] * 1e3,
            "max": taken[-1] * 1e3,
            "CPU of a delivery": used / len(taken) * 1e3,
            "deliveries/s": len(taken) / whole,
            "deliveries not acknowledged": refused,
            "events never acknowledged": events - len(ids),
        }
        if kind != "held":
            figures |= await _answers(session, side, ids)
            figures["seconds until all are answered"] = time.perf_counter() - began
    if kind == "held":
        figures["lost"] = len(ids) - _recorded(folder, ids)
    return figures


async def _storm(
    poster: Poster, side: Side, rate: int, events: int
) -> tuple[list[float], int, set[str]]:
    """Deliver at that rate, without waiting for what was delivered before: how long each
    acknowledgement took, how many deliveries got none, and the events that got one. The platform
    would deliver the others again."""
    taken: list[float] = []
    refused = 0
    ids: set[str] = set()

    async def deliver(id: str, body: bytes, number: int) -> None:
        nonlocal refused
        await asyncio.sleep(REPEATS_AFTER[number])
        seconds, is_taken = await _deliver(poster, side, body, number)
        taken.append(seconds)
        refused += not is_taken
        if is_taken:
            ids.add(id)

    start = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(events):
            id, body = side.event(1_000 + number, f"how many orders came in on day {number}?")
            for repeat in range(len(REPEATS_AFTER)):
                group.create_task(deliver(id, body, repeat))
            await asyncio.sleep(max(0.0, start + (number + 1) / rate - time.perf_counter()))
    return sorted(taken), refused, ids


async def _deliver(poster: Poster, side: Side, body: bytes, retry: int) -> tuple[float, bool]:
    headers = side.headers(body, retry)
    began = time.perf_counter()
    status = await poster.post(body, headers)
    return time.perf_counter() - began, status == 200


async def _answers(session: ClientSession, side: Side, ids: set[str]) -> dict[str, float]:
    """Wait until each event that was acknowledged has an answer and no more come."""
    until = time.perf_counter() + ANSWER_SECONDS
    while time.perf_counter() < until:
        found = await side.answered(session)
        if all(found.get(id) for id in ids):
            break
        await asyncio.sleep(0.5)
    await asyncio.sleep(1.0)
    found = await side.answered(session)
    return {
        "lost": sum(not found.get(id) for id in ids),
        "answered more than once": sum(found.get(id, 0) > 1 for id in ids),
    }


def _recorded(folder: Path, ids: set[str]) -> int:
    rows = sqlite3.connect(next(folder.rglob("countersign.db")))
    try:
        kept = {row[0].rpartition("/")[2] for row in rows.execute("SELECT delivery FROM inbox")}
    finally:
        rows.close()
    return sum(id in kept for id in ids)
