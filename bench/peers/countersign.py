"""Countersign itself: accepted, claimed by a lane and answered, with policy, ledger, evidence and
log as in service, between a scripted model and a silent chat."""

import asyncio
import secrets
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count
from pathlib import Path

from langchain_core.messages import BaseMessage

from bench.peers.kinds import Script, Turn
from bench.peers.spoken import spoken
from bench.scripted import Scripted
from bench.stand import Stand, asked, stand
from core.records import Post
from core.records import Turn as Claimed
from core.turn import run
from core.turn.deliver import Courier
from core.turn.lanes import Lanes


@asynccontextmanager
async def agent(folder: Path, script: Script, *, embeds: bool = False) -> AsyncIterator[Turn]:
    def hears(messages: Sequence[BaseMessage]) -> None:
        script.hear([spoken(message) for message in messages])

    model = Scripted(seconds=script.seconds, says=script.answer, hears=hears)
    async with stand(folder / "state", model, embeds=embeds) as bot, working(bot):
        numbers, answered = count(1), defaultdict[str, asyncio.Event](asyncio.Event)

        def on_post(post: Post) -> None:
            if post.kind == "answer":
                answered[post.turn].set()

        bot.chat.on_post = on_post

        async def turn(thread: str, question: str) -> None:
            receipt = await bot.door.accept(asked(next(numbers), thread, question))
            assert receipt.turn is not None
            await answered[receipt.turn].wait()
            del answered[receipt.turn]

        yield turn


def embedding_agent(folder: Path, script: Script) -> AbstractAsyncContextManager[Turn]:
    """The same with the offline embedder in place of a stub."""
    return agent(folder, script, embeds=True)


@asynccontextmanager
async def working(
    bot: Stand, on_start: "list[tuple[Claimed, float]] | None" = None
) -> AsyncIterator[None]:
    """Lanes and courier at work, as `bot.wiring` sets them up."""
    rooms = bot.rooms

    async def run_turn(turn: Claimed) -> None:
        if on_start is not None:
            on_start.append((turn, time.time()))
        await run.run(rooms, turn)

    lanes = Lanes(
        rooms.db,
        clock=time.time,
        owner=secrets.token_hex(8),
        run_turn=run_turn,
        on_failed=lambda turn, failure: run.fail(rooms, turn, failure),
        on_dead=lambda turn: run.bury(rooms, turn),
    )
    courier = Courier(rooms.db, bot.chat, clock=time.time, chance=lambda: 0.5)
    async with asyncio.TaskGroup() as group:
        group.create_task(lanes.run())
        group.create_task(courier.run())
        try:
            yield
        finally:
            await lanes.drain(20.0)
            await courier.drain(5.0)
