"""Which description of which tool was accepted, by whom."""

from core.storage.bodies import storable
from core.storage.database import Statements


async def pinned(db: Statements) -> dict[str, str]:
    """The accepted digest of every tool, by `server/tool`."""
    rows = await db.fetch(
        "SELECT key, digest FROM pins"
        " WHERE seq IN (SELECT max(seq) FROM pins GROUP BY key) ORDER BY key"
    )
    return {row["key"]: row["digest"] for row in rows}


async def accept(
    db: Statements, key: str, digest: str, by: str, at: float, listing: str = ""
) -> None:
    """Accept this digest from now on; the earlier ones stay on record. `listing` says what was
    accepted."""
    await db.execute(
        "INSERT INTO pins (key, digest, accepted_by, accepted_at, listing) VALUES (?, ?, ?, ?, ?)",
        (key, digest, by, at, storable(listing)),
    )


async def listing(db: Statements, key: str) -> str:
    """What was accepted last under this key; empty where that was not kept."""
    row = await db.fetch_one(
        "SELECT listing FROM pins WHERE key = ? ORDER BY seq DESC LIMIT 1", (key,)
    )
    return "" if row is None else row["listing"]
