"""One app in two workspaces behind one Slack, installed as an administrator installs it."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import aiohttp

from adapters.slack import scopes
from adapters.slack.app import build_several
from adapters.slack.settings import Distribution, SlackSettings
from adapters.slack.workspaces import Workspaces
from bot.workspace.slack.records import Team
from bot.workspace.slack_server import SlackStandIn
from core.identity.installations import Installations
from core.identity.vault import KeyRing
from core.storage.database import Database, open_database
from tests.door import Door
from tests.slack.conftest import serving

ALDER, LARKSPUR, FOREIGN = "T00000002", "T00000001", "T00000009"
KEYS = KeyRing.parse("test:" + "A" * 43 + "=")


@dataclass
class Two:
    first: SlackStandIn
    second: SlackStandIn
    bot: Workspaces
    door: Door
    db: Database
    base: str
    now: list[float]

    async def install(self, slack: SlackStandIn, **changed: str) -> tuple[int, str]:
        """As an administrator's browser does it."""
        jar = aiohttp.CookieJar(unsafe=True)
        async with aiohttp.ClientSession(cookie_jar=jar) as browser:
            state = await self.state(browser)
            code = f"code-{slack.world.team.id}-{len(slack.world.calls)}"
            slack.world.oauth_codes.add(code)
            return await self.back(browser, **{"code": code, "state": state, **changed})

    async def state(self, browser: aiohttp.ClientSession) -> str:
        async with browser.get(f"{self.base}/slack/install", allow_redirects=False) as response:
            query = parse_qs(urlsplit(response.headers["Location"]).query)
        assert set(query["scope"][0].split(",")) == set(scopes.needed())
        return query["state"][0]

    async def back(self, browser: aiohttp.ClientSession, **query: str) -> tuple[int, str]:
        address = f"{self.base}/slack/oauth_redirect"
        async with browser.get(address, params=query) as response:
            return response.status, await response.text()


@asynccontextmanager
async def two_workspaces(slack: SlackStandIn, folder: Path) -> AsyncIterator[Two]:
    now = [time.time()]
    second = await slack.add_team(Team(id=ALDER, name="Alder & Co"))
    settings = SlackSettings(
        bot_token="",
        signing_secret=slack.app.signing_secret,
        api_url=slack.api_url,
        distribution=Distribution(
            client_id=slack.app.client_id,
            client_secret=slack.app.client_secret,
            public_url="http://localhost:1",
            teams=frozenset({LARKSPUR, ALDER}),
        ),
    )
    db = await open_database(f"sqlite:///{folder / 'state.db'}")
    door = Door()
    kept = Installations(db, KEYS, lambda: now[0])
    bot = build_several(settings, door, lambda: now[0], kept)
    await bot.start()
    async with serving(bot) as url:
        slack.connect(url)
        second.connect(url)
        base = url.removesuffix("/slack/events")
        yield Two(slack, second, bot, door, db, base, now)
        await slack.settled()
        await second.settled()
    await bot.close()
    await db.close()
