"""Records a question together with what lets it in, in one write."""

from collections.abc import Awaitable, Callable

from core.records import Question, TurnId
from core.storage import inbox
from core.storage.database import Database, Transaction

Admission = Callable[[Transaction], Awaitable[None]]
"""Raises what keeps the question out."""


async def put(
    db: Database,
    question: Question,
    turn: TurnId,
    admission: Admission,
    *,
    model: str,
    agent: str,
    now: float,
) -> inbox.Placed:
    """As `inbox.put`, where `admission` does not keep a new question out: it may write in the
    same transaction. Raises `Unavailable`, and what `admission` raises: then nothing is
    recorded."""

    async def written(tx: Transaction) -> inbox.Placed:
        await inbox.take_turns(tx, db.dialect, question.thread)
        placed = await inbox.place(tx, question, turn, (model, agent), state="new", now=now)
        if not placed.is_duplicate:
            await admission(tx)
        return placed

    placed = await db.write(written)
    if not placed.is_duplicate:
        await db.notify(inbox.CHANNEL)
    return placed
