"""Ends a question that was taken back or asked anew, and drops what was about to be said of it."""

from typing import NamedTuple

from core.records import Question, Turn, TurnId
from core.storage import checkpoints, inbox, outbox, threads
from core.storage.database import Database, Transaction


async def take_back(db: Database, delivery: str, *, now: float) -> Turn | None:
    """End the question of this delivery without a word, and drop what nobody has tried to post of
    it; cards stay, they say what becomes of their call. A turn that had ended before is no part of
    its thread's past any more. The turn; None when the delivery is not known."""

    async def end(tx: Transaction) -> Turn | None:
        row = await tx.fetch_one("SELECT id FROM inbox WHERE delivery = ?", (delivery,))
        if row is None:
            return None
        turn = TurnId(row["id"])
        await _end(tx, turn, now)
        await threads.take_back(tx, turn, now=now)
        entry = await inbox.read(tx, turn)
        return entry.turn if entry else None

    found = await db.write(end)
    if found is not None:
        await db.notify(inbox.CHANNEL)
    return found


class Replaced(NamedTuple):
    """What an edit came to."""

    placed: inbox.Placed | None
    """The question under its new words; None where nothing of it was to be answered any more, or
    its words are the same."""
    ended: tuple[Turn, ...]
    """The turns that asked in earlier words. Whoever still works on one of them has to stop."""


async def replace(
    db: Database, question: Question, turn: TurnId, *, model: str, agent: str, now: float
) -> Replaced:
    """Ask a question that is not answered yet anew, under its own delivery, as `turn`. The row of
    the old words keeps what it led to, and its delivery with the turn's id behind it. Repeating it
    changes nothing. Raises `Unavailable`."""

    async def anew(tx: Transaction) -> Replaced:
        placed = None
        row = await tx.fetch_one(
            "SELECT id FROM inbox WHERE delivery = ? AND state IN ('new', 'running')",
            (question.delivery,),
        )
        entry = None if row is None else await inbox.read(tx, TurnId(row["id"]))
        if entry is not None and _is_changed(entry.turn, question, (model, agent)):
            await _end(tx, entry.turn.id, now)
            await tx.execute(
                "UPDATE inbox SET delivery = ? WHERE id = ?",
                (f"{question.delivery}{_EARLIER}{entry.turn.id}", entry.turn.id),
            )
            await inbox.take_turns(tx, db.dialect, question.thread)
            placed = await inbox.place(tx, question, turn, (model, agent), state="new", now=now)
        return Replaced(placed, await _earlier(tx, question.delivery))

    found = await db.write(anew)
    if found.placed is not None:
        await db.notify(inbox.CHANNEL)
    return found


_EARLIER = "~"
"""Between a delivery and the turn that asked in earlier words; no platform's delivery has one."""


def _is_changed(turn: Turn, now: Question, profile: tuple[str, str]) -> bool:
    before = turn.question
    is_same = (before.text, before.files) == (now.text, now.files)
    return not is_same or (turn.model, turn.agent) != profile


async def _end(tx: Transaction, turn: TurnId, now: float) -> None:
    await tx.execute(
        "UPDATE inbox SET state = 'refused', finished_at = ?, owner = NULL, lease = NULL"
        " WHERE id = ? AND state IN ('new', 'running')",
        (now, turn),
    )
    await checkpoints.forget(tx, turn)
    await outbox.drop(tx, turn)


async def _earlier(tx: Transaction, delivery: str) -> tuple[Turn, ...]:
    first = f"{delivery}{_EARLIER}"
    rows = await tx.fetch(
        "SELECT id FROM inbox WHERE delivery >= ? AND delivery < ? ORDER BY seq",
        (first, f"{first}~"),
    )
    entries = [await inbox.read(tx, TurnId(row["id"])) for row in rows]
    return tuple(entry.turn for entry in entries if entry is not None)
