"""Looks inside turns from the command line: `countersign turn`."""

from dataclasses import asdict

from bot import inside_text
from bot.settings import Stored
from bot.workspace.inside import Reader
from core.errors import Misconfigured
from core.records import Json, TurnId
from core.storage import threads
from core.storage.database import Database, open_database
from core.turn.inside import Inside, look

NEWEST = 20


async def told(stored: Stored, turn: str, *, is_json: bool, is_full: bool) -> str | None:
    """The inside of the turn as text or JSON; without a turn, the newest ones. None for a turn
    that is not known. Raises `Misconfigured`."""
    if stored.file is not None and not stored.file.exists():
        raise Misconfigured(f"There is no database at {stored.file}.")
    db = await open_database(stored.database, state=stored.state, is_shared=True)
    try:
        if not turn:
            return await _newest(db, is_json=is_json)
        found = await look(db, TurnId(turn))
    finally:
        await db.close()
    if found is None:
        return None
    return (
        inside_text.as_json(plain(found)) if is_json else inside_text.text(found, is_full=is_full)
    )


def reader(db: Database) -> Reader:
    """The insides of turns as JSON values, for the page of the local workspace."""

    async def read(turn: str) -> Json | None:
        found = await look(db, TurnId(turn))
        return None if found is None else plain(found)

    return read


def plain(found: Inside) -> Json:
    """The inside of a turn as JSON values."""
    return {**asdict(found), "posts": [post._asdict() for post in found.posts]}


async def _newest(db: Database, *, is_json: bool) -> str:
    lines = await threads.newest(db, NEWEST)
    if is_json:
        return inside_text.as_json({"turns": [line._asdict() for line in lines]})
    return inside_text.listed(lines) or "No turn has ended yet."
