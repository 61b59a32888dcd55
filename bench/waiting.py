"""How long a question waits between its commit and the start of its turn, on an idle bot and \
among sixteen."""

import asyncio
import time
from pathlib import Path
from statistics import median

from bench import words
from bench.peers.countersign import working
from bench.scripted import Scripted
from bench.stand import Stand, asked, stand
from core.records import Turn

IDLE = 50
BUSY = 160
AT_ONCE = 16


async def measure(_: str, folder: Path) -> dict[str, float]:
    """Milliseconds; among sixteen, one lane is always free."""
    begun: list[tuple[Turn, float]] = []
    async with (
        stand(folder / "state", Scripted(seconds=0.1)) as bot,
        working(bot, on_start=begun),
    ):
        answers: set[str] = set()
        bot.chat.on_post = lambda post: answers.add(post.turn) if post.kind == "answer" else None
        await _ask(bot, answers, range(5))
        begun.clear()
        committed = await _ask(bot, answers, range(100, 100 + IDLE))
        idle = _waits(committed, begun)
        begun.clear()
        committed = {}
        left = iter(range(1_000, 1_000 + BUSY))

        async def one_after_another() -> None:
            for number in left:
                committed.update(await _ask(bot, answers, range(number, number + 1)))

        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE - 1):
                group.create_task(one_after_another())
        busy = _waits(committed, begun)
    return {
        "idle, p50": median(idle),
        "idle, p95": idle[int(0.95 * len(idle))],
        "among sixteen, p50": median(busy),
        "among sixteen, p95": busy[int(0.95 * len(busy))],
    }


async def _ask(bot: Stand, answers: set[str], numbers: range) -> dict[str, float]:
    """Ask one after another, each in a thread of its own; when each question was committed."""
    committed: dict[str, float] = {}
    for number in numbers:
        question = asked(number, f"thread {number}", words.question(number))
        receipt = await bot.door.accept(question)
        assert receipt.turn is not None
        committed[receipt.turn] = time.time()
        while receipt.turn not in answers:
            await asyncio.sleep(0.002)
    return committed


def _waits(committed: dict[str, float], begun: list[tuple[Turn, float]]) -> list[float]:
    waits = [(at - committed[turn.id]) * 1e3 for turn, at in begun if turn.id in committed]
    return sorted(max(0.0, wait) for wait in waits)
