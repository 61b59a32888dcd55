"""Teams' side of a measurement: signed deliveries, and a connector that says yes and counts."""

import asyncio
import json
import secrets
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import jwt
from aiohttp import ClientSession, web
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

PATH = "/api/messages"
APP = "5c1a7b60-2f1e-4a52-9d0f-7d9f6a1e4c11"
TENANT = "8f5b9a52-6f0c-4c6e-9a57-0d1f0c6b7e21"
_MENTION = "<at>Countersign</at>"


class Api:
    """Publishes its key, mints the bot's tokens, takes every activity, and counts the answers by
    the message that they belong to."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._numbers = count(1)
        self._kid = secrets.token_hex(6)
        self._key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
        self._answers: dict[str, set[str]] = {}
        """By the message that they answer, the ids of the messages that hold an answer."""

    def add_routes(self, site: web.Application) -> None:
        conversations = "/v3/conversations"
        site.router.add_get("/openid", self._about)
        site.router.add_get("/keys", self._keys)
        site.router.add_get("/signed", self._signed)
        site.router.add_get("/answers", self._counted)
        site.router.add_post("/{tenant}/oauth2/v2.0/token", self._mint)
        site.router.add_post(conversations, self._open)
        site.router.add_route("*", conversations + "/{conversation}/activities", self._take)
        site.router.add_route("*", conversations + "/{conversation}/activities/{id}", self._take)

    async def _about(self, _: web.Request) -> web.Response:
        return web.json_response({"jwks_uri": f"{self._base}/keys"})

    async def _keys(self, _: web.Request) -> web.Response:
        shown = json.loads(RSAAlgorithm.to_jwk(self._key.public_key()))
        return web.json_response(
            {"keys": [{**shown, "kid": self._kid, "endorsements": ["msteams"]}]}
        )

    async def _signed(self, request: web.Request) -> web.Response:
        """As many tokens as are asked for, each another one."""
        now, number = int(time.time()), int(request.query["count"])
        claims = {
            "iss": "https://api.botframework.com",
            "aud": APP,
            "serviceurl": f"{self._base}/",
            "nbf": now,
            "exp": now + 3_600,
        }
        made = [
            jwt.encode({**claims, "n": n}, self._key, "RS256", headers={"kid": self._kid})
            for n in range(number)
        ]
        return web.json_response(made)

    async def _mint(self, _: web.Request) -> web.Response:
        return web.json_response({"access_token": "t", "expires_in": 3_600})

    async def _open(self, _: web.Request) -> web.Response:
        return web.json_response({"id": f"a:{next(self._numbers)}"}, status=201)

    async def _take(self, request: web.Request) -> web.Response:
        said = await request.json()
        id = request.match_info.get("id") or f"9{next(self._numbers):012d}"
        root = request.match_info["conversation"].partition(";messageid=")[2]
        if said.get("entities"):
            self._answers.setdefault(root, set()).add(id)
        return web.json_response({"id": id}, status=201)

    async def _counted(self, _: web.Request) -> web.Response:
        return web.json_response({root: len(ids) for root, ids in self._answers.items()})


class TeamsSide:
    """Deliveries whose sender is proven by one of some tokens, in turn."""

    path = PATH

    def __init__(self, base: str, tokens: list[str]) -> None:
        self._base, self._tokens = base, tokens

    @property
    def environment(self) -> Mapping[str, str]:
        """Tells a bot that this is Teams."""
        return {
            "TEAMS_APP_ID": APP,
            "TEAMS_TENANT_ID": TENANT,
            "TEAMS_APP_PASSWORD": "p" * 32,
            "TEAMS_OPENID_URL": f"{self._base}/openid",
            "TEAMS_LOGIN_URL": self._base,
            "TEAMS_SERVICE_ORIGINS": self._base,
        }

    def event(self, number: int, text: str) -> tuple[str, bytes]:
        """A mention in a channel of its own, as Teams delivers it: its id and the body."""
        id, oid = f"{int(time.time())}{number:06d}", f"00000000-0000-0000-0000-{number % 200:012d}"
        bot = {"id": f"28:{APP}", "name": "Countersign"}
        channel = f"19:channel{number}@thread.tacv2"
        activity: dict[str, Any] = {
            "type": "message",
            "id": id,
            "channelId": "msteams",
            "serviceUrl": f"{self._base}/",
            "localTimezone": "Europe/Berlin",
            "locale": "en-GB",
            "from": {"id": f"29:1{oid}", "name": "Mara", "aadObjectId": oid},
            "recipient": bot,
            "conversation": {
                "id": f"{channel};messageid={id}",
                "conversationType": "channel",
                "tenantId": TENANT,
                "isGroup": True,
            },
            "channelData": {"tenant": {"id": TENANT}, "channel": {"id": channel}},
            "text": f"{_MENTION} {text}",
            "entities": [{"type": "mention", "text": _MENTION, "mentioned": bot}],
        }
        return id, json.dumps(activity).encode()

    def headers(self, body: bytes, retry: int = 0) -> dict[str, str]:
        token = self._tokens[hash(body) % len(self._tokens)]
        return {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}

    async def answered(self, session: ClientSession) -> dict[str, int]:
        """How often each message was answered so far."""
        async with session.get(f"{self._base}/answers") as response:
            return await response.json()


async def serve() -> None:
    """Serve until standard input ends; the first line printed is the port."""
    app = web.Application()
    runner = web.AppRunner(app, access_log=None)
    api = Api("")
    api.add_routes(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    api._base = f"http://127.0.0.1:{port}"
    print(port, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


@asynccontextmanager
async def teams(tokens: int) -> AsyncIterator[TeamsSide]:
    """A Teams in a process of its own; deliveries show that many different tokens."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.teams_side", stdin=pipe, stdout=pipe
    )
    assert process.stdin is not None and process.stdout is not None
    base = f"http://127.0.0.1:{int(await process.stdout.readline())}"
    try:
        async with (
            ClientSession() as session,
            session.get(f"{base}/signed", params={"count": str(tokens)}) as response,
        ):
            yield TeamsSide(base, await response.json())
    finally:
        process.stdin.close()
        await process.wait()


if __name__ == "__main__":
    asyncio.run(serve())
