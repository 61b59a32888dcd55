"""Evidence: tool results, kept whole."""

from typing import NamedTuple

from core.records import Evidence, EvidenceId, ThreadId, TurnId
from core.storage.bodies import packed, unpacked
from core.storage.database import Database, Statements, Transaction


async def keep(db: Database, evidence: Evidence) -> None:
    """Keep the result. It is durable with the end of its turn at the latest."""
    await db.write(lambda tx: write(tx, evidence), is_durable=False)


async def write(tx: Transaction, evidence: Evidence) -> None:
    """Write the result in a transaction of the caller's. A second one under the same id replaces
    it: a round that is run again after a crash gives its calls the same ids."""
    await tx.execute(
        """
        INSERT INTO evidence (id, turn, thread, person, tool, is_error, body, made_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET is_error = excluded.is_error, body = excluded.body,
                                       made_at = excluded.made_at
        WHERE evidence.turn = excluded.turn
        """,
        (
            evidence.id,
            evidence.turn,
            evidence.thread,
            evidence.person,
            evidence.tool,
            int(evidence.is_error),
            packed(Evidence, evidence),
            evidence.made_at,
        ),
    )


async def read(db: Statements, evidence: EvidenceId) -> Evidence | None:
    """The result by id. Who may see it is for the caller to judge: the record says whose it is."""
    row = await db.fetch_one("SELECT body FROM evidence WHERE id = ?", (evidence,))
    return None if row is None else unpacked(Evidence, row["body"])


async def known(db: Statements, thread: ThreadId, evidence: EvidenceId) -> Evidence | None:
    """The result by id, where it is part of this thread. What a question brought that was taken
    back is not."""
    row = await db.fetch_one(
        """
        SELECT body FROM evidence AS kept WHERE id = ? AND thread = ?
          AND NOT EXISTS (SELECT 1 FROM turns
                          WHERE turns.turn = kept.turn AND taken_back_at IS NOT NULL)
          AND NOT EXISTS (SELECT 1 FROM inbox
                          WHERE inbox.id = kept.turn AND inbox.state = 'refused')
        """,
        (evidence, thread),
    )
    return None if row is None else unpacked(Evidence, row["body"])


async def of_turn(db: Statements, turn: TurnId) -> list[Evidence]:
    """The results of a turn, in the order they were made."""
    rows = await db.fetch("SELECT body FROM evidence WHERE turn = ? ORDER BY made_at, id", (turn,))
    return [unpacked(Evidence, row["body"]) for row in rows]


class Handle(NamedTuple):
    """What is needed to speak of a result without reading it."""

    id: EvidenceId
    turn: TurnId
    tool: str


async def handles(db: Statements, thread: ThreadId, limit: int) -> list[Handle]:
    """The newest results of the thread that are no errors, oldest first."""
    rows = await db.fetch(
        "SELECT id, turn, tool FROM evidence WHERE thread = ? AND is_error = 0"
        " ORDER BY made_at DESC, id DESC LIMIT ?",
        (thread, limit),
    )
    return [Handle(**row) for row in reversed(rows)]


async def of_thread(db: Statements, thread: ThreadId, limit: int = 50) -> list[Evidence]:
    """The newest results of a thread, oldest first, without those of a question that was taken
    back."""
    rows = await db.fetch(
        """
        SELECT body FROM evidence AS kept WHERE thread = ?
          AND NOT EXISTS (SELECT 1 FROM turns
                          WHERE turns.turn = kept.turn AND taken_back_at IS NOT NULL)
          AND NOT EXISTS (SELECT 1 FROM inbox
                          WHERE inbox.id = kept.turn AND inbox.state = 'refused')
        ORDER BY made_at DESC, id DESC LIMIT ?
        """,
        (thread, limit),
    )
    return [unpacked(Evidence, row["body"]) for row in reversed(rows)]


async def prune(db: Statements, before: float) -> int:
    return await db.execute("DELETE FROM evidence WHERE made_at < ?", (before,))
