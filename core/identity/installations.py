"""Keeps what each workspace gave when the app was installed there, sealed."""

import hashlib
import secrets
from dataclasses import replace

from core.identity.custody import tokens_purpose
from core.identity.vault import KeyRing
from core.ports import Clock, Installation
from core.records import PersonId
from core.storage import kept, tokens
from core.storage.bodies import packed, unpacked
from core.storage.database import Database

PROVIDER = "installation"


class Installations:
    """`core.ports.Installations`. A row among the tokens, under the workspace in the place of a
    person: sealed, read and sealed anew as those are."""

    def __init__(self, db: Database, keys: KeyRing, clock: Clock) -> None:
        self._db = db
        self._keys = keys
        self._clock = clock

    async def read(self, team: str) -> Installation | None:
        found = await tokens.read(self._db, _owner(team), PROVIDER)
        return None if found is None else self._opened(team, found)

    async def keep(self, installation: Installation) -> None:
        owner, sealed = _owner(installation.team), self._sealed(installation)
        await tokens.put(self._db, owner, PROVIDER, sealed, now=self._clock())

    async def renew(self, before: Installation, after: Installation) -> bool:
        owner = _owner(before.team)
        found = await tokens.read(self._db, owner, PROVIDER)
        if found is None or self._opened(before.team, found) != before:
            return False
        sealed, now = self._sealed(after), self._clock()
        return await tokens.renew(self._db, owner, PROVIDER, sealed, before=found.version, now=now)

    async def remove(self, team: str) -> None:
        await tokens.erase(self._db, _owner(team), PROVIDER)

    async def once(self, state: str) -> bool:
        key = f"install:{hashlib.sha256(state.encode()).hexdigest()}"
        return await kept.first(self._db, "slack", key, now=self._clock())

    def _opened(self, team: str, found: tokens.SealedTokens) -> Installation:
        opened = self._keys.unseal(found.body, tokens_purpose(_owner(team), PROVIDER))
        return replace(unpacked(Installation, opened.decode()), team=team)

    def _sealed(self, installation: Installation) -> tokens.SealedTokens:
        body = packed(Installation, installation).encode()
        sealed = self._keys.seal(body, tokens_purpose(_owner(installation.team), PROVIDER))
        return tokens.SealedTokens(secrets.token_hex(8), sealed)


def _owner(team: str) -> PersonId:
    return PersonId(f"slack:{team}")
