"""Which description of which tool was accepted, by whom."""

from core.storage.database import Statements


async def pinned(db: Statements) -> dict[str, str]:
    """The accepted digest of every tool, by `server/tool`."""
    rows = await db.fetch(
        "SELECT key, digest FROM pins"
        " WHERE seq IN (SELECT max(seq) FROM pins GROUP BY key) ORDER BY key"
    )
    return {row["key"]: row["digest"] for row in rows}


async def accept(db: Statements, key: str, digest: str, by: str, at: float) -> None:
    """Accept this digest from now on; the earlier ones stay on record."""
    await db.execute(
        "INSERT INTO pins (key, digest, accepted_by, accepted_at) VALUES (?, ?, ?, ?)",
        (key, digest, by, at),
    )
