"""A stand-in for Slack, the real adapter in front of a front door that takes notes."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlencode

import aiohttp
import pytest
from aiohttp import web

from adapters.slack.adapter import SlackAdapter
from adapters.slack.app import build
from adapters.slack.pacing import Pacing
from adapters.slack.settings import SlackSettings
from bot.workspace.slack.delivery import FORM, signature
from bot.workspace.slack_server import SlackStandIn
from tests.door import Door, Hand

JSON = "application/json"


@dataclass
class Bot:
    adapter: SlackAdapter
    door: Door
    hand: Hand
    url: str
    secret: str
    http: aiohttp.ClientSession
    answers: list[str] = field(default_factory=list)

    async def send(
        self,
        body: bytes,
        content_type: str = JSON,
        headers: Mapping[str, str] | None = None,
    ) -> int:
        """A signed request with exactly these bytes; the status."""
        signed = signature(self.secret, str(int(time.time())), body)
        sent = {"Content-Type": content_type, **signed, **(headers or {})}
        async with self.http.post(self.url, data=body, headers=sent) as response:
            self.answers.append(await response.text())
            return response.status

    async def send_json(self, body: object, headers: Mapping[str, str] | None = None) -> int:
        return await self.send(json.dumps(body).encode(), JSON, headers)

    async def send_form(self, fields: Mapping[str, str]) -> int:
        return await self.send(urlencode(fields).encode(), FORM)


async def at_once(_: float) -> None:
    await asyncio.sleep(0)


@asynccontextmanager
async def serving(adapter: SlackAdapter) -> AsyncIterator[str]:
    """The adapter's routes on a free port."""
    site = web.Application()
    site.add_routes(adapter.routes)
    runner = web.AppRunner(site, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    finally:
        await runner.cleanup()


def settings_for(slack: SlackStandIn) -> SlackSettings:
    return SlackSettings(
        bot_token=slack.app.bot_token,
        signing_secret=slack.app.signing_secret,
        api_url=slack.api_url,
    )


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    async with SlackStandIn(sleep=at_once) as stand_in:
        yield stand_in


@pytest.fixture
async def bot(slack: SlackStandIn) -> AsyncIterator[Bot]:
    door, hand = Door(), Hand()
    pacing = Pacing(hand, hand.sleep)
    adapter = build(settings_for(slack), door, time.time, pacing=pacing)
    await adapter.start()
    async with serving(adapter) as url, aiohttp.ClientSession() as http:
        slack.connect(url)
        yield Bot(adapter, door, hand, url, slack.app.signing_secret, http)
    await adapter.close()
