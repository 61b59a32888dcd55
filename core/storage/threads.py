"""What was asked and answered in a thread: the host's own history."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from core.records import Answer, Chip, MadeFile, PersonId, ThreadId, Turn, TurnId
from core.storage import spoken
from core.storage.bodies import packed, storable, unpacked
from core.storage.database import Database, Row, Statements, Transaction

_Chips: Any = tuple[Chip, ...]
_Files: Any = tuple[MadeFile, ...]


class Finished(NamedTuple):
    """A turn that is over."""

    question: str
    answer: str
    turn: TurnId
    finished_at: float
    outcome: str
    chips: tuple[Chip, ...]
    files: tuple[MadeFile, ...]


async def write_answer(
    tx: Transaction, turn: Turn, outcome: str, answer: Answer, *, now: float
) -> None:
    """Write what the person reads in the end. Called by `inbox.finish`, in its transaction."""
    question = turn.question
    await tx.execute(
        """
        INSERT INTO turns (turn, thread, person, place, outcome, question, answer, chips, files,
                           asked_at, finished_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            turn.id,
            question.thread,
            question.person.id,
            question.place.id,
            outcome,
            storable(question.text),
            storable(answer.text),
            packed(_Chips, answer.chips),
            packed(_Files, answer.files),
            question.said_at,
            now,
        ),
    )


async def finished(db: Statements, thread: ThreadId, limit: int = 50) -> list[Finished]:
    """The newest `limit` turns that ended in an answer, oldest first. Turns that failed are left
    out: their sentence is about us, not about the question; so are those that were taken back."""
    rows = await db.fetch(
        "SELECT * FROM turns WHERE thread = ? AND outcome = 'done' AND taken_back_at IS NULL"
        " ORDER BY finished_at DESC, turn DESC LIMIT ?",
        (thread, limit),
    )
    return [_finished(row) for row in reversed(rows)]


async def take_back(tx: Statements, turn: TurnId, *, now: float) -> None:
    """From now on the turn is no part of its thread's past."""
    await tx.execute(
        "UPDATE turns SET taken_back_at = ? WHERE turn = ? AND taken_back_at IS NULL", (now, turn)
    )


async def read(db: Statements, turn: TurnId) -> Finished | None:
    row = await db.fetch_one("SELECT * FROM turns WHERE turn = ?", (turn,))
    return None if row is None else _finished(row)


class Line(NamedTuple):
    """A turn as one line of a list."""

    turn: TurnId
    thread: ThreadId
    person: PersonId
    place: str
    outcome: str
    question: str
    asked_at: float
    finished_at: float


async def line(db: Statements, turn: TurnId) -> Line | None:
    row = await db.fetch_one(
        "SELECT turn, thread, person, place, outcome, question, asked_at, finished_at FROM turns"
        " WHERE turn = ?",
        (turn,),
    )
    return None if row is None else Line(**row)


async def newest(db: Statements, limit: int) -> list[Line]:
    """The turns that ended last, the newest first."""
    rows = await db.fetch(
        "SELECT turn, thread, person, place, outcome, question, asked_at, finished_at FROM turns"
        " ORDER BY finished_at DESC, turn DESC LIMIT ?",
        (limit,),
    )
    return [Line(**row) for row in rows]


async def past(db: Statements, before: float, limit: int) -> list[TurnId]:
    """The oldest turns that are past their time."""
    rows = await db.fetch(
        "SELECT turn FROM turns WHERE finished_at < ? ORDER BY finished_at LIMIT ?",
        (before, limit),
    )
    return [TurnId(row["turn"]) for row in rows]


async def forget(db: Database, turns: Sequence[TurnId]) -> int:
    async def remove(tx: Transaction) -> int:
        gone = [await tx.execute("DELETE FROM turns WHERE turn = ?", (turn,)) for turn in turns]
        await spoken.forget(tx, turns)
        return sum(gone)

    return await db.write(remove)


def _finished(row: Row) -> Finished:
    return Finished(
        question=row["question"],
        answer=row["answer"],
        turn=TurnId(row["turn"]),
        finished_at=row["finished_at"],
        outcome=row["outcome"],
        chips=unpacked(_Chips, row["chips"]),
        files=unpacked(_Files, row["files"]),
    )
