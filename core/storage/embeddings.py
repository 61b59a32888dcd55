"""The truth that the search index is derived from: chunks of text with their vectors."""

from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from core.records import Chunk
from core.storage.bodies import storable
from core.storage.database import Database, Row, Statements, Transaction


class Embedded(NamedTuple):
    """A row. `vector` is float32, little-endian."""

    seq: int
    chunk: Chunk
    model: str
    vector: bytes

    def floats(self) -> list[float]:
        return array("f", self.vector).tolist()


class Extent(NamedTuple):
    """What a range of rows amounts to. A row is never changed and its number never given twice,
    so a copy that was filled in order is behind exactly when its extent differs."""

    rows: int
    total: int
    newest: int


def as_blob(vector: Sequence[float]) -> bytes:
    return array("f", vector).tobytes()


async def keep(
    tx: Transaction, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]], model: str
) -> list[Embedded]:
    """Keep the chunks; one that is there under the same id is replaced."""
    kept: list[Embedded] = []
    for chunk, vector in zip(chunks, vectors, strict=True):
        blob = as_blob(vector)
        await tx.execute("DELETE FROM embeddings WHERE id = ?", (chunk.id,))
        row = await tx.fetch_one(
            """
            INSERT INTO embeddings (id, scope, source, title, body, model, dimensions, vector)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            RETURNING *
            """,
            (
                chunk.id,
                chunk.scope,
                chunk.source,
                storable(chunk.title),
                storable(chunk.text),
                model,
                len(vector),
                blob,
            ),
        )
        if row is not None:
            kept.append(_embedded(row))
    return kept


async def forget(db: Statements, source: str, but: frozenset[str] = frozenset()) -> list[int]:
    """Remove what was cut from the source, chunks with these ids excepted; the rows' numbers."""
    rows = await db.fetch("SELECT seq, id FROM embeddings WHERE source = ?", (source,))
    gone = [row["seq"] for row in rows if row["id"] not in but]
    for seq in gone:
        await db.execute("DELETE FROM embeddings WHERE seq = ?", (seq,))
    return gone


async def of_source(db: Statements, source: str) -> list[Embedded]:
    """What was cut from the source, in the order in which it was kept."""
    rows = await db.fetch("SELECT * FROM embeddings WHERE source = ? ORDER BY seq", (source,))
    return [_embedded(row) for row in rows]


async def vectors(db: Statements, chunks: Sequence[str]) -> dict[str, list[float]]:
    """The vectors of these chunks, by the chunk's id."""
    found: dict[str, list[float]] = {}
    for chunk in chunks:
        row = await db.fetch_one("SELECT vector FROM embeddings WHERE id = ?", (chunk,))
        if row is not None:
            found[chunk] = array("f", bytes(row["vector"])).tolist()
    return found


async def rescope(tx: Transaction, source: str, scope: str) -> list[Embedded]:
    """Put what was cut from the source into another scope, under the vectors that it has."""
    moved: list[Embedded] = []
    for row in await of_source(tx, source):
        chunk = replace(row.chunk, scope=scope)
        moved += await keep(tx, [chunk], [row.floats()], row.model)
    return moved


async def numbers(db: Database) -> set[int]:
    """The numbers of all rows."""
    return {row["seq"] for row in await db.fetch("SELECT seq FROM embeddings")}


async def forget_all(db: Database, sources: Sequence[str]) -> int:
    """Remove what was cut from these sources, all or none; how many rows that were."""

    async def remove(tx: Transaction) -> int:
        return sum([len(await forget(tx, source)) for source in sources])

    return await db.write(remove)


async def page(db: Database, after: int, limit: int = 500) -> list[Embedded]:
    """The next rows by number."""
    rows = await db.fetch(
        "SELECT * FROM embeddings WHERE seq > ? ORDER BY seq LIMIT ?", (after, limit)
    )
    return [_embedded(row) for row in rows]


async def extent(db: Statements, until: int | None = None) -> Extent:
    """The extent of all rows, or of those up to a number."""
    row = await db.fetch_one(
        "SELECT count(*) AS n, coalesce(sum(seq), 0) AS total, coalesce(max(seq), 0) AS newest"
        " FROM embeddings WHERE seq <= ?",
        (2**62 if until is None else until,),
    )
    return Extent(0, 0, 0) if row is None else Extent(row["n"], int(row["total"]), row["newest"])


def chunk_of(row: Row) -> Chunk:
    return Chunk(
        id=row["id"],
        scope=row["scope"],
        source=row["source"],
        title=row["title"],
        text=row["body"],
    )


def _embedded(row: Row) -> Embedded:
    return Embedded(row["seq"], chunk_of(row), row["model"], bytes(row["vector"]))
