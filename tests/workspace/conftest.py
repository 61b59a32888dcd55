"""A stand-in for Slack, the real Slack client pointed at it, and a real Bolt app behind it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.workspace.slack_server import SlackStandIn


async def at_once(_: float) -> None:
    """Slack's pauses between retries, without the wait."""
    await asyncio.sleep(0)


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    async with SlackStandIn(sleep=at_once) as stand_in:
        yield stand_in


@pytest.fixture
async def client(slack: SlackStandIn) -> AsyncIterator[AsyncWebClient]:
    async with aiohttp.ClientSession() as session:
        yield AsyncWebClient(
            token=slack.app.bot_token, base_url=slack.api_url, session=session, retry_handlers=[]
        )


@asynccontextmanager
async def listening(slack: SlackStandIn, app: AsyncApp) -> AsyncIterator[str]:
    """Bolt's own HTTP adapter on a free port, known to the stand-in."""

    async def endpoint(request: web.Request) -> web.Response:
        return await to_aiohttp_response(await app.async_dispatch(await to_bolt_request(request)))

    site = web.Application()
    site.router.add_post("/slack/events", endpoint)
    runner = web.AppRunner(site, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    slack.connect(url)
    try:
        yield url
    finally:
        await runner.cleanup()


@pytest.fixture
def bolt(slack: SlackStandIn, client: AsyncWebClient) -> AsyncApp:
    return AsyncApp(client=client, signing_secret=slack.app.signing_secret)
