"""The search index's file: a SQLite database of its own, read by scope.

It is opened with `apsw`, because many builds of Python cannot load SQLite extensions, and is
never the main database's file: two SQLite libraries in one process must not share one.

Vectors stand in an ordinary table in the order of their scopes, so that a question reads those of
its scopes and no other, and are compared by sqlite-vec's `vec_distance_cosine`, every one of
them. A `vec0` table partitioned by scope takes room for a whole block of vectors per scope: 100 kB
for each thread at a block size of 64, 1.5 MB at its default.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import apsw

from core.records import Chunk
from core.storage.embeddings import Embedded, Extent, as_blob
from core.storage.index import DEPTH, words

ROOM = 4_000
"""Chunks of the scopes that hold the words by which a question is ranked, at least where its
rarest word is in fewer: to rank one takes ten microseconds."""
_LAYOUT = 3
_SCHEMA = """
    DROP TABLE IF EXISTS chunks;
    DROP TABLE IF EXISTS vectors;
    DROP TABLE IF EXISTS words;
    CREATE TABLE chunks (
      seq INTEGER PRIMARY KEY, id TEXT, scope TEXT, source TEXT, title TEXT, body TEXT
    );
    CREATE INDEX chunks_by_id ON chunks (id);
    CREATE INDEX chunks_of_source ON chunks (source);
    CREATE TABLE vectors (
      scope TEXT, seq INTEGER, model TEXT, vector BLOB, PRIMARY KEY (scope, seq)
    ) WITHOUT ROWID;
    CREATE VIRTUAL TABLE words USING fts5(
      scope, title, body, content='', contentless_delete=1, tokenize='unicode61'
    );
    PRAGMA user_version = 3;
"""
_ADD_CHUNK = "INSERT INTO chunks (seq, id, scope, source, title, body) VALUES (?, ?, ?, ?, ?, ?)"
_ADD_VECTOR = "INSERT INTO vectors (scope, seq, model, vector) VALUES (?, ?, ?, ?)"
_ADD_WORDS = "INSERT INTO words (rowid, scope, title, body) VALUES (?, ?, ?, ?)"
_BY_MEANING = """
    SELECT id, chunks.scope, source, title, body
    FROM (
      SELECT seq AS near, vec_distance_cosine(vector, ?) AS distance FROM vectors
      WHERE scope IN (SELECT value FROM json_each(?)) AND model = ? AND length(vector) = ?
        AND (? IS NULL OR seq IN (SELECT seq FROM chunks
                                  WHERE source IN (SELECT value FROM json_each(?))))
        AND seq NOT IN (SELECT seq FROM chunks WHERE source IN (SELECT value FROM json_each(?)))
      ORDER BY distance LIMIT ?
    ) JOIN chunks ON chunks.seq = near
    ORDER BY distance
"""
"""Sorted by number first: the texts of all that is compared would be carried along."""
_BY_WORDS = """
    SELECT id, chunks.scope, source, chunks.title, chunks.body
    FROM (
      SELECT seq AS found, fits
      FROM (SELECT rowid AS held, rank AS fits FROM words
            WHERE words MATCH ? AND rank MATCH 'bm25(0.0, 2.0, 1.0)')
      CROSS JOIN chunks ON seq = held
      WHERE scope IN (SELECT value FROM json_each(?))
        AND (? IS NULL OR source IN (SELECT value FROM json_each(?)))
        AND source NOT IN (SELECT value FROM json_each(?))
      ORDER BY fits, seq LIMIT ?
    ) JOIN chunks ON chunks.seq = found
    ORDER BY fits, found
