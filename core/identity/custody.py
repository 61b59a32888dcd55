"""Keeps account links and tokens sealed, each bound to its person.

What the body of a row says is believed because it was sealed for that person; the columns beside
it only help to find it.
"""

import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from core.errors import Unreadable
from core.identity.claims import Account
from core.identity.vault import KeyRing
from core.records import PersonId
from core.storage import links, tokens
from core.storage.database import Database, Statements, Transaction
from core.storage.links import SealedLink
from core.storage.tokens import SealedTokens
from core.telemetry import logs

PROVIDER = "entra"
log = logs.get(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The tokens of one person, opened."""

    person: PersonId
    account: Account
    cache: str = field(repr=False)
    """MSAL's, serialised: refresh and access tokens."""
    granted: frozenset[str] = frozenset()
    """Every permission that an answer has named."""
    version: str = ""


def link_purpose(person: str) -> str:
    return json.dumps(["link", PROVIDER, person])


def tokens_purpose(person: str, provider: str = PROVIDER) -> str:
    return json.dumps(["tokens", provider, person])


class Custody:
    """The one place that seals and opens these rows."""

    def __init__(self, db: Database, keys: KeyRing) -> None:
        self._db = db
        self._keys = keys

    async def link(self, person: PersonId, *, within: Statements | None = None) -> Account | None:
        """Raises `Unreadable`."""
        row = await links.read(within or self._db, person)
        return None if row is None else self._account(row)

    async def links(
        self, person: PersonId, otherwise: Account | None
    ) -> tuple[Account | None, tuple[PersonId, ...]]:
        """The account that this person is linked to, else the other one; and everybody whose sealed
        link says that it is theirs: a row that cannot be opened, or says otherwise, joins nobody.
        In one read. Raises `Unreadable` for the person's own link."""
        rows = await links.together(self._db, person, otherwise.digest if otherwise else "")
        own = next((row for row in rows if row.person == person), None)
        account = otherwise if own is None else self._account(own)
        return account, self._same(rows, account)

    async def bind(self, db: Statements, person: PersonId, account: Account, *, now: float) -> bool:
        """Link the person to the account; False when they are linked to another one."""
        body = self._seal(asdict(account), link_purpose(person))
        return await links.bind(db, SealedLink(person, account.digest, body), now=now)

    async def kept(self, person: PersonId) -> Kept | None:
        """The tokens of this person. Raises `Unreadable`."""
        row = await tokens.read(self._db, person, PROVIDER)
        if row is None:
            return None
        opened = self._open(row.body, tokens_purpose(person))
        return Kept(
            person=person,
            account=_account(opened["account"]),
            cache=opened["cache"],
            granted=frozenset(opened["granted"]),
            version=row.version,
        )

    async def put(self, db: Statements, kept: Kept, *, now: float) -> None:
        await tokens.put(db, kept.person, PROVIDER, self._sealed(kept), now=now)

    async def renew(self, kept: Kept, *, now: float) -> bool:
        """Keep these in place of the version that they came from; False when that is gone. A power
        loss may bring that version back: Entra lets a refresh token be used again."""
        sealed = self._sealed(kept)

        async def renewed(tx: Transaction) -> bool:
            return await tokens.renew(
                tx, kept.person, PROVIDER, sealed, before=kept.version, now=now
            )

        return await self._db.write(renewed, is_durable=False)

    async def erase_tokens(self, kept: Kept) -> None:
        """Remove these tokens, unless others have taken their place."""
        await tokens.erase(self._db, kept.person, PROVIDER, version=kept.version)

    async def erase(self, db: Statements, person: PersonId) -> bool:
        """Remove everything of the person; False when there was nothing."""
        had_tokens = await tokens.erase(db, person, PROVIDER)
        return await links.erase(db, person) or had_tokens

    def _same(self, rows: Sequence[SealedLink], account: Account | None) -> tuple[PersonId, ...]:
        found: list[PersonId] = []
        for row in rows:
            try:
                if account is not None and self._account(row).is_same(account):
                    found.append(row.person)
            except Unreadable:
                log.error("link.unreadable", person=row.person)
        return tuple(found)

    def _sealed(self, kept: Kept) -> SealedTokens:
        plain = {
            "account": asdict(kept.account),
            "cache": kept.cache,
            "granted": sorted(kept.granted),
        }
        return SealedTokens(secrets.token_hex(8), self._seal(plain, tokens_purpose(kept.person)))

    def _account(self, row: SealedLink) -> Account:
        return _account(self._open(row.body, link_purpose(row.person)))

    def _seal(self, plain: dict[str, Any], purpose: str) -> bytes:
        return self._keys.seal(json.dumps(plain).encode(), purpose)

    def _open(self, body: bytes, purpose: str) -> dict[str, Any]:
        return json.loads(self._keys.unseal(body, purpose))


def _account(plain: dict[str, Any]) -> Account:
    return Account(
        tenant=plain["tenant"],
        oid=plain["oid"],
        address=plain["address"],
        name=plain["name"],
        addresses=tuple(plain["addresses"]),
    )
