"""Rows of account links: which person is which account."""

from typing import NamedTuple

from core.records import PersonId
from core.storage.database import Statements


class SealedLink(NamedTuple):
    person: PersonId
    account: str
    """Digest of the account, to find every person of it."""
    body: bytes


async def bind(db: Statements, link: SealedLink, *, now: float) -> bool:
    """Keep this link; False when the person is linked to another account."""
    bound = await db.execute(
        """
        INSERT INTO links (person, account, body, linked_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (person) DO UPDATE SET body = excluded.body, linked_at = excluded.linked_at
        WHERE links.account = excluded.account
        """,
        (link.person, link.account, link.body, now),
    )
    return bound == 1


async def read(db: Statements, person: PersonId) -> SealedLink | None:
    row = await db.fetch_one("SELECT account, body FROM links WHERE person = ?", (person,))
    return None if row is None else SealedLink(person, row["account"], bytes(row["body"]))


async def together(db: Statements, person: PersonId, account: str) -> list[SealedLink]:
    """The link of this person, and every link to the account that it names; where there is none, to
    the account given."""
    rows = await db.fetch(
        """
        SELECT person, account, body FROM links
        WHERE account = coalesce((SELECT account FROM links WHERE person = ?), ?)
        ORDER BY person
        """,
        (person, account),
    )
    return [SealedLink(row["person"], row["account"], bytes(row["body"])) for row in rows]


async def erase(db: Statements, person: PersonId) -> bool:
    return await db.execute("DELETE FROM links WHERE person = ?", (person,)) == 1


async def page(db: Statements, after: str = "", limit: int = 500) -> list[SealedLink]:
    """The next rows in the order of persons, for a walk over all of them."""
    rows = await db.fetch(
        "SELECT person, account, body FROM links WHERE person > ? ORDER BY person LIMIT ?",
        (after, limit),
    )
    return [SealedLink(row["person"], row["account"], bytes(row["body"])) for row in rows]


async def reseal(db: Statements, link: SealedLink, body: bytes) -> bool:
    """Put another envelope around the same link; False when it has changed meanwhile."""
    replaced = await db.execute(
        "UPDATE links SET body = ? WHERE person = ? AND body = ?", (body, link.person, link.body)
    )
    return replaced == 1
