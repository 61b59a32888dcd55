"""The search index of a SQLite database: a file that follows the main database."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import apsw

from core.errors import Unavailable
from core.records import Chunk
from core.storage import embeddings, index_file
from core.storage.database import Database, Transaction
from core.storage.embeddings import Embedded
from core.storage.index import fuse

Result = TypeVar("Result")

PATIENCE = 15.0
"""Seconds for one look into the file."""


class FileIndex:
    """An open index file; see `core.storage.index.Index`."""

    def __init__(self, db: Database, path: Path, model: str) -> None:
        self._db = db
        self._path = path
        self.model = model
        # One thread: the file is small, and its connection is not shared.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="index")
        self._connection: apsw.Connection | None = None
        self._is_behind = True
        self._has_missed = False
        """Whether something was kept, while the file was behind, that nobody looked for yet."""
        self._following = asyncio.Lock()
        """Held while the file is brought to where the main database is."""

    async def add(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> None:
        async with self._following:
            await self._catch_up()
            # The next durable write, which a finished turn's post begins with, brings it to the
            # disk; nobody has to wait for that.
            kept = await self._db.write(
                lambda tx: embeddings.keep(tx, chunks, vectors, self.model), is_durable=False
            )
            # From here on the chunks are kept; should the file not take them, it is behind.
            self._is_behind = True
            await self._on_file(lambda file: index_file.put(file, kept))
            self._caught_up()

    async def keep(
        self, tx: Transaction, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]
    ) -> list[Embedded]:
        return await embeddings.keep(tx, chunks, vectors, self.model)

    def follow(self, kept: Sequence[Embedded]) -> None:
        # The file's thread works in order: whoever searches from now on finds them.
        if self._is_behind:
            self._has_missed = True
        else:
            following = self._thread.submit(self._run, lambda file: index_file.put(file, kept))
            following.add_done_callback(self._note_failure)

    def _note_failure(self, following: Future[None]) -> None:
        """Called in the file's thread, before it does anything else."""
        if following.cancelled() or following.exception() is not None:
            self._is_behind = True

    async def search(
        self,
        scopes: Sequence[str],
        vector: Sequence[float],
        text: str,
        k: int = 12,
        sources: Sequence[str] | None = None,
        but: Sequence[str] = (),
    ) -> list[Chunk]:
        if self._is_behind:
            async with self._following:
                await self._catch_up()
        return await self._on_file(
            lambda file: fuse(
                [
                    index_file.by_meaning(file, scopes, self.model, vector, sources, but),
                    index_file.by_words(file, scopes, text, sources, but),
                ],
                k,
            )
        )

    async def forget(self, source: str, but: frozenset[str] = frozenset()) -> int:
        async with self._following:
            gone = await self._db.write(lambda tx: embeddings.forget(tx, source, but))
            self._is_behind = True
            await self._on_file(lambda file: index_file.remove(file, gone))
            self._caught_up()
        return len(gone)

    async def rescope(self, tx: Transaction, source: str, scope: str) -> list[Embedded]:
        return await embeddings.rescope(tx, source, scope)

    async def forget_all(self, sources: Sequence[str]) -> int:
        if not sources:
            return 0
        async with self._following:
            count = await embeddings.forget_all(self._db, sources)
            self._is_behind = True
            await self._on_file(lambda file: index_file.remove_all(file, sources))
            self._caught_up()
        return count

    async def scrub(self) -> None:
        async with self._following:
            await self._on_file(index_file.scrub)

    async def rebuild(self) -> int:
        async with self._following:
            return await self._make_anew()

    async def close(self) -> None:
        def close() -> None:
            if self._connection is not None:
                self._connection.close()

        await asyncio.get_running_loop().run_in_executor(self._thread, close)
        self._thread.shutdown(wait=False)

    async def open(self) -> None:
        """Bring the file to where the main database is; it is made when there is none."""
        async with self._following:
            await self._catch_up()

    async def _catch_up(self) -> None:
        """Bring the file to where the main database is."""
        if not self._is_behind:
            return
        mine = await self._on_file(index_file.extent)
        if mine != await embeddings.extent(self._db, until=mine.newest):
            await self._mend(mine.newest)
        await self._add_after(mine.newest)
        self._caught_up()

    async def _mend(self, newest: int) -> None:
        """Take out what is no longer kept; where something is missing as well, make it anew."""
        held = await self._on_file(index_file.numbers)
        kept = await embeddings.numbers(self._db)
        if {number for number in kept if number <= newest} - held:
            await self._make_anew()
        else:
            await self._on_file(lambda file: index_file.remove(file, held - kept))

    async def _make_anew(self) -> int:
        self._is_behind = True
        await self._on_file(index_file.clear)
        count = await self._add_after(0)
        self._caught_up()
        return count

    def _caught_up(self) -> None:
        self._is_behind, self._has_missed = self._has_missed, False

    async def _add_after(self, newest: int) -> int:
        count = 0
        while rows := await embeddings.page(self._db, newest):
            await self._on_file(lambda file, rows=rows: index_file.put(file, rows))
            newest = rows[-1].seq
            count += len(rows)
        return count

    def _run(self, work: Callable[[apsw.Connection], Result]) -> Result:
        if self._connection is None:
            self._connection = index_file.open_file(self._path)
        return work(self._connection)

    async def _on_file(self, work: Callable[[apsw.Connection], Result]) -> Result:
        try:
            async with asyncio.timeout(PATIENCE):
                return await asyncio.get_running_loop().run_in_executor(
                    self._thread, self._run, work
                )
        except TimeoutError:
            raise Unavailable("The search index did not answer in time.") from None
        except apsw.Error as failure:
            raise Unavailable(f"The search index could not do its work: {failure}.") from failure


async def open_file_index(db: Database, path: Path, *, model: str) -> FileIndex:
    index = FileIndex(db, path, model)
    try:
        await index.open()
    except BaseException:
        await index.close()
        raise
    return index
