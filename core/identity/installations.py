"""Keeps what each workspace gave when the app was installed there, sealed."""

from dataclasses import replace

from core.identity.custody import tokens_purpose
from core.identity.vault import KeyRing
from core.ports import Clock, Installation
from core.records import PersonId
from core.storage import tokens
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
        owner = _owner(team)
        found = await tokens.read(self._db, owner, PROVIDER)
        if found is None:
            return None
        opened = self._keys.unseal(found.body, tokens_purpose(owner, PROVIDER))
        return replace(unpacked(Installation, opened.decode()), team=team)

    async def keep(self, installation: Installation) -> None:
        owner = _owner(installation.team)
        body = packed(Installation, installation).encode()
        sealed = self._keys.seal(body, tokens_purpose(owner, PROVIDER))
        kept = tokens.SealedTokens(str(self._clock()), sealed)
        await tokens.put(self._db, owner, PROVIDER, kept, now=self._clock())

    async def remove(self, team: str) -> None:
        await tokens.erase(self._db, _owner(team), PROVIDER)


def _owner(team: str) -> PersonId:
    return PersonId(f"slack:{team}")
