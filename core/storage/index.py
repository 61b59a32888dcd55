"""The search index over embedded chunks: meaning and words, fused, inside a scope.

It is derived data: whatever it holds is kept in the main database first and can be rebuilt from
there at any time.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from core.records import Chunk
from core.storage.bodies import storable
from core.storage.database import Database, Transaction
from core.storage.embeddings import Embedded

DEPTH = 50
"""How many candidates each ranking contributes."""
_RANK_OFFSET = 60
"""The constant of reciprocal rank fusion in the paper that introduced it (Cormack, Clarke and
Büttcher, SIGIR 2009)."""
_MOST_WORDS = 256
"""Of a question. A long one is told apart by words that come late in it: with 64, a fifth less of
what is wanted was found (`python -m bench.retrieval quality`)."""


class Index(Protocol):
    """An open index for the vectors of one embedding model. Vectors of other models are kept and
    ignored: their chunks are found by their words alone."""

    model: str
    """Whose vectors it compares."""

    async def add(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> None:
        """Keep the chunks and make them findable; the same id again replaces. Raises
        `Unavailable`: then nothing was kept."""
        ...

    async def keep(
        self, tx: Transaction, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]
    ) -> list[Embedded]:
        """The same as a part of the caller's transaction. Pass what this returns to `follow` once
        that is committed; nothing is lost when that does not happen."""
        ...

    def follow(self, kept: Sequence[Embedded]) -> None:
        """Make findable what `keep` kept: before the next search looks, and nobody waits."""
        ...

    async def search(
        self,
        scopes: Sequence[str],
        vector: Sequence[float],
        text: str,
        k: int = 12,
        sources: Sequence[str] | None = None,
        but: Sequence[str] = (),
    ) -> list[Chunk]:
        """The best `k` chunks of the scopes, best first. An empty vector searches by words
        alone. Never looks outside the scopes, nor outside `sources` where they are given, nor into
        the sources in `but`. Raises `Unavailable`."""
        ...

    async def forget(self, source: str, but: frozenset[str] = frozenset()) -> int:
        """Remove what was cut from the source, chunks with these ids excepted, and return how
        many that were."""
        ...

    async def rescope(self, tx: Transaction, source: str, scope: str) -> list[Embedded]:
        """Put what was cut from the source into another scope, as a part of the caller's
        transaction; see `keep`."""
        ...

    async def forget_all(self, sources: Sequence[str]) -> int:
        """The same for several at once."""
        ...

    async def scrub(self) -> None:
        """Take what was forgotten out of the index's own files as well. Raises `Unavailable`."""
        ...

    async def rebuild(self) -> int:
        """Make the index anew and return how many chunks it holds."""
        ...

    async def close(self) -> None: ...


async def open_index(db: Database, *, model: str) -> Index:
    """The index beside the database: a file next to a SQLite database (made anew when it is
    missing, unreadable or behind), tables inside Postgres."""
    if db.path is not None:
        from core.storage.index_sqlite import open_file_index

        return await open_file_index(db, db.path.with_suffix(".index.db"), model=model)
    from core.storage.index_postgres import open_table_index

    return await open_table_index(db, model=model)


def fuse(rankings: Sequence[Sequence[Chunk]], k: int) -> list[Chunk]:
    """The best `k` of several rankings by reciprocal rank, with the score filled in."""
    scores: defaultdict[str, float] = defaultdict(float)
    chunks: dict[str, Chunk] = {}
    for ranking in rankings:
        for rank, chunk in enumerate(ranking, start=1):
            scores[chunk.id] += 1.0 / (_RANK_OFFSET + rank)
            chunks[chunk.id] = chunk
    best = sorted(scores, key=lambda id: (-scores[id], id))[:k]
    return [replace(chunks[id], score=scores[id]) for id in best]


def words(text: str) -> list[str]:
    """The words of a question, each once, without those that hold no letter or digit."""
    found = (word for word in storable(text).split() if any(letter.isalnum() for letter in word))
    return list(dict.fromkeys(found))[:_MOST_WORDS]
