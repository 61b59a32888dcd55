"""Turns that a person stopped: they are over, and nothing is said about them."""

from typing import LiteralString

from core.records import Answer, Stop, TurnId
from core.storage import checkpoints, inbox, threads
from core.storage.database import Database, Statements, Transaction

STOPPED = Answer(text="Stopped before there was an answer.")
_STOP: LiteralString = """
    UPDATE inbox
    SET state = 'failed', finished_at = ?, stopped_at = ?, owner = NULL, lease = NULL
    WHERE place = ? AND state IN ('new', 'running')
      AND (? = '' OR person = ?) AND (? = '' OR thread = ?) AND (? = '' OR delivery = ?)
    RETURNING *
"""


async def stop(db: Database, wanted: Stop, *, now: float) -> list[TurnId]:
    """End what is meant and not finished, without a word: whoever still works on it may not
    finish it any more, and finds it among the `stopped`."""
    person, thread = wanted.person or "", wanted.thread or ""
    delivery = wanted.delivery

    async def end(tx: Transaction) -> list[TurnId]:
        rows = await tx.fetch(
            _STOP,
            (now, now, wanted.place, person, person, thread, thread, delivery, delivery),
        )
        for turn in map(inbox.turn_of, rows):
            await threads.write_answer(tx, turn, "failed", STOPPED, now=now)
            await checkpoints.forget(tx, turn.id)
        return [TurnId(row["id"]) for row in rows]

    ended = await db.write(end)
    if ended:
        await db.notify(inbox.CHANNEL)
    return ended


async def stopped(db: Statements, since: float) -> set[TurnId]:
    """The turns that people stopped since then."""
    rows = await db.fetch("SELECT id FROM inbox WHERE stopped_at >= ?", (since,))
    return {TurnId(row["id"]) for row in rows}
