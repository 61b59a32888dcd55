"""What people think of answers, kept with the turn that gave the answer."""

from typing import NamedTuple

from core.records import PersonId, TurnId
from core.storage.bodies import storable
from core.storage.database import Statements


class Opinion(NamedTuple):
    person: PersonId
    reaction: str
    """`like` or `dislike`."""
    words: str


async def keep(
    db: Statements, surface: str, platform_id: str, opinion: Opinion, *, now: float
) -> bool:
    """Keep or change somebody's opinion of the answer that the platform knows by this id; False
    where no post of ours has it."""
    added = await db.execute(
        """
        INSERT INTO opinions (turn, person, reaction, words, given_at)
        SELECT turn, ?, ?, ?, ? FROM outbox
        WHERE surface = ? AND platform_id = ? AND kind = 'answer' AND turn <> ''
        ORDER BY seq DESC LIMIT 1
        ON CONFLICT (turn, person) DO UPDATE
        SET reaction = excluded.reaction, words = excluded.words, given_at = excluded.given_at
        """,
        (
            opinion.person,
            opinion.reaction,
            storable(opinion.words),
            now,
            surface,
            platform_id,
        ),
    )
    return added == 1


async def of_turn(db: Statements, turn: TurnId) -> list[Opinion]:
    rows = await db.fetch(
        "SELECT person, reaction, words FROM opinions WHERE turn = ? ORDER BY given_at", (turn,)
    )
    return [Opinion(PersonId(row["person"]), row["reaction"], row["words"]) for row in rows]


async def prune(db: Statements, before: float) -> int:
    return await db.execute("DELETE FROM opinions WHERE given_at < ?", (before,))
