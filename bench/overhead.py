"""What a turn costs beside the model: one round with two calls, every write as in service."""

import os
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench import words
from bench.scripted import Scripted
from bench.stand import Stand, asked, stand
from core.records import Turn
from core.storage import inbox
from core.turn import run

WARM = 10
TURNS = 60
OWNER = "bench"


async def measure(_: str, folder: Path) -> dict[str, float]:
    """Milliseconds at the median unless the name says otherwise."""
    figures = {"fsync": fsync_milliseconds(folder)}
    figures |= await _turns(folder / "stub", embeds=False)
    figures |= await _parts(folder / "parts")
    figures["turn with the offline embedder"] = (await _turns(folder / "minilm", embeds=True))[
        "turn"
    ]
    return figures


def fsync_milliseconds(folder: Path, times: int = 100) -> float:
    """The median of appending a page to a file of this disk and waiting until it is there."""
    folder.mkdir(parents=True, exist_ok=True)
    taken: list[float] = []
    with (folder / "fsync").open("wb", buffering=0) as file:
        for _ in range(times):
            began = time.perf_counter()
            file.write(b"x" * 4096)
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - began)
    return statistics.median(taken) * 1e3


async def _turns(folder: Path, *, embeds: bool) -> dict[str, float]:
    """The turn from its claim to its end, without a watch at the seams."""
    model = Scripted(calls=2, says=lambda: words.answer(1))
    async with stand(folder, model, embeds=embeds) as bot:
        taken: list[float] = []
        for number in range(WARM + TURNS):
            turn = await _claimed(bot, number)
            if number == WARM:
                used = time.process_time()
            began = time.perf_counter()
            await run.run(bot.rooms, turn)
            taken.append(time.perf_counter() - began)
        used = time.process_time() - used
        ordered = sorted(taken[WARM:])
        return {
            "turn": statistics.median(ordered) * 1e3,
            "turn p95": ordered[int(0.95 * TURNS)] * 1e3,
            "turn CPU": used / TURNS * 1e3,
        }


async def _parts(folder: Path) -> dict[str, float]:
    """The mean of each part of a turn, and how it uses the disk."""
    model = Scripted(calls=2, says=lambda: words.answer(1))
    async with stand(folder, model, is_timed=True) as bot:
        for number in range(WARM):
            await run.run(bot.rooms, await _claimed(bot, number))
        commits = await _counted_commits(bot)
        bot.watch.reset()
        whole = 0.0
        for number in range(WARM, WARM + TURNS):
            bot_turn = await _claimed(bot, number)
            began = time.perf_counter()
            await run.run(bot.rooms, bot_turn)
            whole += time.perf_counter() - began
        watch = bot.watch
        figures = {f"part: {name}": s / TURNS * 1e3 for name, s in watch.seconds.items()}
        figures |= {f"times: {name}": laps / TURNS for name, laps in watch.laps.items()}
        figures["part: whole"] = whole / TURNS * 1e3
        return figures | {f"commits: {k}": n / (WARM + TURNS) for k, n in commits.items()}


async def _claimed(bot: Stand, number: int) -> Turn:
    """A question that was accepted and claimed, in a thread of its own."""
    text = words.question(number)
    await bot.door.accept(asked(number, f"t{number}", text))
    now = time.time()
    [claim] = await inbox.claim(bot.rooms.db, OWNER, now=now, lease=now + 60)
    return claim.turn


async def _counted_commits(bot: Stand) -> Counter[str]:
    """Counts from now on what the writing connection commits, with and without a sync."""
    found: Counter[str] = Counter()
    sync = ["FULL"]

    def heard(sql: str) -> None:
        if sql.startswith("PRAGMA synchronous ="):
            found["switches of the sync"] += 1
            sync[0] = sql.rstrip(";").split()[-1]
        elif sql == "COMMIT":
            found["synced" if sync[0] == "FULL" else "not synced"] += 1

    database: Any = bot.rooms.db
    await database._writer._connection.do(lambda held: held.set_trace_callback(heard))
    return found
