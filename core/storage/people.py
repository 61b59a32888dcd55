"""Who has written to the bot before."""

from core.records import PersonId
from core.storage.database import Statements


async def is_known(db: Statements, person: PersonId) -> bool:
    return await db.fetch_one("SELECT 1 AS met FROM people WHERE id = ?", (person,)) is not None


async def meet(tx: Statements, person: PersonId, *, now: float) -> bool:
    """True the first time that this person is met, and only then."""
    added = await tx.execute(
        "INSERT INTO people (id, met_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", (person, now)
    )
    return added == 1
