"""Remembers what people lacked since they last connected: permissions, a further proof."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.ports import Clock
from core.records import PersonId
from core.storage import kept
from core.storage.database import Database, Transaction

_SURFACE = "accounts"


@dataclass(frozen=True, slots=True)
class Lack:
    scopes: frozenset[str] = frozenset()
    claims: str = ""
    """A claims challenge: only a browser answers it."""


class Lacking:
    """In the database: the link that asks for it may be made by another process."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def of(self, person: PersonId) -> Lack:
        """Raises `Unavailable`."""
        found = await kept.read(self._db, _SURFACE, _key(person)) or {}
        return Lack(frozenset(found.get("scopes", ())), found.get("claims", ""))

    async def more(self, person: PersonId, scopes: Iterable[str], claims: str) -> None:
        """Raises `Unavailable`."""
        before = await self.of(person)
        after = Lack(before.scopes.union(scopes), claims or before.claims)
        if after != before:
            await self._keep(person, after)

    async def proven(self, person: PersonId) -> None:
        """No further proof is asked for. Raises `Unavailable`."""
        before = await self.of(person)
        if before.claims:
            await self._keep(person, Lack(before.scopes))

    async def forget(self, person: PersonId) -> None:
        """Raises `Unavailable`."""
        await kept.forget(self._db, _SURFACE, _key(person))

    async def _keep(self, person: PersonId, lack: Lack) -> None:
        body = {"scopes": sorted(lack.scopes), "claims": lack.claims}

        async def keep(tx: Transaction) -> None:
            await kept.keep(tx, _SURFACE, _key(person), body, now=self._clock())

        await self._db.write(keep)


def _key(person: PersonId) -> str:
    return f"{kept.LASTING}{person}"
