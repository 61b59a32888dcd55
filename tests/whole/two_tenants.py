"""The whole bot in this process for two workspaces, in which the same ids mean different people."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from adapters.slack import manifest
from adapters.slack.pacing import Pacing
from adapters.teams.pacing import Pacing as TeamsPacing
from bot import config, settings, wiring
from bot.chats import Pacings
from bot.lifecycle import Standing
from bot.server import Server
from bot.workspace.slack.install import installed
from bot.workspace.slack.records import Team
from bot.workspace.slack_server import SlackStandIn
from core.identity.installations import Installations
from core.identity.vault import KeyRing
from core.ports import Installation
from tests.fakes.model_server import ModelServer
from tests.house import started
from tests.slack.conftest import at_once
from tests.whole.process import free_port

LARKSPUR, ALDER = "T00000001", "T00000002"
KEYS = "test:" + "A" * 43 + "="


@dataclass
class Tenants:
    bot: wiring.Wired
    slacks: dict[str, SlackStandIn]
    """By workspace."""


@asynccontextmanager
async def tenants(folder: Path, models: ModelServer) -> AsyncIterator[Tenants]:
    app = installed(manifest.of("https://countersign.example.com"))
    (folder / "countersign.yaml").write_text(f"slack: {{workspaces: [{LARKSPUR}, {ALDER}]}}\n")
    began = time.time()
    async with SlackStandIn(app=app, sleep=at_once, clock=lambda: began) as larkspur:
        alder = await larkspur.add_team(Team(id=ALDER, name="Alder & Co"), bot=app.member)
        port = free_port()
        given = {
            "SLACK_CLIENT_ID": app.client_id,
            "SLACK_CLIENT_SECRET": app.client_secret,
            "SLACK_SIGNING_SECRET": app.signing_secret,
            "SLACK_API_URL": larkspur.api_url,
            "COUNTERSIGN_PORT": str(port),
            "COUNTERSIGN_PUBLIC_URL": f"http://127.0.0.1:{port}",
            "COUNTERSIGN_KEYS": KEYS,
            "COUNTERSIGN_MODEL": "openai:gpt-5.5",
            "COUNTERSIGN_EMBEDDINGS": "openai:text-embedding-3-small",
            "OPENAI_API_KEY": "sk-" + "t" * 40,
            "OPENAI_BASE_URL": models.openai_url,
        }
        read = settings.read(given, folder=folder, is_workspace=False)
        pacings = Pacings(
            slack=Pacing(time.monotonic, at_once), teams=TeamsPacing(time.monotonic, at_once)
        )
        slacks = {LARKSPUR: larkspur, ALDER: alder}
        async with wiring.build(read, config.read(read), pacings=pacings) as bot:
            kept = Installations(bot.rooms.db, KeyRing.parse(KEYS), time.time)
            for team, slack in slacks.items():
                await kept.keep(Installation(team=team, name=team, bot_token=slack.app.bot_token))
            server = Server(bot, Standing(is_up=True), host=read.host, port=port)
            async with started([*bot.parts, server]):
                for slack in slacks.values():
                    slack.connect(f"{server.address}/slack/events")
                yield Tenants(bot, slacks)
                for slack in slacks.values():
                    await slack.settled(20)
