"""Brings one document into the index: read, cut, embedded and kept, piece by piece."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from core.errors import SourceFailed
from core.ports import Clock
from core.records import Billing, Chunk
from core.specialists.documents.chunks import Piece, cut
from core.specialists.documents.parsing.pages import Page
from core.specialists.documents.parsing.parse import LAYOUT, Limits, parse
from core.storage import documents, embeddings
from core.storage.database import Database, Transaction
from core.storage.documents import Document, Place
from core.storage.index import Index

BATCH = 16
"""Chunks that are embedded and committed together: what a crash can cost."""
MOST_IMAGES = 200
"""Pages of one document that a vision model is shown."""

Embed = Callable[[Sequence[str], Billing], Awaitable[list[list[float]]]]


class Eyes(Protocol):
    """Reads what stands in a picture; every page is metered."""

    async def __call__(self, image: bytes, billing: Billing) -> str:
        """The text as Markdown. Raises `ModelFailed`."""
        ...


class Progress(Protocol):
    """Hears how far a document is: pages while it is read, then chunks while they are embedded."""

    async def __call__(self, name: str, what: str, done: int, total: int) -> None:
        """`what` is `pages`, whose `total` is not known and 0, or `chunks`."""
        ...


async def unheard(name: str, what: str, done: int, total: int) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingest:
    """Holds what every document passes through."""

    db: Database
    index: Index
    embed: Embed
    clock: Clock
    eyes: Eyes | None = None
    """None: pictures of pages are not read."""
    limits: Limits = field(default_factory=Limits)

    async def take(
        self, document: Document, content: bytes, billing: Billing, progress: Progress = unheard
    ) -> Document:
        """The document as it is kept now: `ready`, or `failed` with the sentence that says why.

        Repeatable, and goes on where it was cut off: what stands there of these very bytes is not
        embedded again. Raises `ModelFailed` and `Unavailable`.
        """
        digest = digest_of(content)
        before = await documents.read(self.db, document.id)
        if before is not None and before.scope != document.scope:
            before = await self.move(before, document.scope)
        document = replace(document, digest=digest, size=len(content), changed_at=self.clock())
        if before is not None and _is_same(before, document):
            document = replace(before, path=document.path, stamp=document.stamp, link=document.link)
            await documents.put(self.db, document)
            return document
        document = replace(document, state="reading", problem="")
        await documents.put(self.db, document)
        try:
            pages = await self._read(document.name, content, billing, progress)
        except SourceFailed as fault:
            await self.index.forget(documents.index_source(document.id))
            await documents.forget_places(self.db, document.id, frozenset())
            document = replace(document, state="failed", problem=str(fault))
            await documents.put(self.db, document)
            return document
        pieces = cut(pages)
        unread = sum(page.is_scanned and not page.text for page in pages)
        document = replace(
            document, pages=len(pages), chunks=len(pieces), problem=_unread(document.name, unread)
        )
        return await self._keep(document, pieces, billing, progress)

    async def move(self, document: Document, scope: str) -> Document:
        """Let others read it from now on: at once, and without embedding anything."""
        moved = replace(document, scope=scope)
        source = documents.index_source(document.id)

        async def body(tx: Transaction) -> list[embeddings.Embedded]:
            await documents.put(tx, moved)
            return await self.index.rescope(tx, source, scope)

        self.index.follow(await self.db.write(body))
        return moved

    async def forget(self, document: Document) -> None:
        """As if it had never been there."""
        await documents.forget(self.db, document.id)
        await self.index.forget(documents.index_source(document.id))

    async def _read(
        self, name: str, content: bytes, billing: Billing, progress: Progress
    ) -> list[Page]:
        async def heard(count: int) -> None:
            await progress(name, "pages", count, 0)

        images = MOST_IMAGES if self.eyes else 0
        pages = await parse(content, name, limits=self.limits, most_images=images, on_page=heard)
        if self.eyes is None and all(page.is_scanned for page in pages):
            raise SourceFailed(
                f"{name} is a picture of text, and no model that can see is set up, so I cannot"
                " read it."
            )
        return [await self._seen(page, billing) for page in pages]

    async def _seen(self, page: Page, billing: Billing) -> Page:
        if self.eyes is None or not page.image:
            return page
        return replace(page, text=await self.eyes(page.image, billing), image=b"")

    async def _keep(
        self, document: Document, pieces: Sequence[Piece], billing: Billing, progress: Progress
    ) -> Document:
        source = documents.index_source(document.id)
        there = {row.chunk.id for row in await embeddings.of_source(self.db, source)}
        known = await self._known(document)
        chunks = [_chunk(document, piece) for piece in pieces]
        for start in range(0, len(chunks), BATCH):
            batch = [
                (chunk, piece)
                for chunk, piece in zip(
                    chunks[start : start + BATCH], pieces[start : start + BATCH], strict=True
                )
                if chunk.id not in there
            ]
            await progress(document.name, "chunks", start, len(chunks))
            if batch:
                await self._keep_batch(document, batch, known, billing)
        await progress(document.name, "chunks", len(chunks), len(chunks))
        ids = frozenset(chunk.id for chunk in chunks)
        await self.index.forget(source, ids)
        document = replace(document, state="ready")

        async def done(tx: Transaction) -> None:
            await documents.forget_places(tx, document.id, ids)
            await documents.put(tx, document)

        await self.db.write(done)
        return document

    async def _keep_batch(
        self,
        document: Document,
        batch: Sequence[tuple[Chunk, Piece]],
        known: dict[tuple[str, str], list[float]],
        billing: Billing,
    ) -> None:
        new = [chunk for chunk, _ in batch if (chunk.title, chunk.text) not in known]
        if new:
            vectors = await self.embed([embedded_text(chunk) for chunk in new], billing)
            known |= {(c.title, c.text): v for c, v in zip(new, vectors, strict=True)}
        places = [_place(document, chunk, piece) for chunk, piece in batch]

        async def body(tx: Transaction) -> list[embeddings.Embedded]:
            await documents.place_all(tx, places)
            kept = [chunk for chunk, _ in batch]
            return await self.index.keep(tx, kept, [known[(c.title, c.text)] for c in kept])

        self.index.follow(await self.db.write(body))

    async def _known(self, document: Document) -> dict[tuple[str, str], list[float]]:
        """Vectors of what was embedded before: an older version of this document, or the same
        bytes under another name or for somebody else."""
        twins = [one.id for one in await documents.twins(self.db, document.digest)][:3]
        found: dict[tuple[str, str], list[float]] = {}
        for id in dict.fromkeys([document.id, *twins]):
            for row in await embeddings.of_source(self.db, documents.index_source(id)):
                if row.model == self.index.model:
                    found[(row.chunk.title, row.chunk.text)] = row.floats()
        return found


def digest_of(content: bytes) -> str:
    return f"{LAYOUT}:{hashlib.sha256(content).hexdigest()}"


def embedded_text(chunk: Chunk) -> str:
    """What of a chunk is embedded: its headings go along, because a paragraph seldom says what it
    is about."""
    return f"{chunk.title}\n{chunk.text}"


def _is_same(before: Document, now: Document) -> bool:
    """Whether nothing has to be read: the same bytes and name, and no failure that may pass."""
    return before.state == "ready" and (before.digest, before.name) == (now.digest, now.name)


def _unread(name: str, pages: int) -> str:
    if not pages:
        return ""
    what = "page is a picture" if pages == 1 else "pages are pictures"
    return f"{pages} {what} of text in {name}, which I cannot read without a model that can see."


def _chunk(document: Document, piece: Piece) -> Chunk:
    version = document.digest.rpartition(":")[2][:12]
    name = hashlib.sha256(document.name.encode("utf-8", "replace")).hexdigest()[:4]
    return Chunk(
        id=f"{document.id}.{version}{name}.{piece.number}",
        scope=document.scope,
        source=documents.index_source(document.id),
        title=" › ".join((document.name, *piece.heading)),
        text=piece.text,
    )


def _place(document: Document, chunk: Chunk, piece: Piece) -> Place:
    return Place(
        id=chunk.id,
        document=document.id,
        number=piece.number,
        page=piece.page,
        heading=piece.heading,
        start=piece.start,
        stop=piece.stop,
    )
