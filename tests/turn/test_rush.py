"""While questions rush in, taking them comes before answering."""

import asyncio
from contextlib import ExitStack
from dataclasses import replace

from core.records import Turn
from core.storage.database import Database
from core.turn.rush import CALM, MANY, Rush
from tests.storage.examples import put, question
from tests.turn.test_lanes import QUICK, Stage


async def test_turns_give_way_while_questions_rush_in_and_catch_up_afterwards(
    sqlite: Database,
) -> None:
    now, begun, go = [0.0], asyncio.Semaphore(0), asyncio.Event()
    rush, running = Rush(lambda: now[0]), []

    async def act(turn: Turn) -> None:
        running.append(lanes.running)
        begun.release()
        await go.wait()

    stage = Stage(sqlite, act, limits=replace(QUICK, in_a_rush=2), rush=rush)
    for n in range(5):
        await put(sqlite, question(f"r{n}", in_thread=n))
    with ExitStack() as arriving:
        for _ in range(MANY + 1):
            arriving.enter_context(rush.taking())
    async with stage.running() as lanes:
        for _ in range(2):
            await begun.acquire()
        assert running == [2, 2]
        now[0] += CALM
        for _ in range(3):
            await begun.acquire()
        assert lanes.running == 5
        go.set()
        await stage.until_said(5)


def test_some_questions_at_a_time_are_no_rush() -> None:
    now = [0.0]
    rush = Rush(lambda: now[0])
    with ExitStack() as arriving:
        for _ in range(MANY):
            arriving.enter_context(rush.taking())
        assert not rush.is_on
        arriving.enter_context(rush.taking())
    assert rush.is_on
    now[0] += CALM
    assert not rush.is_on
