"""One bot of the bench of replicas, as far as the database is asked: `URL PORT accept|run`.

It accepts questions over HTTP, or runs turns that wait for nothing and posts that nobody reads.
"""

import asyncio
import random
import sys
import time
from typing import Any

from aiohttp import web

from core.errors import Unavailable
from core.records import (
    Answer,
    Person,
    PersonId,
    Place,
    Post,
    Question,
    ThreadId,
    Turn,
    TurnId,
)
from core.storage import inbox
from core.storage.database import Database, open_database
from core.turn.deliver import Courier
from core.turn.lanes import LaneLimits, Lanes

ADA = Person(id=PersonId("slack:T1/U1"), name="Ada")
SALES = Place(surface="slack", tenant="T1", channel="C1", kind="public", name="sales")


class Wall:
    """Takes every post at once."""

    name = "slack"

    async def deliver(self, post: Post, content: bytes | None) -> str:
        return post.id


def _question(delivery: str, thread: str) -> Question:
    return Question(
        delivery=delivery,
        thread=ThreadId(f"slack:T1/C1/{thread}"),
        place=SALES,
        person=ADA,
        text="How much did we sell in June?",
        address={"channel": "C1", "thread_ts": thread},
        said_at=time.time(),
    )


def _accepting(db: Database) -> web.Application:
    async def ask(request: web.Request) -> web.Response:
        name = request.match_info["name"]
        asked = _question(f"d{name}", name)
        try:
            await inbox.put(
                db, asked, TurnId(f"t{name}"), model="demo", agent="general", now=time.time()
            )
        except Unavailable:
            return web.Response(status=503)
        return web.Response(text="ok")

    app = web.Application()
    app.router.add_post("/ask/{name}", ask)
    return app


def _lanes(db: Database) -> Lanes:
    async def run(turn: Turn) -> None:
        question = turn.question
        said = Post(
            id=f"{turn.id}.answer",
            turn=turn.id,
            surface="slack",
            address=question.address,
            kind="answer",
            person=question.person.id,
            answer=Answer(text="So much."),
        )
        await inbox.finish(db, turn, "done", said.answer, [said], now=time.time())

    async def failed(turn: Turn, failure: Exception) -> None:
        raise failure

    return Lanes(
        db,
        clock=time.time,
        owner=db.owner,
        run_turn=run,
        on_failed=failed,
        on_dead=run,
        limits=LaneLimits(poll=0.2),
    )


async def main(url: str, port: int, work: str) -> None:
    db = await open_database(url)
    wall: Any = Wall()
    courier = Courier(db, wall, clock=time.time, chance=random.random)
    async with asyncio.TaskGroup() as group:
        if work == "run":
            group.create_task(_lanes(db).run())
            group.create_task(courier.run())
        runner = web.AppRunner(_accepting(db), access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