"""
_HOLDING = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"


def open_file(path: Path) -> apsw.Connection:
    """Open the file, or make it anew when it is not a database of ours, or of an older layout."""
    try:
        file = _connect(path)
        if _rows(file, "PRAGMA user_version") == [(_LAYOUT,)]:
            return file
        file.close()
    except (apsw.CorruptError, apsw.NotADBError):
        pass
    for leftover in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
        leftover.unlink(missing_ok=True)
    return _connect(path)


def _extension() -> str:
    """Where sqlite-vec's library is. Its Python module would import NumPy, a third of a second at
    each start, for nothing that is used here."""
    found = find_spec("sqlite_vec")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("sqlite-vec is not installed")
    return str(Path(found.origin).parent / "vec0")


def _connect(path: Path) -> apsw.Connection:
    file = apsw.Connection(str(path))
    try:
        file.set_busy_timeout(5000)
        file.enable_load_extension(True)
        file.load_extension(_extension())
        file.enable_load_extension(False)
        # For a file that is empty yet: on smaller pages a vector would be broken up.
        _rows(file, "PRAGMA page_size = 16384")
        _rows(file, "PRAGMA journal_mode = WAL")
        # What a power loss takes from the index comes back from the main database.
        _rows(file, "PRAGMA synchronous = NORMAL")
        _rows(file, "PRAGMA secure_delete = ON")
        if _rows(file, "PRAGMA user_version") == [(0,)]:
            clear(file)
    except BaseException:
        file.close()
        raise
    return file


def _rows(
    file: apsw.Connection, sql: str, *params: str | int | bytes | None
) -> list[tuple[Any, ...]]:
    rows = file.execute(sql, params).fetchall()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return rows  # pyright: ignore[reportUnknownVariableType]


def clear(file: apsw.Connection) -> None:
    """Make the file empty."""
    with file:
        _rows(file, _SCHEMA)


def extent(file: apsw.Connection) -> Extent:
    """What the file holds."""
    [row] = _rows(file, "SELECT count(*), coalesce(sum(seq), 0), coalesce(max(seq), 0) FROM chunks")
    return Extent(*row)


def put(file: apsw.Connection, rows: Sequence[Embedded]) -> None:
    """Add the rows; one that is there under the same id is replaced."""
    with file:
        for row in rows:
            chunk = row.chunk
            _drop(file, "SELECT seq, scope FROM chunks WHERE id = ?", chunk.id)
            place = (row.seq, chunk.id, chunk.scope, chunk.source)
            _rows(file, _ADD_CHUNK, *place, chunk.title, chunk.text)
            _rows(file, _ADD_VECTOR, chunk.scope, row.seq, row.model, row.vector)
            _rows(file, _ADD_WORDS, row.seq, _scope_word(chunk.scope), chunk.title, chunk.text)


def remove(file: apsw.Connection, numbers: Iterable[int]) -> None:
    """Remove the rows with these numbers."""
    with file:
        for number in numbers:
            _drop(file, "SELECT seq, scope FROM chunks WHERE seq = ?", number)


def numbers(file: apsw.Connection) -> set[int]:
    """The numbers of all rows."""
    return {seq for (seq,) in _rows(file, "SELECT seq FROM chunks")}


def remove_all(file: apsw.Connection, sources: Sequence[str]) -> None:
    """Remove what was cut from these sources, all or none."""
    with file:
        for source in sources:
            _drop(file, "SELECT seq, scope FROM chunks WHERE source = ?", source)


def scrub(file: apsw.Connection) -> None:
    """The text index drops what was removed only when it merges its parts, and the log keeps it
    until it is emptied."""
    _rows(file, "INSERT INTO words (words) VALUES ('optimize')")
    _rows(file, "PRAGMA wal_checkpoint(TRUNCATE)")


def _drop(file: apsw.Connection, which: str, value: str | int) -> None:
    for seq, scope in _rows(file, which, value):
        _rows(file, "DELETE FROM words WHERE rowid = ?", seq)
        _rows(file, "DELETE FROM vectors WHERE scope = ? AND seq = ?", scope, seq)
        _rows(file, "DELETE FROM chunks WHERE seq = ?", seq)


def by_meaning(
    file: apsw.Connection,
    scopes: Sequence[str],
    model: str,
    vector: Sequence[float],
    sources: Sequence[str] | None = None,
    but: Sequence[str] = (),
) -> list[Chunk]:
    """The nearest chunks of the scopes, nearest first; none of the sources in `but`."""
    if not vector:
        return []
    blob = as_blob(vector)
    inside = json.dumps(list(scopes))
    bounds = (*_within(sources), json.dumps(list(but)), DEPTH)
    return [
        _chunk(*row) for row in _rows(file, _BY_MEANING, blob, inside, model, len(blob), *bounds)
    ]


def by_words(
    file: apsw.Connection,
    scopes: Sequence[str],
    text: str,
    sources: Sequence[str] | None = None,
    but: Sequence[str] = (),
) -> list[Chunk]:
    """The chunks of the scopes that hold words of the text, best first; none of the sources in
    `but`."""
    asked = words(text)
    telling = _telling(file, scopes, asked) if scopes and asked else ""
    if not telling:
        return []
    inside = json.dumps(list(scopes))
    bounds = (*_within(sources), json.dumps(list(but)), DEPTH)
    return [_chunk(*row) for row in _rows(file, _BY_WORDS, telling, inside, *bounds)]


def _telling(file: apsw.Connection, scopes: Sequence[str], asked: Sequence[str]) -> str:
    """What to match: as many of the rarest words as are, together, in no more chunks of the scopes
    than may be ranked; empty where there is none. What is in half of all chunks says little about
    any of them."""
    if _held(file, _inside(scopes)) <= ROOM:
        return _asking(scopes, asked)
    held = [(_held(file, _asking(scopes, [word])), word) for word in asked]
    rarest = [word for count, word in sorted(held) if count]
    fits, beyond = min(1, len(rarest)), len(rarest) + 1
    while beyond - fits > 1:
        middle = (fits + beyond) // 2
        if _held(file, _asking(scopes, rarest[:middle])) <= ROOM:
            fits = middle
        else:
            beyond = middle
    return _asking(scopes, rarest[:fits]) if fits else ""


def _asking(scopes: Sequence[str], asked: Sequence[str]) -> str:
    """One of the words, in one of the scopes: other people's chunks are not even counted."""
    return f"{_inside(scopes)} AND {{title body}} : ({' OR '.join(map(_quoted, asked))})"


def _inside(scopes: Sequence[str]) -> str:
    return f"scope : ({' OR '.join(map(_scope_word, scopes))})"


def _held(file: apsw.Connection, asking: str) -> int:
    """How many chunks match, counted as far as it matters."""
    [(count,)] = _rows(file, _HOLDING, asking, ROOM + 1)
    return count


def _within(sources: Sequence[str] | None) -> tuple[str | None, str | None]:
    within = None if sources is None else json.dumps(list(sources))
    return within, within


def _chunk(id: str, scope: str, source: str, title: str, body: str) -> Chunk:
    return Chunk(id=id, scope=scope, source=source, title=title, text=body)


def _scope_word(scope: str) -> str:
    """The scope as one word of the text index, so that it narrows the search from inside."""
    return f"s{hashlib.sha256(scope.encode()).hexdigest()[:24]}"


def _quoted(word: str) -> str:
    """A word as a string of the query language; bare, `C++` or `a-b` is a syntax error."""
    return '"' + word.replace('"', '""') + '"'
