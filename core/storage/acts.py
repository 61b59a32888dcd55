"""What admins did: rows that stay, the newest of which about a subject lie over the file."""

from collections.abc import Sequence
from typing import NamedTuple

from core.records import Json
from core.storage.bodies import storable
from core.storage.database import Row, Statements


class Act(NamedTuple):
    """One thing that an admin did."""

    topic: str
    """`switch`, `budget`, `channel`, `accept`, `forget`, `prices`, `policy`."""
    subject: str
    value: str
    """Empty: what was laid over the file is taken away."""
    why: str
    person: str
    """Who: a person, or `operator:<name>` for the command line."""
    at: float


async def add(tx: Statements, act: Act) -> None:
    """Raises what the database raises; committed with the transaction."""
    await tx.execute(
        "INSERT INTO acts (topic, subject, value, why, person, at) VALUES (?, ?, ?, ?, ?, ?)",
        (*map(storable, act[:5]), act.at),
    )


async def newest(db: Statements) -> int:
    """A number that changes with every act."""
    row = await db.fetch_one("SELECT coalesce(max(seq), 0) AS seq FROM acts")
    return 0 if row is None else row["seq"]


async def standing(db: Statements, topics: Sequence[str]) -> list[Act]:
    """The newest act about each subject, the oldest first, without those that took theirs away."""
    rows = await db.fetch(
        "SELECT * FROM acts WHERE seq IN (SELECT max(seq) FROM acts GROUP BY topic, subject)"
        " AND value <> '' ORDER BY seq"
    )
    return [_act(row) for row in rows if row["topic"] in topics]


async def latest(db: Statements, limit: int = 20) -> list[Act]:
    """The newest acts, the newest first."""
    rows = await db.fetch("SELECT * FROM acts ORDER BY seq DESC LIMIT ?", (limit,))
    return [_act(row) for row in rows]


async def export(db: Statements, since: float = 0.0) -> list[Json]:
    """Every act since then, the oldest first."""
    rows = await db.fetch("SELECT * FROM acts WHERE at >= ? ORDER BY seq", (since,))
    return [_act(row)._asdict() for row in rows]


def _act(row: Row) -> Act:
    return Act(**{name: row[name] for name in Act._fields})
