"""What people think of answers."""

from typing import NamedTuple

from core.records import PersonId, Rating, TurnId
from core.storage.bodies import storable
from core.storage.database import Database, Statements

LONGEST = 4_000
"""Characters that are kept of what was typed."""


class Rated(NamedTuple):
    person: PersonId
    is_good: bool
    rated_at: float
    words: str = ""


async def put(db: Database, rating: Rating, *, now: float) -> bool:
    """Keep it in place of an earlier one of the same person. False where no such answer was given
    in that place."""
    kept = await db.execute(
        """
        INSERT INTO ratings (turn, person, is_good, rated_at, words)
        SELECT turn, ?, ?, ?, ? FROM turns WHERE turn = ? AND place = ?
        ON CONFLICT (turn, person)
        DO UPDATE SET is_good = excluded.is_good, rated_at = excluded.rated_at,
                      words = excluded.words
        """,
        (
            rating.person,
            int(rating.is_good),
            now,
            storable(rating.words[:LONGEST]),
            rating.turn,
            rating.place,
        ),
    )
    return kept == 1


async def of_turn(db: Statements, turn: TurnId) -> list[Rated]:
    """Oldest first."""
    rows = await db.fetch(
        "SELECT person, is_good, rated_at, words FROM ratings WHERE turn = ?"
        " ORDER BY rated_at, person",
        (turn,),
    )
    return [
        Rated(PersonId(row["person"]), bool(row["is_good"]), row["rated_at"], row["words"])
        for row in rows
    ]


async def prune(db: Statements, before: float) -> int:
    return await db.execute("DELETE FROM ratings WHERE rated_at < ?", (before,))
