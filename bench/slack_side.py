"""Slack's side of a measurement: signed deliveries, and a Web API that says yes and counts."""

import asyncio
import hashlib
import hmac
import json
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

from aiohttp import ClientSession, web

PATH = "/slack/events"
SECRET = "5" * 32
TOKEN = "xoxb-bench-" + "0" * 32
WORKSPACES = tuple(f"T{number:02}" for number in range(1, 11))
"""Slack takes a few posts a second from a workspace and the bot keeps to that: what ten workspaces
ask in seconds one would be answered in minutes."""
THINKING = "Thinking…"
"""What a bot says before it has an answer."""


def mention(number: int, text: str, team: str = WORKSPACES[0]) -> tuple[str, bytes]:
    """A mention in a channel of its own, as Slack delivers it: its timestamp and the body."""
    ts = f"{int(time.time())}.{number:06d}"
    event = {
        "type": "app_mention",
        "user": f"U{number % 200}",
        "text": f"<@U0BOT> {text}",
        "ts": ts,
        "event_ts": ts,
        "channel": f"C{number}",
        "team": team,
    }
    envelope = {
        "type": "event_callback",
        "team_id": team,
        "api_app_id": "A1",
        "event_id": f"Ev{number}",
        "event_time": int(time.time()),
        "authorizations": [{"team_id": team, "user_id": "U0BOT", "is_bot": True}],
        "event": event,
    }
    return ts, json.dumps(envelope).encode()


def signed(body: bytes, retry: int = 0) -> dict[str, str]:
    """The headers of a delivery; above 0, of its retry of that number."""
    now = str(int(time.time()))
    mac = hmac.new(SECRET.encode(), b"v0:" + now.encode() + b":" + body, hashlib.sha256)
    headers = {
        "Content-Type": "application/json",
        "X-Slack-Request-Timestamp": now,
        "X-Slack-Signature": f"v0={mac.hexdigest()}",
    }
    if retry:
        headers |= {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"}
    return headers


class Api:
    """Answers every method, and counts the answers by the message that they belong to."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._threads: dict[str, str] = {}
        self._answers: Counter[str] = Counter()

    async def call(self, request: web.Request) -> web.Response:
        said = await _arguments(request)
        ts = f"9{int(time.time())}.{next(self._numbers):06d}"
        method = request.match_info["method"]
        if method == "chat.postMessage" and (thread := str(said.get("thread_ts", ""))):
            self._threads[ts] = thread
            self._answers[thread] += said.get("text") != THINKING
        elif method == "chat.update":
            self._answers[self._threads.get(str(said.get("ts")), "")] += 1
        own = {
            "user_id": "U0BOT",
            "bot_id": "B1",
            "team_id": WORKSPACES[0],
            "team": "T",
            "user": "bot",
        }
        scopes = {"X-OAuth-Scopes": "chat:write"}
        return web.json_response({"ok": True, "ts": ts, "url": "-", **own}, headers=scopes)

    async def answers(self, _: web.Request) -> web.Response:
        return web.json_response(self._answers)


async def _arguments(request: web.Request) -> Any:
    if request.content_type == "application/json":
        return await request.json()
    return {**request.query, **await request.post()}


async def serve() -> None:
    """Serve until standard input ends; the first line printed is the port."""
    api, app = Api(), web.Application()
    app.router.add_route("*", "/api/{method}", api.call)
    app.router.add_get("/answers", api.answers)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


@asynccontextmanager
async def web_api() -> AsyncIterator[str]:
    """The address of a Web API in a process of its own."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.slack_side", stdin=pipe, stdout=pipe
    )
    assert process.stdin is not None and process.stdout is not None
    port = int(await process.stdout.readline())
    try:
        yield f"http://127.0.0.1:{port}/api/"
    finally:
        process.stdin.close()
        await process.wait()


async def answered(session: ClientSession, api: str) -> dict[str, int]:
    """How often each message was answered so far."""
    async with session.get(api.replace("/api/", "/answers")) as response:
        return await response.json()


def environment(api: str) -> dict[str, str]:
    """Tells a bot that this is Slack."""
    return {"SLACK_BOT_TOKEN": TOKEN, "SLACK_SIGNING_SECRET": SECRET, "SLACK_API_URL": api}


class SlackSide:
    """Deliveries to a bot, as `bench.teams_side.TeamsSide` has them."""

    path = PATH

    def __init__(self, api: str) -> None:
        self._api = api

    @property
    def environment(self) -> Mapping[str, str]:
        return environment(self._api)

    def event(self, number: int, text: str) -> tuple[str, bytes]:
        return mention(number, text, WORKSPACES[number % len(WORKSPACES)])

    def headers(self, body: bytes, retry: int = 0) -> dict[str, str]:
        return signed(body, retry)

    async def answered(self, session: ClientSession) -> dict[str, int]:
        return await answered(session, self._api)


@asynccontextmanager
async def slack() -> AsyncIterator[SlackSide]:
    async with web_api() as api:
        yield SlackSide(api)


if __name__ == "__main__":
    asyncio.run(serve())
