"""One process for two workspaces: each installs the bot by itself, is answered, and leaves."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from adapters.slack import manifest
from bot import config, doctor, settings
from bot.workspace.slack.install import installed
from bot.workspace.slack.records import Fault, Team
from bot.workspace.slack_server import SlackStandIn
from tests.fakes.model_script import say
from tests.fakes.model_server import ModelServer
from tests.whole.process import Process, free_port, running

LARKSPUR, ALDER = "T00000001", "T00000002"
FILE = f"slack: {{workspaces: [{LARKSPUR}, {ALDER}]}}\n"


@dataclass
class Both:
    folder: Path
    given: dict[str, str]
    larkspur: SlackStandIn
    alder: SlackStandIn

    @asynccontextmanager
    async def bot(self) -> AsyncIterator[Process]:
        async with running(self.folder, environment=self.given) as bot:
            for slack in (self.larkspur, self.alder):
                slack.connect(f"{bot.bot}/slack/events")
            yield bot

    async def install(self, team: str) -> str:
        """As an administrator's browser does it: the page that the bot leads to, and back."""
        jar = aiohttp.CookieJar(unsafe=True)
        start = f"{self.given['COUNTERSIGN_PUBLIC_URL']}/slack/install"
        async with aiohttp.ClientSession(cookie_jar=jar) as browser:
            async with browser.get(start, allow_redirects=False) as response:
                page = response.headers["Location"]
            assert page.startswith(f"{self.larkspur.base}/oauth/v2/authorize?")
            async with browser.get(f"{page}&team={team}") as response:
                return await response.text()

    async def ask(self, slack: SlackStandIn) -> str:
        ts = await slack.say("mara", "sales", "@Countersign how many?")
        await slack.wait_for(lambda: slack.replies("sales", ts), 30)
        [reply] = slack.replies("sales", ts)
        return reply["text"]

    async def told(self) -> list[str]:
        """What `countersign doctor` says."""
        read = settings.read(self.given, folder=self.folder, is_workspace=False)
        return await doctor.problems(read, config.read(read))


@pytest.fixture
async def both(tmp_path: Path) -> AsyncIterator[Both]:
    app = installed(manifest.of("https://countersign.example.com"))
    (tmp_path / "countersign.yaml").write_text(FILE)
    async with SlackStandIn(app=app) as larkspur, ModelServer(dimensions=1536) as models:
        models.answer(lambda _: say("Twelve."))
        port = free_port()
        given = {
            "SLACK_CLIENT_ID": app.client_id,
            "SLACK_CLIENT_SECRET": app.client_secret,
            "SLACK_SIGNING_SECRET": app.signing_secret,
            "SLACK_API_URL": larkspur.api_url,
            "COUNTERSIGN_PORT": str(port),
            "COUNTERSIGN_PUBLIC_URL": f"http://127.0.0.1:{port}",
            "COUNTERSIGN_KEYS": "test:" + "A" * 43 + "=",
            "COUNTERSIGN_MODEL": "openai:gpt-5.5",
            "COUNTERSIGN_EMBEDDINGS": "openai:text-embedding-3-small",
            "OPENAI_API_KEY": "sk-" + "t" * 40,
            "OPENAI_BASE_URL": models.openai_url,
        }
        alder = await larkspur.add_team(Team(id=ALDER, name="Alder & Co"))
        yield Both(tmp_path, given, larkspur, alder)


async def test_a_workspace_installs_is_answered_and_leaves_without_the_other(both: Both) -> None:
    async with both.bot() as bot:
        assert "Countersign is installed in Larkspur" in await both.install(LARKSPUR)
        assert await both.ask(both.larkspur) == "Twelve."
        # The other one has not installed it yet, and hears nothing.
        ts = await both.alder.say("mara", "sales", "@Countersign how many?")
        await both.alder.settled()
        assert both.alder.replies("sales", ts) == []

        assert "Countersign is installed in Alder &amp; Co" in await both.install(ALDER)
        assert await both.ask(both.alder) == "Twelve."
        assert await both.ask(both.larkspur) == "Twelve."
        assert both.larkspur.app.bot_token != both.alder.app.bot_token

        both.larkspur.uninstall()
        await both.larkspur.settled()
        ts = await both.larkspur.say("mara", "sales", "@Countersign how many?")
        await both.larkspur.settled()
        assert await both.ask(both.alder) == "Twelve."
        assert both.larkspur.replies("sales", ts) == []
        assert await bot.stop() == 0
    # What was given is kept: after a restart nobody has to install it again.
    async with both.bot() as bot:
        assert await both.ask(both.alder) == "Twelve."
        assert await bot.stop() == 0


async def test_the_doctor_looks_at_each_workspace(both: Both) -> None:
    page = f"{both.given['COUNTERSIGN_PUBLIC_URL']}/slack/install"
    missing = "The workspace {} has not installed the bot: open " + page + " there."
    ours = [told for told in await both.told() if "workspace" in told.casefold()]
    assert ours == [missing.format(team) for team in (LARKSPUR, ALDER)]
    async with both.bot() as bot:
        await both.install(LARKSPUR)
        await both.install(ALDER)
        both.alder.uninstall()
        await both.alder.settled()
        # Beside the bot that runs, and a workspace that took the token back unnoticed.
        both.larkspur.fail("auth.test", Fault(error="token_revoked"))
        ours = [told for told in await both.told() if "Larkspur" in told or ALDER in told]
        assert ours == [
            f"Larkspur Cycles: Slack does not take the workspace's token (token_revoked): open"
            f" {page} there.",
            missing.format(ALDER),
        ]
        assert await bot.stop() == 0
