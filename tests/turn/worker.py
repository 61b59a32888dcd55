"""A process whose lanes run until N turns have ended: `python -m tests.turn.worker URL NAME N`."""

import asyncio
import sys
import time

from core.records import Answer, Turn
from core.storage import inbox
from core.storage.database import open_database
from core.turn.lanes import LaneLimits, Lanes
from tests.storage.examples import post


async def main(url: str, name: str, count: int) -> None:
    db = await open_database(url)
    ended = 0
    is_done = asyncio.Event()

    async def end(turn: Turn, outcome: inbox.Outcome, text: str) -> None:
        nonlocal ended
        answer = Answer(text=text)
        if await inbox.finish(db, turn, outcome, answer, [post(turn.id)], now=time.time()):
            ended += 1
        if ended == count:
            is_done.set()

    async def run_turn(turn: Turn) -> None:
        print(f"{turn.id} {turn.attempt}", flush=True)
        await asyncio.sleep(0.05)
        await end(turn, "done", "answered")

    async def on_failed(turn: Turn, failure: Exception) -> None:
        await end(turn, "failed", "failed")

    async def on_dead(turn: Turn) -> None:
        await end(turn, "dead", "interrupted")

    lanes = Lanes(
        db,
        clock=time.time,
        owner=name,
        run_turn=run_turn,
        on_failed=on_failed,
        on_dead=on_dead,
        limits=LaneLimits(poll=0.02, lease=3.0),
    )
    async with asyncio.TaskGroup() as group:
        group.create_task(lanes.run())
        await is_done.wait()
        await lanes.drain(5.0)
    await db.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
