"""The keys that the channel signs with: fetched beside the requests, kept while they cannot be."""

import asyncio
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, cast
from urllib.parse import urlsplit

import aiohttp
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt.algorithms import RSAAlgorithm
from jwt.exceptions import InvalidKeyError

from adapters import fields
from adapters.links import is_loopback
from core.ports import Clock
from core.records import Json

log = logging.getLogger(__name__)
KEPT_SECONDS = 6 * 3_600.0
GAP = 30.0
"""Seconds between two fetches, however many unknown keys are named meanwhile."""
FIRST_GAP = 1.0
"""The same while there is no key at all."""
FETCH_SECONDS = 5.0
LARGEST = 1_048_576
SHORTEST_KEY = 2_048


@dataclass(frozen=True, slots=True)
class Key:
    public: RSAPublicKey
    endorsements: frozenset[str]
    """The channels that this key may speak for."""


class SigningKeys:
    """Enter it before the first delivery. `clock` should be one that never goes back."""

    def __init__(self, url: str, clock: Clock, *, gap: float = GAP) -> None:
        self._url = url
        self._clock = clock
        self._gap = gap
        self._keys: Mapping[str, Key] = {}
        self._tried_at = float("-inf")
        self._lock = asyncio.Lock()
        self._session: aiohttp.ClientSession | None = None
        self._renewing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        is_here = is_loopback(urlsplit(self._url).hostname or "")
        self._session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=FETCH_SECONDS), trust_env=not is_here
        )
        self._renewing = asyncio.create_task(self._renew(), name="teams.keys")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.wait([self._renewing])
        if self._session is not None:
            await self._session.close()

    async def of(self, kid: str) -> Key | None:
        """The key of that id; None for one that the channel does not have."""
        if (known := self._keys.get(kid)) is not None:
            return known
        await self._fetch()
        return self._keys.get(kid)

    async def is_known(self) -> bool:
        """Whether the channel's keys could be read."""
        await self._fetch()
        return bool(self._keys)

    async def _renew(self) -> None:
        while True:
            await self._fetch()
            await asyncio.sleep(KEPT_SECONDS if self._keys else self._gap)

    async def _fetch(self) -> None:
        """At most once in a while; whoever comes meanwhile waits for the same answer."""
        async with self._lock:
            gap = self._gap if self._keys else min(self._gap, FIRST_GAP)
            if self._clock() - self._tried_at < gap:
                return
            self._tried_at = self._clock()
            try:
                found = await self._asked()
            except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
                reason = type(error).__name__
                log.warning("teams.no_keys", extra={"fields": {"reason": reason}})
                return
            if found:
                self._keys = found

    async def _asked(self) -> dict[str, Key]:
        """Raises `ValueError` for an answer that is none."""
        about = await self._read(self._url)
        address = fields.text(about, "jwks_uri")
        here, there = urlsplit(self._url), urlsplit(address)
        if (here.scheme, here.netloc) != (there.scheme, there.netloc):
            raise ValueError("the keys are elsewhere")
        listed = fields.children(await self._read(address), "keys")
        found = {fields.text(one, "kid"): _key(one) for one in listed}
        return {kid: key for kid, key in found.items() if kid and key is not None}

    async def _read(self, address: str) -> Json:
        if self._session is None:
            raise RuntimeError("the keys were asked for before they were entered")
        async with self._session.get(address, allow_redirects=False) as answer:
            raw = await answer.content.read(LARGEST)
            if answer.status != 200:
                raise ValueError(f"status {answer.status}")
        read: Any = json.loads(raw)
        if not isinstance(read, dict):
            raise ValueError("no object")
        return cast(Json, read)


def _key(of: Json) -> Key | None:
    if fields.text(of, "kty") != "RSA":
        return None
    try:
        public = RSAAlgorithm.from_jwk(of)
    except (InvalidKeyError, ValueError):
        return None
    if not isinstance(public, RSAPublicKey) or public.key_size < SHORTEST_KEY:
        return None
    named: Any = of.get("endorsements")
    listed = cast("list[Any]", named) if isinstance(named, list) else []
    return Key(public, frozenset(one for one in listed if isinstance(one, str)))
