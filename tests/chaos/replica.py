"""One of several bots on one Postgres: lanes, courier, desk and executor: `NAME URL PORT PROVIDER`.

What it accepts, runs and brings says which replica that was.
"""

import asyncio
import sys
import time
from dataclasses import dataclass, replace

import aiohttp
from aiohttp import web

from core.approvals.asking import Patience as Asking
from core.approvals.desk import Desk
from core.approvals.executor import Executor, Pace
from core.approvals.rooms import Rooms
from core.cards import CallId
from core.errors import DeliveryFailed, Unavailable
from core.parked import Click
from core.records import Answer, PersonId, Post, Turn, TurnId
from core.storage import inbox
from core.storage.database import open_database
from core.turn.deliver import Courier, Patience
from core.turn.lanes import LaneLimits, Lanes
from tests.chaos.rooms import rooms
from tests.storage.examples import question

LEASE = 5.0
LIMITS = LaneLimits(concurrency=8, lease=LEASE, poll=0.5)
PATIENCE = Patience(lease=LEASE, first_pause=0.1, longest_pause=0.5, tries=1_000, poll=0.5)
PACE = Pace(
    lease=LEASE, poll=0.5, patience=Asking(repeats=(0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.0, 6.0))
)
STEPS = 3


@dataclass(frozen=True)
class Wall:
    """`core.ports.Surface`, as far as a courier needs it."""

    replica: str
    web: aiohttp.ClientSession
    address: str
    name: str = "slack"

    async def deliver(self, post: Post, content: bytes | None) -> str:
        try:
            if post.attempt or post.may_have_begun:
                async with self.web.get(f"{self.address}/posts/{post.id}") as answer:
                    if (await answer.json())["count"]:
                        return post.id
            text = f"{post.answer.text} {self.replica}"
            body = {"id": post.id, "thread": post.address["thread_ts"], "text": text}
            async with self.web.post(f"{self.address}/posts", json=body) as answer:
                await answer.read()
        except aiohttp.ClientError as failure:
            raise DeliveryFailed(type(failure).__name__) from failure
        return post.id


@dataclass(frozen=True)
class Replica:
    name: str
    rooms: Rooms
    wall: Wall

    def lanes(self) -> Lanes:
        return Lanes(
            self.rooms.db,
            clock=time.time,
            owner=self.rooms.db.owner,
            run_turn=self.run,
            on_failed=lambda turn, failure: self.end(turn, "failed"),
            on_dead=lambda turn: self.end(turn, "dead"),
            limits=LIMITS,
        )

    async def run(self, turn: Turn) -> None:
        for _ in range(STEPS):
            await asyncio.sleep(0.03)
        await self.end(turn, "done")

    async def end(self, turn: Turn, outcome: inbox.Outcome) -> None:
        answer = Answer(text=f"{turn.question.text} {self.name}")
        said = Post(
            id=f"{turn.id}.answer",
            turn=turn.id,
            surface="slack",
            address=turn.question.address,
            kind="answer",
            person=turn.question.person.id,
            answer=answer,
        )
        # Some were shown while they were written, and are left to this process for a while.
        begun = replace(said, may_have_begun=turn.id.endswith("0"))
        await inbox.finish(self.rooms.db, turn, outcome, answer, [begun], now=time.time())

    async def ask(self, request: web.Request) -> web.Response:
        body = await request.json()
        asked = question(body["delivery"], body["thread"], f"{body['delivery']} {self.name}")
        turn = TurnId(f"t_{body['delivery']}")
        try:
            await inbox.put(
                self.rooms.db, asked, turn, model="demo", agent="general", now=time.time()
            )
        except Unavailable:
            return web.Response(status=503)
        return web.json_response({})

    async def click(self, request: web.Request) -> web.Response:
        body = await request.json()
        clicked = Click(
            delivery=body["delivery"],
            person=PersonId(body["person"]),
            place="slack:T1/C1",
            call=CallId(body["call"]),
            revision=1,
            button="send",
        )
        try:
            verdict = await Desk(self.rooms).decide(clicked)
        except Unavailable:
            return web.Response(status=503)
        return web.json_response({"verdict": verdict.kind})


async def main(name: str, url: str, port: int, provider: str) -> None:
    db = await open_database(url)
    limit = aiohttp.ClientTimeout(total=5)
    async with (
        rooms(db, provider) as where,
        aiohttp.ClientSession(timeout=limit) as session,
        asyncio.TaskGroup() as group,
    ):
        await where.catalog.discover()
        replica = Replica(name, where, Wall(name, session, provider))
        courier = Courier(db, replica.wall, clock=time.time, chance=lambda: 0.5, patience=PATIENCE)  # pyright: ignore[reportArgumentType]
        for work in (replica.lanes().run, courier.run, Executor(where, PACE).run):
            group.create_task(work())
        app = web.Application()
        app.add_routes(
            [
                web.post("/ask", replica.ask),
                web.post("/click", replica.click),
                web.get("/livez", _alive),
            ]
        )
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()


async def _alive(request: web.Request) -> web.Response:
    return web.Response(text="ok")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]))
