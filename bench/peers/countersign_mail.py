"""Countersign itself: the same sending function behind MCP, parked, decided at the desk and carried
out by the executor, as wired for service."""

import asyncio
from collections.abc import Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from mcp.server.mcpserver import MCPServer

from bench.peers.countersign import working
from bench.peers.mailing import PROMPT, TEXT, Mailing, Opened, Send
from bench.scripted import Scripted
from bench.stand import ANYTHING, Stand, asked, stand
from core.approvals.desk import Desk
from core.approvals.executor import Executor
from core.approvals.rooms import Strangers
from core.parked import Click
from core.records import PersonId
from core.specialists.server import tags

ASKER = PersonId("slack:T1/U1")


def _mail(send: Send) -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("office", version="1", log_level="ERROR")

    async def send_mail(text: str) -> str:
        """Send a mail to the buyer."""
        return await send(text)

    server.add_tool(send_mail, meta=tags("requires_approval", "connector:office"))
    return server


@asynccontextmanager
async def mailing(folder: Path, send: Send) -> Opened:
    model = Scripted(tool="send_mail", arguments={"text": TEXT})
    office = _mail(send)
    async with stand(folder / "state", model, server=office, policy=ANYTHING) as bot, working(bot):
        assert bot.rooms.approvals is not None
        # There is no Slack that could be asked who somebody is.
        approvals = replace(bot.rooms.approvals, people=Strangers())
        executor, desk = Executor(approvals), Desk(approvals)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(executor.run())
            yield _mailing(bot, desk)
            await executor.drain(20.0)
            await running


def _mailing(bot: Stand, desk: Desk) -> Mailing:
    async def calls() -> list[Any]:
        return await bot.rooms.db.fetch("SELECT id, revision, state FROM parked")

    async def until(holds: Callable[[list[str]], bool]) -> None:
        async with asyncio.timeout(60):
            while not holds([row["state"] for row in await calls()]):
                await asyncio.sleep(0.01)

    async def ask() -> None:
        await bot.door.accept(asked(1, "one", PROMPT))
        await until(bool)

    async def click() -> None:
        [row] = await calls()
        await desk.decide(
            Click(
                delivery=uuid4().hex,
                person=ASKER,
                place="slack:T1/C1",
                call=row["id"],
                revision=row["revision"],
                button="send",
            )
        )

    async def unknown() -> int:
        return [row["state"] for row in await calls()].count("unknown")

    async def settled() -> None:
        await until(lambda states: not {"approved", "executing"} & set(states))

    return Mailing(ask=ask, click=click, settled=settled, unknown=unknown)
