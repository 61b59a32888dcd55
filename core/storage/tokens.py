"""Rows of sealed tokens: one for each person and provider."""

from typing import NamedTuple

from core.records import PersonId
from core.storage.database import Statements


class SealedTokens(NamedTuple):
    version: str
    """Made up anew by whoever writes; a write that was decided on an older one comes to nothing."""
    body: bytes


async def put(
    db: Statements, person: PersonId, provider: str, tokens: SealedTokens, *, now: float
) -> None:
    """Keep these tokens in place of any others of this person."""
    await db.execute(
        """
        INSERT INTO tokens (person, provider, version, body, saved_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (person, provider) DO UPDATE
        SET version = excluded.version, body = excluded.body, saved_at = excluded.saved_at
        """,
        (person, provider, tokens.version, tokens.body, now),
    )


async def read(db: Statements, person: PersonId, provider: str) -> SealedTokens | None:
    row = await db.fetch_one(
        "SELECT version, body FROM tokens WHERE person = ? AND provider = ?", (person, provider)
    )
    return None if row is None else SealedTokens(row["version"], bytes(row["body"]))


async def renew(
    db: Statements,
    person: PersonId,
    provider: str,
    tokens: SealedTokens,
    *,
    before: str,
    now: float,
) -> bool:
    """Replace the tokens of version `before`. False when they are no longer the ones that are
    kept: erased, or renewed by somebody else."""
    replaced = await db.execute(
        "UPDATE tokens SET version = ?, body = ?, saved_at = ?"
        " WHERE person = ? AND provider = ? AND version = ?",
        (tokens.version, tokens.body, now, person, provider, before),
    )
    return replaced == 1


async def erase(
    db: Statements, person: PersonId, provider: str, *, version: str | None = None
) -> bool:
    """Remove the tokens; with `version` only if they are still those."""
    if version is None:
        sql = "DELETE FROM tokens WHERE person = ? AND provider = ?"
        return await db.execute(sql, (person, provider)) == 1
    sql = "DELETE FROM tokens WHERE person = ? AND provider = ? AND version = ?"
    return await db.execute(sql, (person, provider, version)) == 1


class StoredTokens(NamedTuple):
    person: PersonId
    provider: str
    body: bytes


async def page(
    db: Statements, after: tuple[str, str] = ("", ""), limit: int = 500
) -> list[StoredTokens]:
    """The next rows in the order of person and provider, for a walk over all of them."""
    rows = await db.fetch(
        """
        SELECT person, provider, body FROM tokens
        WHERE person > ? OR (person = ? AND provider > ?)
        ORDER BY person, provider LIMIT ?
        """,
        (after[0], after[0], after[1], limit),
    )
    return [StoredTokens(r["person"], r["provider"], bytes(r["body"])) for r in rows]


async def reseal(db: Statements, stored: StoredTokens, body: bytes) -> bool:
    """Put another envelope around the same tokens; False when they have changed meanwhile."""
    replaced = await db.execute(
        "UPDATE tokens SET body = ? WHERE person = ? AND provider = ? AND body = ?",
        (body, stored.person, stored.provider, stored.body),
    )
    return replaced == 1
