"""Who has written to the bot before."""

from core.records import PersonId
from core.storage.database import Database


async def meet(db: Database, person: PersonId, *, now: float) -> bool:
    """True the first time that this person is met, and only then."""
    known = await db.fetch_one("SELECT 1 AS met FROM people WHERE id = ?", (person,))
    if known is not None:
        return False
    added = await db.execute(
        "INSERT INTO people (id, met_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", (person, now)
    )
    return added == 1
