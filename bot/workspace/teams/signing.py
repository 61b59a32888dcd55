"""Signs what the channel says, publishes the keys, and mints the bot's own tokens."""

import json
import secrets
from collections.abc import Callable
from typing import Any

import jwt
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from bot.workspace.teams.records import Json

ISSUER = "https://api.botframework.com"
TOKEN_SECONDS = 3_600


class Signing:
    """`clock` is wall time."""

    def __init__(self, app_id: str, secret: str, clock: Callable[[], float]) -> None:
        self.app_id, self.secret, self._clock = app_id, secret, clock
        self.base = ""
        self.endorsements = ["msteams"]
        self.tokens: dict[str, float] = {}
        """Tokens that the bot may show, with their end."""
        self.key_reads = 0
        self.token_reads = 0
        self.is_down = False
        self.token_seconds = TOKEN_SECONDS
        self.rotate()

    def rotate(self) -> None:
        """From now on another key signs, and the old one is not published any more."""
        self.key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
        self.kid = secrets.token_hex(6)

    def claims(self, service_url: str) -> Json:
        now = int(self._clock())
        return {
            "iss": ISSUER,
            "aud": self.app_id,
            "serviceurl": service_url,
            "nbf": now - 10,
            "exp": now + TOKEN_SECONDS,
        }

    def token(self, service_url: str, **headers: Any) -> str:
        return jwt.encode(
            self.claims(service_url), self.key, "RS256", headers={"kid": self.kid, **headers}
        )

    def add_routes(self, site: web.Application) -> None:
        site.router.add_get("/openid", self._about)
        site.router.add_get("/keys", self._keys)
        site.router.add_post("/{tenant}/oauth2/v2.0/token", self._mint)

    async def _about(self, request: web.Request) -> web.StreamResponse:
        self.key_reads += 1
        if self.is_down:
            return web.Response(status=503)
        return web.json_response({"issuer": ISSUER, "jwks_uri": f"{self.base}/keys"})

    async def _keys(self, request: web.Request) -> web.StreamResponse:
        key: Json = json.loads(RSAAlgorithm.to_jwk(self.key.public_key()))
        key |= {"kid": self.kid, "use": "sig", "endorsements": self.endorsements}
        return web.json_response({"keys": [key]})

    async def _mint(self, request: web.Request) -> web.StreamResponse:
        self.token_reads += 1
        form = await request.post()
        if form.get("client_id") != self.app_id or form.get("client_secret") != self.secret:
            return web.json_response({"error": "invalid_client"}, status=401)
        if form.get("scope") != f"{ISSUER}/.default":
            return web.json_response({"error": "invalid_scope"}, status=400)
        token = f"bot-{secrets.token_hex(12)}"
        self.tokens[token] = self._clock() + self.token_seconds
        return web.json_response(
            {"token_type": "Bearer", "expires_in": self.token_seconds, "access_token": token}
        )

    def knows(self, authorization: str) -> bool:
        return self.tokens.get(authorization.removeprefix("Bearer "), 0.0) > self._clock()
