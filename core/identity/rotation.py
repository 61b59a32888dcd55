"""Seals every kept value with the key that stands first."""

from collections import Counter
from typing import Literal

from core.errors import Unreadable
from core.identity.custody import link_purpose, tokens_purpose
from core.identity.vault import KeyRing
from core.storage import links, tokens
from core.storage.database import Database

_PASSES = 5
Tally = Counter[Literal["resealed", "missed", "unreadable"]]


async def rotate(db: Database, keys: KeyRing) -> int:
    """How many rows were sealed anew. When it returns, no row needs an older key.

    Safe beside a running bot: a row that changes meanwhile is found again. Sign-ins under way end
    within ten minutes and checkpoints with their turn; they are not touched. Raises `Unreadable`
    with the number of rows that no key of the ring opens, after all others are done.
    """
    resealed = 0
    for _ in range(_PASSES):
        tally = await _tokens(db, keys) + await _links(db, keys)
        resealed += tally["resealed"]
        if tally["unreadable"]:
            count = tally["unreadable"]
            raise Unreadable(f"{count} sealed rows cannot be read with the keys that are given.")
        if not tally["missed"]:
            return resealed
    raise Unreadable("Sealed rows change faster than they can be sealed anew; run this again.")


async def _tokens(db: Database, keys: KeyRing) -> Tally:
    tally, after, is_more = Tally(), ("", ""), True
    while is_more:
        async with db.transaction() as tx:
            rows = await tokens.page(tx, after)
            for row in rows:
                body = _anew(keys, row.body, tokens_purpose(row.person, row.provider), tally)
                if body:
                    tally["resealed" if await tokens.reseal(tx, row, body) else "missed"] += 1
        is_more = bool(rows)
        after = (rows[-1].person, rows[-1].provider) if rows else after
    return tally


async def _links(db: Database, keys: KeyRing) -> Tally:
    tally, after, is_more = Tally(), "", True
    while is_more:
        async with db.transaction() as tx:
            rows = await links.page(tx, after)
            for row in rows:
                body = _anew(keys, row.body, link_purpose(row.person), tally)
                if body:
                    tally["resealed" if await links.reseal(tx, row, body) else "missed"] += 1
        is_more = bool(rows)
        after = rows[-1].person if rows else after
    return tally


def _anew(keys: KeyRing, body: bytes, purpose: str, tally: Tally) -> bytes:
    """The new envelope; empty where there is nothing to do or nothing that can be done."""
    try:
        return b"" if keys.is_current(body) else keys.seal(keys.unseal(body, purpose), purpose)
    except Unreadable:
        tally["unreadable"] += 1
        return b""
