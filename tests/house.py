"""The whole bot in this process, on real sockets: what the scenario tests drive."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adapters.slack.pacing import Pacing as SlackPacing
from adapters.teams.pacing import Pacing as TeamsPacing
from bot import config, settings, wiring
from bot.chats import Pacings
from bot.lifecycle import Part, Standing
from bot.server import Server
from bot.wiring import Wired
from bot.workspace.slack_server import SlackStandIn
from bot.workspace.teams_server import TeamsStandIn
from core.ports import Clock
from core.specialists.sql.source import Source
from core.storage import outbox
from tests.fakes.mcp_modern import free_port
from tests.fakes.model_server import ModelServer
from tests.sides import Side, SlackSide, TeamsSide


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    slack: SlackStandIn
    teams: TeamsStandIn
    bot: Wired
    address: str
    side: Side
    """The platform on which a scenario asks."""

    async def ask(self, text: str, **how: Any) -> list[dict[str, Any]]:
        """Mention the bot in the channel sales and wait for its answer; the thread's messages by
        the bot."""
        person, channel = how.pop("person", "mara"), how.pop("channel", "sales")
        before = how.pop("answers", 0)
        thread = await self.side.say(person, channel, text, **how)
        return await self.answers(channel, thread, before + 1)

    async def settled(self, seconds: float = 10.0) -> None:
        """Until everything that is to be said has been said."""
        async with asyncio.timeout(seconds):
            db = self.bot.rooms.db
            while await db.fetch("SELECT 1 FROM outbox WHERE state = 'waiting'"):
                await db.wait(outbox.channel(self.side.name), 0.1)

    async def answers(
        self, channel: str, thread_ts: str, count: int = 1, seconds: float = 20.0
    ) -> list[dict[str, Any]]:
        """The bot's messages in the thread, once there are `count`."""

        def said() -> list[dict[str, Any]] | None:
            found = self.side.replies(channel, thread_ts)
            return found if len(found) >= count else None

        return await self.side.wait_for(said, seconds)


@asynccontextmanager
async def started(parts: Sequence[Part]) -> AsyncGenerator[None]:
    """Run the parts in order, and drain them in the opposite order."""
    running: list[tuple[asyncio.Event, asyncio.Task[None]]] = []
    async with asyncio.TaskGroup() as group:
        for part in parts:
            up, stop = asyncio.Event(), asyncio.Event()
            task = group.create_task(part.run(up.set, stop))
            running.append((stop, task))
            waiting = group.create_task(up.wait())
            await asyncio.wait({waiting, task}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
        try:
            yield
        finally:
            for stop, task in reversed(running):
                stop.set()
                await asyncio.wait({task})


@asynccontextmanager
async def house(
    folder: Path,
    *,
    models: ModelServer | None = None,
    yaml: str = "",
    environment: dict[str, str] | None = None,
    clock: Clock = time.time,
    side: str = "slack",
    sources: tuple[Source, ...] = (),
) -> AsyncGenerator[House]:
    """The bot on a fresh state under `folder`, with the local workspace as Slack and Teams.
    Scenarios ask on `side`.

    With `models` the default model is one that this server plays; else it is the demo model.
    """
    given = {"COUNTERSIGN_PORT": str(free_port()), "COUNTERSIGN_WORKSPACE_PORT": "0"}
    given["COUNTERSIGN_KEYS"] = "test:" + "A" * 43 + "="
    if models is not None:
        given |= {
            "COUNTERSIGN_MODEL": "openai:gpt-5.5",
            "OPENAI_API_KEY": "sk-" + "t" * 40,
            "OPENAI_BASE_URL": models.openai_url,
            "COUNTERSIGN_EMBEDDINGS": "openai:text-embedding-3-small",
        }
    if yaml:
        (folder / "countersign.yaml").write_text(yaml)
        given["COUNTERSIGN_CONFIG"] = str(folder / "countersign.yaml")
    read = settings.read(given | (environment or {}), folder=folder, is_workspace=True)
    pacings = Pacings(
        slack=SlackPacing(time.monotonic, _at_once), teams=TeamsPacing(time.monotonic, _at_once)
    )
    decided = config.read(read)
    decided = replace(decided, sources=(*decided.sources, *sources))
    async with wiring.build(read, decided, clock=clock, pacings=pacings) as bot:
        standing = Standing(is_up=True)
        server = Server(bot, standing, host=read.host, port=read.port)
        async with started([*bot.parts, server]):
            bot.greeting(server.address)
            assert bot.workspace is not None
            workspace = bot.workspace
            is_slack = side == "slack"
            yield House(
                slack=workspace.slack,
                teams=workspace.teams,
                bot=bot,
                address=server.address,
                side=SlackSide(workspace.slack) if is_slack else TeamsSide(workspace.teams),
            )


async def _at_once(_: float) -> None:
    """Posts keep their order; nobody waits for Slack's pace."""
