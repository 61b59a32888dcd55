"""Keeps a source's documents as the source has them: new, changed, moved and deleted files."""

import asyncio
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from core.errors import SourceFailed
from core.records import Billing, PersonId, ThreadId, TurnId
from core.specialists.documents import folder
from core.specialists.documents.drive import SHARED, Drive
from core.specialists.documents.folder import Found
from core.specialists.documents.ingest import Ingest, Progress, digest_of, unheard
from core.specialists.documents.parsing.parse import LAYOUT
from core.storage import documents
from core.storage.documents import Document, Source
from core.telemetry import logs

HOLD_SECONDS = 40.0
"""For which a source is left to whoever works on it, since they last said so."""

ASKED_ANEW = 200
"""Documents of a drive whose readers a pass asks for again."""
PASS_SECONDS = 300.0
"""Between two passes, about."""

Change = Literal["new", "changed", "moved", "gone", "failed", "same"]

log = logs.get(__name__)


@dataclass(slots=True)
class Report:
    """What a pass over a source found."""

    counts: Counter[Change] = field(default_factory=Counter[Change])
    problem: str = ""
    is_busy: bool = False
    """Somebody else works on it."""


class Sync:
    """One for a process; `by` tells it from others that work on the same sources."""

    def __init__(self, ingest: Ingest, *, drive: Drive | None = None, by: str = "") -> None:
        self._ingest = ingest
        self._db = ingest.db
        self._drive = drive
        self._by = by or secrets.token_hex(8)

    async def all(self, progress: Progress = unheard) -> dict[str, Report]:
        """Every source after another, by name."""
        found = await documents.sources(self._db)
        return {source.name: await self.one(source, progress) for source in found}

    async def one(self, source: Source, progress: Progress = unheard) -> Report:
        """Raises `Unavailable` and `ModelFailed`: what was done until then stays done, and the
        next pass goes on from there."""
        report = Report()
        if not await self._hold(source):
            report.is_busy = True
            return report
        cursor = source.cursor
        progress = self._holding(source, progress)
        try:
            if source.kind == "folder":
                await self._folder(source, report, progress)
            elif self._drive is None:
                report.problem = "No Microsoft account can be connected here."
            else:
                cursor = await self._of_drive(self._drive, source, report, progress)
        except SourceFailed as fault:
            report.problem = str(fault)
        finally:
            await documents.synced(
                self._db,
                source.id,
                self._by,
                cursor=cursor,
                problem=report.problem,
                now=self._ingest.clock(),
            )
        log.info("documents.synced", source=source.id, **dict(report.counts.items()))
        return report

    async def remove(self, source: Source) -> int:
        """Forget the source and all of its documents; how many those were."""
        found = await documents.of_source(self._db, source.id)
        for document in found:
            await self._ingest.forget(document)
        await documents.remove_source(self._db, source.id)
        return len(found)

    async def _hold(self, source: Source) -> bool:
        now = self._ingest.clock()
        return await documents.hold(self._db, source.id, self._by, now=now, seconds=HOLD_SECONDS)

    def _holding(self, source: Source, progress: Progress) -> Progress:
        """The progress, with a word now and then that somebody is still at it."""
        held_at = self._ingest.clock()

        async def heard(name: str, what: str, done: int, total: int) -> None:
            nonlocal held_at
            if self._ingest.clock() - held_at > HOLD_SECONDS / 4:
                held_at = self._ingest.clock()
                await self._hold(source)
            await progress(name, what, done, total)

        return heard

    async def _folder(self, source: Source, report: Report, progress: Progress) -> None:
        root = Path(source.place)
        files = await asyncio.to_thread(folder.listed, root, source.readers)
        known = {one.path: one for one in await documents.of_source(self._db, source.id)}
        if known and not files:
            report.problem = (
                f"The folder {root} is empty. Its {len(known)} documents are kept, in case it is"
                " only out of reach; `countersign documents remove` forgets them."
            )
            return
        paths = {found.path for found in files}
        lost = {path: one for path, one in known.items() if path not in paths}
        for found in files:
            report.counts[await self._file(source, root, found, known, lost, progress)] += 1
        for document in lost.values():
            await self._ingest.forget(document)
            report.counts["gone"] += 1

    async def _file(
        self,
        source: Source,
        root: Path,
        found: Found,
        known: dict[str, Document],
        lost: dict[str, Document],
        progress: Progress,
    ) -> Change:
        before = known.get(found.path)
        scope = documents.scope_of(found.readers)
        if before is None or before.scope != scope:
            await documents.know_readers(self._db, found.readers)
        if before is not None and before.scope != scope:
            before = await self._ingest.move(before, scope)
        if before is not None and is_current(before, found.stamp):
            return "same"
        limit = self._ingest.limits.bytes
        try:
            content = await asyncio.to_thread(folder.content, root, found.path, limit)
        except SourceFailed as fault:
            document = before or fresh(source, found.path, scope)
            failed = replace(document, state="failed", problem=str(fault), stamp=found.stamp)
            await documents.put(self._db, failed)
            return "failed"
        moved = None if before else _twin(lost, digest_of(content))
        document = before or moved or fresh(source, found.path, scope)
        document = replace(
            document,
            path=found.path,
            name=found.path.rpartition("/")[2],
            scope=scope,
            stamp=found.stamp,
            link=f"{source.link}{found.path}" if source.link else "",
        )
        taken = await self._ingest.take(document, content, billing_of(source), progress)
        if taken.state == "failed":
            return "failed"
        return "moved" if moved else "changed" if before else "new"

    async def _of_drive(
        self, drive: Drive, source: Source, report: Report, progress: Progress
    ) -> str:
        """Take what changed in the drive; where its list of changes goes on."""
        changes = await drive.changes(source)
        known = {one.path: one for one in await documents.of_source(self._db, source.id)}
        if changes.is_whole:
            gone: Sequence[str] = [id for id in known if id not in changes.files]
        else:
            gone = [id for id in changes.gone if id in known]
        for id in gone:
            await self._ingest.forget(known[id])
            report.counts["gone"] += 1
        for id, item in changes.files.items():
            await self._hold(source)
            before = known.get(id)
            is_shared = SHARED in source.readers
            readers = await drive.readers(source, id) if is_shared else source.readers
            scope = await documents.know_readers(self._db, readers or _own(source))
            document = before or fresh(source, id, scope)
            document = replace(document, name=item.name, link=item.link, scope=scope)
            if before and before.name == item.name and is_current(before, item.stamp):
                report.counts["same"] += 1
                continue
            document = replace(document, stamp=item.stamp)
            try:
                content = await drive.content(source, item, self._ingest.limits.bytes)
            except SourceFailed as fault:
                failed = replace(document, state="failed", problem=str(fault))
                await documents.put(self._db, failed)
                report.counts["failed"] += 1
                continue
            taken = await self._ingest.take(document, content, billing_of(source), progress)
            is_failed = taken.state == "failed"
            report.counts["failed" if is_failed else "changed" if before else "new"] += 1
        await self._share(drive, source, [known[id] for id in known if id not in changes.files])
        return changes.cursor

    async def _share(self, drive: Drive, source: Source, kept: Sequence[Document]) -> None:
        """Ask anew with whom the next part of the documents is shared: a change of that is no
        change of the file. Who loses a document loses it at their next question in any case."""
        if SHARED not in source.readers or not kept:
            return
        begin = int(self._ingest.clock() // PASS_SECONDS) * ASKED_ANEW % len(kept)
        for document in [*kept[begin:], *kept[:begin]][:ASKED_ANEW]:
            await self._hold(source)
            readers = await drive.readers(source, document.path)
            if readers and documents.scope_of(readers) != document.scope:
                scope = await documents.know_readers(self._db, readers)
                await self._ingest.move(document, scope)


def _own(source: Source) -> tuple[str, ...]:
    return tuple(reader for reader in source.readers if reader != SHARED)


def fresh(source: Source, path: str, scope: str) -> Document:
    return Document(
        id=secrets.token_hex(8),
        source=source.id,
        path=path,
        name=path.rpartition("/")[2],
        scope=scope,
    )


def is_current(document: Document, stamp: str) -> bool:
    """Whether it was read to its end, as it is and as files are read now."""
    is_read = document.state == "ready" and document.digest.startswith(f"{LAYOUT}:")
    return document.stamp == stamp and (is_read or document.state == "failed")


def billing_of(source: Source) -> Billing:
    return Billing(
        turn=TurnId(f"documents:{source.id}"),
        thread=ThreadId(""),
        person=PersonId(source.owner),
        place="",
        purpose="documents",
    )


def _twin(lost: dict[str, Document], digest: str) -> Document | None:
    """The document that was at another path with these bytes; it is lost no longer."""
    for path, document in lost.items():
        if document.digest == digest:
            return lost.pop(path)
    return None
