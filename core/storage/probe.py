"""Asks the database for the one thing that readiness depends on: that it takes a write."""

from core.errors import CountersignError
from core.storage.database import Database


async def write_fault(db: Database, *, now: float) -> str:
    """Why a write was not taken; empty when it was committed."""
    try:
        await db.execute(
            "INSERT INTO probe (id, written_at) VALUES (1, ?)"
            " ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at",
            (now,),
        )
    except CountersignError as failure:
        return str(failure)
    return ""
