"""The bytes of files that tools made."""

from core.records import FileId, MadeFile, TurnId
from core.storage.bodies import storable
from core.storage.database import Database, Statements

_KEEP = """
    INSERT INTO files (id, turn, name, media_type, size, content, made_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET content = excluded.content, size = excluded.size
    WHERE files.turn = excluded.turn
"""


async def keep(
    db: Database, turn: TurnId, file: MadeFile, content: bytes, *, made_at: float
) -> None:
    """Keep the bytes under the file's id; the same id again replaces them. They are durable
    with the end of their turn at the latest."""
    values = (
        file.id,
        turn,
        storable(file.name),
        file.media_type,
        len(content),
        content,
        made_at,
    )
    await db.write(lambda tx: tx.execute(_KEEP, values), is_durable=False)


async def read(db: Statements, file: FileId) -> bytes | None:
    row = await db.fetch_one("SELECT content FROM files WHERE id = ?", (file,))
    return None if row is None else bytes(row["content"])


async def prune(db: Statements, before: float) -> int:
    return await db.execute("DELETE FROM files WHERE made_at < ?", (before,))
