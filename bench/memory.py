"""How much memory an agent holds on to for each thread that somebody began."""

import asyncio
import ctypes
import gc
from pathlib import Path

import psutil

from bench import words
from bench.peers.kinds import Script, Turn, opened

WARM = 200
THREADS = 1_000
AT_ONCE = 4


async def measure(agent: str, folder: Path) -> dict[str, float]:
    """Megabytes (RSS) of the process before as many threads of one turn each, what these add,
    and what as many more add: caches that have an end are full by then."""
    script = Script(seconds=0.001)
    async with opened(agent, folder, script) as turn:
        await _talk(turn, range(WARM))
        before = _megabytes()
        await _talk(turn, range(WARM, WARM + THREADS))
        first = _megabytes()
        await _talk(turn, range(WARM + THREADS, WARM + 2 * THREADS))
        next_ = _megabytes()
    return {
        "before": before,
        "the first 1,000 threads": (first - before) * 1_000 / THREADS,
        "the next 1,000 threads": (next_ - first) * 1_000 / THREADS,
    }


async def _talk(turn: Turn, numbers: range) -> None:
    left = iter(numbers)

    async def one_after_another() -> None:
        for number in left:
            await turn(f"thread {number}", words.question(number))

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(one_after_another())


def _megabytes() -> float:
    """What is held, without what is free and only the allocator has not given back yet."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return psutil.Process().memory_info().rss / 1e6
