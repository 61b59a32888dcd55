"""Rows of sealed checkpoints: the newest of a turn, with the writes that wait beside it."""

from collections.abc import Sequence
from typing import NamedTuple

from core.records import TurnId
from core.storage.database import Database, Statements


class Sealed(NamedTuple):
    id: str
    body: bytes


class SealedWrite(NamedTuple):
    task: str
    position: int
    path: str
    body: bytes


async def put(db: Database, turn: TurnId, namespace: str, checkpoint: Sealed) -> None:
    """Keep the checkpoint in place of an older one, and drop the writes of older ones. Ids sort
    by age; an older one that comes late changes nothing."""
    async with db.transaction() as tx:
        await tx.execute(
            """
            INSERT INTO checkpoints (turn, namespace, id, body) VALUES (?, ?, ?, ?)
            ON CONFLICT (turn, namespace) DO UPDATE SET id = excluded.id, body = excluded.body
            WHERE excluded.id >= checkpoints.id
            """,
            (turn, namespace, checkpoint.id, checkpoint.body),
        )
        await tx.execute(
            "DELETE FROM checkpoint_writes WHERE turn = ? AND namespace = ? AND checkpoint < ?",
            (turn, namespace, checkpoint.id),
        )


async def put_writes(
    db: Database,
    turn: TurnId,
    namespace: str,
    checkpoint: str,
    writes: Sequence[SealedWrite],
) -> None:
    """Keep what a task wrote before its round was complete; the same position again replaces
    it."""
    async with db.transaction() as tx:
        for write in writes:
            await tx.execute(
                """
                INSERT INTO checkpoint_writes (turn, namespace, checkpoint, task, position, path,
                                               body)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (turn, namespace, checkpoint, task, position)
                DO UPDATE SET path = excluded.path, body = excluded.body
                """,
                (turn, namespace, checkpoint, write.task, write.position, write.path, write.body),
            )


async def newest(db: Statements, turn: TurnId, namespace: str) -> Sealed | None:
    row = await db.fetch_one(
        "SELECT id, body FROM checkpoints WHERE turn = ? AND namespace = ?", (turn, namespace)
    )
    return None if row is None else Sealed(row["id"], bytes(row["body"]))


async def writes(
    db: Statements, turn: TurnId, namespace: str, checkpoint: str
) -> list[SealedWrite]:
    """What waits beside the checkpoint, in the order in which it would have been applied."""
    rows = await db.fetch(
        "SELECT task, position, path, body FROM checkpoint_writes"
        " WHERE turn = ? AND namespace = ? AND checkpoint = ?",
        (turn, namespace, checkpoint),
    )
    found = [
        SealedWrite(row["task"], row["position"], row["path"], bytes(row["body"])) for row in rows
    ]
    return sorted(found, key=lambda write: (write.path, write.task, write.position))


async def forget(db: Statements, turn: TurnId) -> None:
    """Remove everything of the turn."""
    await db.execute("DELETE FROM checkpoint_writes WHERE turn = ?", (turn,))
    await db.execute("DELETE FROM checkpoints WHERE turn = ?", (turn,))
