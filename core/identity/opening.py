"""Counts what the given keys do not open."""

from core.errors import Unreadable
from core.identity.custody import link_purpose, tokens_purpose
from core.identity.vault import KeyRing
from core.storage import links, tokens
from core.storage.database import Database


async def sealed_shut(db: Database, keys: KeyRing) -> int:
    """How many links and tokens of people stay shut. Changes nothing."""
    return await _tokens(db, keys) + await _links(db, keys)


async def _tokens(db: Database, keys: KeyRing) -> int:
    shut, after = 0, ("", "")
    while rows := await tokens.page(db, after):
        shut += sum(
            not _opens(keys, row.body, tokens_purpose(row.person, row.provider)) for row in rows
        )
        after = (rows[-1].person, rows[-1].provider)
    return shut


async def _links(db: Database, keys: KeyRing) -> int:
    shut, after = 0, ""
    while rows := await links.page(db, after):
        shut += sum(not _opens(keys, row.body, link_purpose(row.person)) for row in rows)
        after = rows[-1].person
    return shut


def _opens(keys: KeyRing, body: bytes, purpose: str) -> bool:
    try:
        keys.unseal(body, purpose)
    except Unreadable:
        return False
    return True
