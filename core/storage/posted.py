"""Which files people posted in a thread, by id; their bytes stay on the platform."""

from collections.abc import Sequence

from core.records import FileId, FileRef, ThreadId
from core.storage.bodies import storable
from core.storage.database import Database, Statements

MOST = 50
"""Files of a thread, the newest."""
_NOTE = """
    INSERT INTO posted (thread, id, name, media_type, size, noted_at)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (thread, id) DO NOTHING
"""


async def note(db: Database, thread: ThreadId, files: Sequence[FileRef], *, now: float) -> None:
    """Remember the files; those that are known stay as they are."""
    values = [(thread, one.id, storable(one.name), one.media_type, one.size, now) for one in files]

    async def written(tx: Statements) -> None:
        for row in values:
            await tx.execute(_NOTE, row)

    await db.write(written, is_durable=False)


async def of_thread(db: Statements, thread: ThreadId) -> list[FileRef]:
    """In the order in which they were noted."""
    rows = await db.fetch(
        "SELECT id, name, media_type, size FROM posted WHERE thread = ?"
        " ORDER BY noted_at DESC, id DESC LIMIT ?",
        (thread, MOST),
    )
    return [
        FileRef(
            id=FileId(row["id"]),
            name=row["name"],
            media_type=row["media_type"],
            size=row["size"],
        )
        for row in reversed(rows)
    ]


async def prune(db: Statements, before: float) -> int:
    return await db.execute("DELETE FROM posted WHERE noted_at < ?", (before,))
