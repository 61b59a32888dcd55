"""Resolve a turn's thread: what was asked and answered before, and what those answers rest on."""

from core.context.shape import Finished
from core.records import ThreadId, TurnId
from core.storage import evidence, threads
from core.storage.database import Database


async def history(db: Database, thread: ThreadId, limit: int) -> list[tuple[TurnId, Finished]]:
    """The newest `limit` finished turns of the thread, oldest first."""
    past: list[tuple[TurnId, Finished]] = []
    for turn in await threads.finished(db, thread, limit):
        handles = tuple(
            f"{piece.id} ({piece.tool})"
            for piece in await evidence.of_turn(db, turn.turn)
            if not piece.is_error
        )
        past.append(
            (turn.turn, Finished(question=turn.question, answer=turn.answer, handles=handles))
        )
    return past
