"""Mints the token with which the bot speaks to the connector, once for all turns."""

import asyncio
import base64
import hashlib
import json
import time
import uuid
from typing import Any, Protocol, cast
from urllib.parse import urlencode

import aiohttp
import jwt
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from adapters import fields
from adapters.teams.settings import TeamsSettings
from core.errors import DeliveryFailed
from core.ports import Clock
from core.records import Json

RESOURCE = "https://api.botframework.com"
IDENTITY = "http://169.254.169.254/metadata/identity/oauth2/token"
EARLY = 300.0
"""Seconds before its end at which a token is replaced."""
MINT_SECONDS = 10.0
LARGEST = 65_536
_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class Tokens(Protocol):
    async def token(self, *, fresh: bool = False) -> str: ...


class Credentials:
    """One token for the whole process. `clock` is one that never goes back."""

    def __init__(
        self, settings: TeamsSettings, session: aiohttp.ClientSession, clock: Clock = time.monotonic
    ) -> None:
        self._settings = settings
        self._session = session
        self._clock = clock
        self._lock = asyncio.Lock()
        self._value = ""
        self._minted_at = float("-inf")
        self._good_until = float("-inf")

    async def token(self, *, fresh: bool = False) -> str:
        """`fresh`: the connector did not take the one that was given before. Raises
        `DeliveryFailed`."""
        asked_at = self._clock()
        async with self._lock:
            is_newer = self._minted_at >= asked_at
            if is_newer or (not fresh and self._clock() < self._good_until):
                return self._value
            value, seconds = await self._minted()
            self._minted_at = self._clock()
            self._value, self._good_until = value, self._minted_at + max(seconds - EARLY, 30.0)
            return value

    async def _minted(self) -> tuple[str, float]:
        try:
            async with asyncio.timeout(MINT_SECONDS):
                status, answer = await self._asked()
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise DeliveryFailed("no_token") from error
        value = fields.text(answer, "access_token")
        if status != 200 or not value:
            word = fields.text(answer, "error")[:40] or f"status_{status}"
            raise DeliveryFailed(f"no_token_{word}")
        try:
            seconds = float(answer.get("expires_in") or 0)
        except (TypeError, ValueError):
            seconds = 0.0
        return value, seconds

    async def _asked(self) -> tuple[int, Json]:
        given = self._settings
        if given.is_managed_identity:
            query = {"resource": RESOURCE, "client_id": given.app_id}
            version = "2019-08-01" if given.identity_endpoint else "2018-02-01"
            address = f"{given.identity_endpoint or IDENTITY}?" + urlencode(
                query | {"api-version": version}
            )
            secret = given.identity_secret
            headers = {"X-IDENTITY-HEADER": secret} if secret else {"Metadata": "true"}
            async with self._session.get(address, headers=headers, allow_redirects=False) as answer:
                return answer.status, await _object(answer)
        address = f"{given.login_url.rstrip('/')}/{given.tenant_id}/oauth2/v2.0/token"
        form = {
            "grant_type": "client_credentials",
            "client_id": given.app_id,
            "scope": f"{RESOURCE}/.default",
        }
        if given.certificate:
            proof = assertion(given.certificate, given.app_id, address, time.time())
            form |= {"client_assertion_type": _ASSERTION, "client_assertion": proof}
        else:
            form["client_secret"] = given.password
        async with self._session.post(address, data=form, allow_redirects=False) as answer:
            return answer.status, await _object(answer)


def assertion(pem: str, app_id: str, audience: str, now: float) -> str:
    """A statement of ours, signed with the certificate's key. Raises `ValueError`."""
    raw = pem.encode()
    certificate = x509.load_pem_x509_certificate(raw)
    key = serialization.load_pem_private_key(raw, None)
    print_of = hashlib.sha256(certificate.public_bytes(serialization.Encoding.DER)).digest()
    claims: Json = {
        "aud": audience,
        "iss": app_id,
        "sub": app_id,
        "jti": str(uuid.uuid4()),
        "nbf": int(now) - 60,
        "exp": int(now) + 600,
    }
    thumbprint = base64.urlsafe_b64encode(print_of).rstrip(b"=").decode()
    headers = {"x5t#S256": thumbprint}
    return jwt.encode(claims, cast(Any, key), algorithm="PS256", headers=headers)


async def _object(answer: aiohttp.ClientResponse) -> Json:
    read: Any = json.loads(await answer.content.read(LARGEST))
    return cast(Json, read) if isinstance(read, dict) else {}
