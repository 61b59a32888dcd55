"""How much memory an agent holds on to for each thread that somebody began."""

import asyncio
import gc
from pathlib import Path

import psutil

from bench import words
from bench.peers.kinds import Script, opened

WARM = 200
THREADS = 1_000
AT_ONCE = 4


async def measure(agent: str, folder: Path) -> dict[str, float]:
    """Megabytes (RSS) of the process before and after as many threads of one turn each."""
    script = Script(seconds=0.001)
    async with opened(agent, folder, script) as turn:
        await _talk(turn, range(WARM))
        before = _megabytes()
        await _talk(turn, range(WARM, WARM + THREADS))
        after = _megabytes()
    return {"before": before, "a 1,000 threads": (after - before) * 1_000 / THREADS}


async def _talk(turn: object, numbers: range) -> None:
    left = iter(numbers)

    async def one_after_another() -> None:
        for number in left:
            await turn(f"thread {number}", words.question(number))  # type: ignore[operator]

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(one_after_another())


def _megabytes() -> float:
    gc.collect()
    return psutil.Process().memory_info().rss / 1e6
