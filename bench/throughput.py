"""How many turns a second an agent gets through while 16 people talk to it at once, each waiting \
for the answer before asking again."""

import asyncio
import time
from pathlib import Path
from statistics import median

from bench import words
from bench.peers.kinds import Script, opened

THREADS = 16
MODEL_SECONDS = 0.1
TURNS = 320
IDEAL = THREADS / (2 * MODEL_SECONDS)


async def measure(agent: str, folder: Path) -> dict[str, float]:
    """Times in milliseconds; each turn asks the model twice."""
    script = Script(seconds=MODEL_SECONDS)
    taken: list[float] = []
    async with opened(agent, folder, script) as turn:
        for number in range(5):
            await turn("warm", words.question(number))
        left = iter(range(TURNS))

        async def talk(thread: str) -> None:
            for number in left:
                began = time.perf_counter()
                await turn(thread, words.question(number))
                taken.append(time.perf_counter() - began)

        began, used = time.perf_counter(), time.process_time()
        async with asyncio.TaskGroup() as group:
            for number in range(THREADS):
                group.create_task(talk(f"thread {number}"))
        whole = time.perf_counter() - began
        used = time.process_time() - used
    taken.sort()
    return {
        "turns/s": TURNS / whole,
        "p50": median(taken) * 1e3,
        "p95": taken[int(0.95 * TURNS)] * 1e3,
        "p99": taken[int(0.99 * TURNS)] * 1e3,
        "CPU a turn": used / TURNS * 1e3,
    }
