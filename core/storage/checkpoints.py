"""Rows of sealed checkpoints: the newest of a turn.

They are committed without waiting for the disk: a power loss costs rounds that are run again,
and nothing else.
"""

from typing import NamedTuple

from core.records import TurnId
from core.storage.database import Database, Statements


class Sealed(NamedTuple):
    id: str
    body: bytes


_PUT = """
    INSERT INTO checkpoints (turn, namespace, id, body) VALUES (?, ?, ?, ?)
    ON CONFLICT (turn, namespace) DO UPDATE SET id = excluded.id, body = excluded.body
    WHERE excluded.id >= checkpoints.id
"""


async def put(db: Database, turn: TurnId, namespace: str, checkpoint: Sealed) -> None:
    """Keep the checkpoint in place of an older one. Ids sort by age; an older one that comes late
    changes nothing."""
    row = (turn, namespace, checkpoint.id, checkpoint.body)
    await db.write(lambda tx: tx.execute(_PUT, row), is_durable=False)


async def newest(db: Statements, turn: TurnId, namespace: str) -> Sealed | None:
    row = await db.fetch_one(
        "SELECT id, body FROM checkpoints WHERE turn = ? AND namespace = ?", (turn, namespace)
    )
    return None if row is None else Sealed(row["id"], bytes(row["body"]))


async def forget(db: Statements, turn: TurnId) -> None:
    """Remove everything of the turn."""
    await db.execute("DELETE FROM checkpoints WHERE turn = ?", (turn,))
