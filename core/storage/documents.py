"""Documents: where they come from, who may read them, and where each chunk stands in them."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from core.records import Chunk
from core.storage.bodies import storable
from core.storage.database import Database, Row, Statements

SourceKind = Literal["folder", "drive"]
DocumentState = Literal["reading", "ready", "failed"]
PREFIX = "document:"
"""What `Chunk.source` begins with for a chunk of a document; its id follows."""
THREAD = "thread:"
"""What the scope of a file that was posted begins with; the thread follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A place that documents come from."""

    id: str
    kind: SourceKind
    name: str
    place: str
    """The path of a folder, or the path in a drive."""
    owner: str = ""
    """Of a drive: the person with whose rights it is read."""
    readers: tuple[str, ...]
    """`group:everyone`, `group:x`, `person:<id>`, `place:<id>`."""
    link: str = ""
    """Where people find a folder's files in their browser; its path follows."""
    cursor: str = ""
    """Where the source's own list of changes goes on."""
    problem: str = ""
    added_at: float = 0.0
    synced_at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    id: str
    source: str
    """A source's id; empty for a file that was posted in a thread."""
    path: str
    """In its source; for a posted file its id on the platform."""
    name: str
    scope: str
    stamp: str = ""
    """What the source says of its version, before anything is read."""
    digest: str = ""
    """SHA-256 of its bytes and of the layout that it was cut by."""
    link: str = ""
    size: int = 0
    pages: int = 0
    chunks: int = 0
    state: DocumentState = "reading"
    problem: str = ""
    changed_at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a chunk stands in its document."""

    id: str
    """The chunk's own."""
    document: str
    number: int
    page: int
    heading: tuple[str, ...]
    start: int
    stop: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A passage of a document as an answer may cite it."""

    chunk: Chunk
    label: str
    """`Travel policy.pdf, page 3`."""
    url: str
    """Where it opens at that place; empty where it cannot be opened."""
    nearness: float = 1.0
    """Of question and passage, from 0 to 1: their cosine, or more where it holds the words."""


def scope_of(readers: Iterable[str]) -> str:
    """The index scope of what these may read."""
    named = json.dumps(sorted(set(readers)))
    return f"readers:{hashlib.sha256(named.encode()).hexdigest()[:24]}"


def index_source(document: str) -> str:
    return f"{PREFIX}{document}"


async def add_source(db: Statements, source: Source) -> None:
    """Raises `Conflict` where the name is taken."""
    await db.execute(
        """
        INSERT INTO document_sources (id, kind, name, place, owner, readers, link, cursor, problem,
                                      added_at, synced_at, held_by, held_until)
        VALUES (?, ?, ?, ?, ?, ?, ?, '', '', ?, 0, '', 0)
        """,
        (
            source.id,
            source.kind,
            storable(source.name),
            storable(source.place),
            source.owner,
            json.dumps(source.readers),
            source.link,
            source.added_at,
        ),
    )


async def sources(db: Statements) -> list[Source]:
    rows = await db.fetch("SELECT * FROM document_sources ORDER BY added_at, id")
    return [_source(row) for row in rows]


async def change_readers(db: Statements, source: str, readers: Sequence[str]) -> None:
    await db.execute(
        "UPDATE document_sources SET readers = ? WHERE id = ?", (json.dumps(list(readers)), source)
    )


async def hold(db: Database, source: str, by: str, *, now: float, seconds: float) -> bool:
    """Whether nobody else works on the source, who then will not until this runs out."""
    return (
        await db.execute(
            "UPDATE document_sources SET held_by = ?, held_until = ?"
            " WHERE id = ? AND (held_by = ? OR held_until < ?)",
            (by, now + seconds, source, by, now),
        )
        == 1
    )


async def synced(
    db: Statements, source: str, by: str, *, cursor: str, problem: str, now: float
) -> None:
    """Note how far it was read, and let it go."""
    await db.execute(
        "UPDATE document_sources SET cursor = ?, problem = ?, synced_at = ?, held_until = 0"
        " WHERE id = ? AND held_by = ?",
        (cursor, storable(problem), now, source, by),
    )


async def remove_source(db: Statements, source: str) -> None:
    await db.execute("DELETE FROM document_sources WHERE id = ?", (source,))


async def put(db: Statements, document: Document) -> None:
    """Keep what is known of the document; the same source and path again replaces."""
    await db.execute(
        """
        INSERT INTO documents (id, source, path, name, scope, stamp, digest, link, size, pages,
                               chunks, state, problem, changed_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET
          path = excluded.path, name = excluded.name, scope = excluded.scope,
          stamp = excluded.stamp, digest = excluded.digest, link = excluded.link,
          size = excluded.size, pages = excluded.pages, chunks = excluded.chunks,
          state = excluded.state, problem = excluded.problem, changed_at = excluded.changed_at
        """,
        (
            document.id,
            document.source,
            storable(document.path),
            storable(document.name),
            document.scope,
            document.stamp,
            document.digest,
            document.link,
            document.size,
            document.pages,
            document.chunks,
            document.state,
            storable(document.problem),
            document.changed_at,
        ),
    )


async def read(db: Statements, document: str) -> Document | None:
    row = await db.fetch_one("SELECT * FROM documents WHERE id = ?", (document,))
    return None if row is None else _document(row)


async def at(db: Statements, source: str, path: str) -> Document | None:
    row = await db.fetch_one(
        "SELECT * FROM documents WHERE source = ? AND path = ?", (source, storable(path))
    )
    return None if row is None else _document(row)


async def of_source(db: Statements, source: str) -> list[Document]:
    rows = await db.fetch("SELECT * FROM documents WHERE source = ? ORDER BY path", (source,))
    return [_document(row) for row in rows]


async def of_scope(db: Statements, scope: str) -> list[Document]:
    rows = await db.fetch("SELECT * FROM documents WHERE scope = ? ORDER BY path", (scope,))
    return [_document(row) for row in rows]


async def twins(db: Statements, digest: str) -> list[Document]:
    """Documents with these very bytes, cut the same way."""
    rows = await db.fetch(
        "SELECT * FROM documents WHERE digest = ? AND state = 'ready' ORDER BY id", (digest,)
    )
    return [_document(row) for row in rows]


async def forget(db: Statements, document: str) -> None:
    """The document and where its chunks stand; the chunks themselves are the index's."""
    await db.execute("DELETE FROM passages WHERE document = ?", (document,))
    await db.execute("DELETE FROM documents WHERE id = ?", (document,))


async def know_readers(db: Statements, readers: Iterable[str]) -> str:
    """The scope for these readers, known from now on."""
    named = sorted(set(readers))
    scope = scope_of(named)
    await db.execute(
        "INSERT INTO reader_sets (scope, readers) VALUES (?, ?) ON CONFLICT (scope) DO NOTHING",
        (scope, json.dumps(named)),
    )
    return scope


async def reader_sets(db: Statements) -> dict[str, tuple[str, ...]]:
    """Scope → who may read what stands in it."""
    rows = await db.fetch("SELECT scope, readers FROM reader_sets")
    return {row["scope"]: tuple(json.loads(row["readers"])) for row in rows}


async def place_all(db: Statements, places: Iterable[Place]) -> None:
    for place in places:
        await db.execute(
            """
            INSERT INTO passages (id, document, number, page, heading, start_at, stop_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET number = excluded.number, page = excluded.page,
              heading = excluded.heading, start_at = excluded.start_at, stop_at = excluded.stop_at
            """,
            (
                place.id,
                place.document,
                place.number,
                place.page,
                storable(json.dumps(place.heading, ensure_ascii=False)),
                place.start,
                place.stop,
            ),
        )


async def places(db: Statements, chunks: Sequence[str]) -> Mapping[str, Place]:
    """Where these chunks stand, by the chunk's id."""
    found: dict[str, Place] = {}
    for chunk in chunks:
        row = await db.fetch_one("SELECT * FROM passages WHERE id = ?", (chunk,))
        if row is not None:
            found[chunk] = _place(row)
    return found


async def places_of(db: Statements, document: str) -> list[Place]:
    rows = await db.fetch("SELECT * FROM passages WHERE document = ? ORDER BY number", (document,))
    return [_place(row) for row in rows]


async def forget_places(db: Statements, document: str, but: frozenset[str]) -> None:
    for place in await places_of(db, document):
        if place.id not in but:
            await db.execute("DELETE FROM passages WHERE id = ?", (place.id,))


def _source(row: Row) -> Source:
    return Source(
        id=row["id"],
        kind=cast(SourceKind, row["kind"]),
        name=row["name"],
        place=row["place"],
        owner=row["owner"],
        readers=tuple(json.loads(row["readers"])),
        link=row["link"],
        cursor=row["cursor"],
        problem=row["problem"],
        added_at=row["added_at"],
        synced_at=row["synced_at"],
    )


def _document(row: Row) -> Document:
    return Document(**row)


def _place(row: Row) -> Place:
    return Place(
        id=row["id"],
        document=row["document"],
        number=row["number"],
        page=row["page"],
        heading=tuple(json.loads(row["heading"])),
        start=row["start_at"],
        stop=row["stop_at"],
    )
