"""A bot that Slack cannot reach: it has no address, opens a socket itself, and answers."""

import asyncio
import time
from pathlib import Path

from adapters.slack.manifest import over_a_socket
from adapters.slack.pacing import Pacing
from adapters.teams.pacing import Pacing as TeamsPacing
from bot import config, settings, wiring
from bot.chats import Pacings
from bot.workspace.slack.install import installed
from bot.workspace.slack_server import SlackStandIn
from tests.fakes.model_script import say
from tests.fakes.model_server import ModelServer
from tests.house import started


async def at_once(_: float) -> None:
    await asyncio.sleep(0)


async def test_a_question_over_a_socket_is_answered_once(tmp_path: Path) -> None:
    slack = SlackStandIn(app=installed(over_a_socket()), sleep=at_once)
    async with ModelServer(dimensions=1536) as models, slack:
        models.script([say("Four.")])
        given = {
            "SLACK_BOT_TOKEN": slack.app.bot_token,
            "SLACK_APP_TOKEN": slack.app.app_token,
            "SLACK_API_URL": slack.api_url,
            "COUNTERSIGN_KEYS": "test:" + "A" * 43 + "=",
            "COUNTERSIGN_MODEL": "openai:gpt-5.5",
            "OPENAI_API_KEY": "sk-" + "t" * 40,
            "OPENAI_BASE_URL": models.openai_url,
            "COUNTERSIGN_EMBEDDINGS": "openai:text-embedding-3-small",
        }
        read = settings.read(given, folder=tmp_path, is_workspace=False)
        pacings = Pacings(
            slack=Pacing(time.monotonic, at_once), teams=TeamsPacing(time.monotonic, at_once)
        )
        async with wiring.build(read, config.read(read), pacings=pacings) as bot:
            assert not [route for route in bot.routes if "slack" in str(route)]
            async with started(bot.parts):
                await slack.wait_for(lambda: slack.sockets.is_connected)
                ts = await slack.say("mara", "sales", "@Countersign how many?")
                await slack.wait_for(lambda: "Four." in str(slack.replies("sales", ts)), 20)
                await slack.settled()
                first = next(d for d in slack.deliveries if d.kind == "event")
                await slack.deliver(first.payload, retry=1)
                rows = await bot.rooms.db.fetch("SELECT id FROM inbox")
                assert len(rows) == 1
