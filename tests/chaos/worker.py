"""The bot that the storm kills: desk and executor behind one address, `DATABASE PORT PROVIDER`."""

import asyncio
import sys

from aiohttp import web

from core.approvals.asking import Patience
from core.approvals.desk import Desk
from core.approvals.executor import Executor, Pace
from core.cards import CallId
from core.errors import Unavailable
from core.parked import Click
from core.records import PersonId
from core.storage.database import open_database
from tests.chaos.rooms import rooms

PACE = Pace(
    concurrency=32,
    poll=0.2,
    patience=Patience(repeats=(0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.0, 6.0)),
)


async def main(url: str, port: int, provider: str) -> None:
    db = await open_database(url)
    async with rooms(db, provider) as where, asyncio.TaskGroup() as group:
        await where.catalog.discover()
        desk, executor = Desk(where), Executor(where, PACE)
        running = group.create_task(executor.run())

        async def click(request: web.Request) -> web.Response:
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
                verdict = await desk.decide(clicked)
            except Unavailable:
                return web.Response(status=503)
            return web.json_response({"verdict": verdict.kind})

        async def alive(request: web.Request) -> web.Response:
            return web.Response(text="ok")

        app = web.Application()
        app.router.add_post("/click", click)
        app.router.add_get("/livez", alive)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        await running


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
