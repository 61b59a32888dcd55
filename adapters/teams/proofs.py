"""Remembers which tokens have proven who sends, for as long as they and their keys hold."""

import hashlib
from collections import OrderedDict
from dataclasses import dataclass

from adapters.teams import verify
from adapters.teams.openid import Key, SigningKeys
from adapters.teams.verify import Caller, Unproven
from core.ports import Clock

REMEMBERED = 2_000


@dataclass(frozen=True, slots=True)
class _Proof:
    kid: str
    key: Key
    caller: Caller


class Proofs:
    """The channel shows a token for up to an hour. It is kept as its hash, never as it is."""

    def __init__(self, keys: SigningKeys, app_id: str, clock: Clock) -> None:
        self._keys = keys
        self._app_id = app_id
        self._clock = clock
        self._known: OrderedDict[bytes, _Proof] = OrderedDict()

    async def caller(self, given: str) -> Caller | Unproven:
        """Whose token it is. One that is known is looked at again in two things: its times, and
        whether the key that signed it is still the channel's."""
        digest = hashlib.sha256(given.encode()).digest()
        if (known := self._known.get(digest)) is not None:
            if await self._keys.of(known.kid) is known.key:
                is_current = verify.is_current(known.caller, self._clock())
                return known.caller if is_current else Unproven("expired")
            del self._known[digest]
        return await self._proven(given, digest)

    async def _proven(self, given: str, digest: bytes) -> Caller | Unproven:
        kid = verify.key_id(given)
        if kid is None:
            return Unproven("no_token")
        key = await self._keys.of(kid)
        if key is None:
            return Unproven("unknown_key")
        found = verify.caller(given, key, self._app_id, self._clock())
        if isinstance(found, Caller):
            self._known[digest] = _Proof(kid, key, found)
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return found
