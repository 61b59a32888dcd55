"""Price lists that an operator brought; the newest counts for uses from then on."""

from typing import NamedTuple

from core.storage.bodies import storable
from core.storage.database import Statements


class PriceList(NamedTuple):
    seq: int
    version: str
    body: str
    """As it was brought: JSON."""


async def add(db: Statements, version: str, body: str, by: str, *, now: float) -> None:
    """Earlier lists stay on record."""
    await db.execute(
        "INSERT INTO price_lists (version, body, added_by, added_at) VALUES (?, ?, ?, ?)",
        (version, storable(body), by, now),
    )


async def newest(db: Statements) -> PriceList | None:
    row = await db.fetch_one("SELECT * FROM price_lists ORDER BY seq DESC LIMIT 1")
    return None if row is None else PriceList(row["seq"], row["version"], row["body"])


async def newest_number(db: Statements) -> int:
    """0 while there is none."""
    row = await db.fetch_one("SELECT coalesce(max(seq), 0) AS seq FROM price_lists")
    return 0 if row is None else row["seq"]
