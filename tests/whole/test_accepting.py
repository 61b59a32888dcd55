"""Questions are accepted fast while others are being answered."""

import asyncio
import hashlib
import hmac
import json
import time
from pathlib import Path

import aiohttp
import pytest

from bot.workspace.slack.records import App
from bot.workspace.slack_server import SlackStandIn
from tests.fakes.model_script import say
from tests.fakes.model_server import ModelServer
from tests.whole.process import running

RATE = 50
"""Events a second."""
LONGEST = 2.5
"""Seconds. Slack's own patience is 3 s."""


def delivery(app: App, number: int) -> tuple[bytes, dict[str, str]]:
    """A signed mention of the bot, each in a thread of its own."""
    now = time.time()
    ts = f"{now:.0f}.{number:06d}"
    event = {
        "type": "app_mention",
        "channel": "C0SALES",
        "user": "U0MARA",
        "text": f"<@{app.member}> how many orders came in on day {number}?",
        "ts": ts,
        "event_ts": ts,
    }
    body = json.dumps(
        {
            "type": "event_callback",
            "team_id": "T00000001",
            "api_app_id": app.id,
            "event_id": f"Ev{number:010d}",
            "event_time": int(now),
            "authorizations": [{"team_id": "T00000001", "user_id": app.member, "is_bot": True}],
            "event": event,
        }
    ).encode()
    stamp = str(int(now))
    signed = hmac.new(
        app.signing_secret.encode(), b"v0:" + stamp.encode() + b":" + body, hashlib.sha256
    )
    return body, {
        "Content-Type": "application/json",
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": f"v0={signed.hexdigest()}",
    }


async def accepted(folder: Path, seconds: float) -> tuple[list[float], int]:
    """How long each acknowledgement took, shortest first, at the promised rate for that long,
    while the bot answers what it has accepted; and how many were no acknowledgement."""
    app = App()
    async with SlackStandIn(app=app) as slack, ModelServer(dimensions=1536) as models:
        models.answer(lambda _: say("Twelve."))
        environment = {
            "SLACK_BOT_TOKEN": app.bot_token,
            "SLACK_SIGNING_SECRET": app.signing_secret,
            "SLACK_API_URL": slack.api_url,
            "COUNTERSIGN_MODEL": "openai:gpt-5.5",
            "COUNTERSIGN_EMBEDDINGS": "openai:text-embedding-3-small",
            "OPENAI_API_KEY": "sk-" + "t" * 40,
            "OPENAI_BASE_URL": models.openai_url,
        }
        async with running(folder, environment=environment) as bot:
            taken, refused = await _storm(f"{bot.bot}/slack/events", app, int(RATE * seconds))
            bot.kill()
    return sorted(taken), refused


async def _storm(address: str, app: App, events: int) -> tuple[list[float], int]:
    taken: list[float] = []
    refused = 0
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def deliver(number: int) -> None:
            nonlocal refused
            body, headers = delivery(app, number)
            began = time.perf_counter()
            async with session.post(address, data=body, headers=headers) as response:
                refused += response.status != 200
            taken.append(time.perf_counter() - began)

        loop = asyncio.get_running_loop()
        start = loop.time()
        async with asyncio.TaskGroup() as group:
            for number in range(events):
                group.create_task(deliver(number))
                await asyncio.sleep(max(0.0, start + (number + 1) / RATE - loop.time()))
    return taken, refused


@pytest.mark.promise("L6", "bot")
async def test_fifty_questions_a_second_are_accepted_before_slack_asks_again(
    tmp_path: Path,
) -> None:
    taken, refused = await accepted(tmp_path, 6.0)
    # The percentile belongs to a machine of its own: tests.whole.ten_minutes.
    assert (len(taken), refused) == (6 * RATE, 0)
    assert taken[-1] < LONGEST
