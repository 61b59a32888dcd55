"""The command `countersign documents`: sources added, synced, shown, searched, removed."""

import asyncio
import re
import secrets
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from bot.addresses import sqlite_file
from bot.config import Config
from bot.eyes import eyes
from bot.settings import Settings
from core.errors import Misconfigured
from core.records import LedgerEntry, PersonId
from core.specialists.documents.drive import SHARED
from core.specialists.documents.ingest import Ingest
from core.specialists.documents.sync import HOLD_SECONDS, Report, Sync
from core.storage import documents
from core.storage.database import Conflict
from core.storage.documents import Source

EVERYONE = "group:everyone"
_READER = re.compile(
    r"shared|entra:[0-9a-f-]{36}|group:[\w.-]+|(?:person|place):[a-z]+:[^\s/]+/\S+"
    r"|tenant:[a-z]+:[^\s/]+"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the commands work with."""

    ingest: Ingest
    sync: Sync


class Bar:
    """Says how far a document is: one line that moves on a terminal, a line for each elsewhere."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._name = ""
        self._moves = out.isatty()

    async def __call__(self, name: str, what: str, done: int, total: int) -> None:
        if self._moves:
            share = f"[{'█' * (20 * done // total):<20}] " if total else ""
            of = f" of {total:,}" if total else ""
            self._out.write(f"\r\033[K{share}{name}: {done:,}{of} {what}")
        elif what == "chunks" and done == total:
            self._out.write(f"{name}: {total:,} {what}\n")
        self._out.flush()

    def end(self) -> None:
        if self._moves:
            self._out.write("\r\033[K")
            self._out.flush()


@asynccontextmanager
async def opened(settings: Settings, config: Config) -> AsyncGenerator[Desk]:
    """Beside a running bot as well. Raises `Misconfigured` and `Unavailable`."""
    from bot import office, papers, wiring
    from bot.chats import Chats
    from core.identity.vault import KeyRing
    from core.ledger.meter import Meter
    from core.llm.chat import ChatDoor
    from core.llm.embed import EmbedDoor
    from core.llm.models import rates
    from core.storage import entries
    from core.storage.database import open_database
    from core.storage.index import open_index

    async with AsyncExitStack() as held:
        db = await open_database(settings.database, state=settings.state, is_shared=True)
        held.push_async_callback(db.close)

        async def add(entry: LedgerEntry) -> None:
            await entries.add(db, entry)

        meter = Meter(add, time.time, rates(config.models.values()))
        embed = EmbedDoor(wiring.embeddings(settings, config), meter, time.time)
        held.push_async_callback(embed.close)
        index = await open_index(db, model=embed.model)
        held.push_async_callback(index.close)
        door = None
        if settings.vision and not settings.reads_locally:
            door = ChatDoor(wiring.asked(settings, config), meter, time.time)
            held.push_async_callback(door.close)
        seeing = eyes(settings, door, meter)
        ingest = Ingest(db=db, index=index, embed=embed.embed, clock=time.time, eyes=seeing)
        drive = None
        if settings.microsoft is not None and settings.keys:
            chats = Chats(settings, config, None, None)
            keys = KeyRing.parse(settings.keys)
            rooms = await office.opened(
                held, db, keys, settings.microsoft, chat=chats, clock=time.time
            )
            drive = papers.drive_of(rooms)
        yield Desk(ingest=ingest, sync=Sync(ingest, drive=drive))


async def add(
    settings: Settings,
    config: Config,
    place: str,
    *,
    name: str,
    readers: Sequence[str],
    link: str,
    owner: str,
    out: TextIO = sys.stdout,
) -> int:
    """Add a folder, or with an owner a drive, and read it. Raises `Misconfigured`."""
    source = _source(place, name=name, readers=readers, link=link, owner=owner)
    _make_database_folder(settings)
    async with opened(settings, config) as desk:
        try:
            await documents.add_source(desk.ingest.db, source)
        except Conflict as taken:
            raise Misconfigured(f"There is a source called {source.name} already.") from taken
        return await _synced(desk, [source], out)


async def sync(settings: Settings, config: Config, name: str, out: TextIO = sys.stdout) -> int:
    """Bring one source, or all, to where their places are."""
    async with opened(settings, config) as desk:
        return await _synced(desk, await _named(desk, name), out)


async def status(settings: Settings, config: Config, out: TextIO = sys.stdout) -> int:
    """Say what each source holds, and what of it could not be read."""
    async with opened(settings, config) as desk:
        found = await documents.sources(desk.ingest.db)
        if not found:
            out.write("No documents yet: countersign documents add FOLDER\n")
        for source in found:
            held = await documents.of_source(desk.ingest.db, source.id)
            ready = [one for one in held if one.state == "ready"]
            chunks = sum(one.chunks for one in ready)
            when = time.strftime("%Y-%m-%d %H:%M", time.localtime(source.synced_at))
            synced = f"synced {when}" if source.synced_at else "never synced to its end"
            out.write(f"{source.name}  {source.place}  for {', '.join(source.readers)}\n")
            out.write(f"  {len(ready)} documents, {chunks:,} passages, {synced}\n")
            for problem in (source.problem, *(one.problem for one in held)):
                if problem:
                    out.write(f"  ! {problem}\n")
        return 0


async def readers(settings: Settings, config: Config, name: str, named: Sequence[str]) -> int:
    """Let others read a source, from the next question on."""
    async with opened(settings, config) as desk:
        [source] = await _named(desk, name)
        await documents.change_readers(desk.ingest.db, source.id, _checked(named))
        return await _synced(desk, await _named(desk, name), sys.stdout)


async def remove(settings: Settings, config: Config, name: str, out: TextIO = sys.stdout) -> int:
    async with opened(settings, config) as desk:
        [source] = await _named(desk, name)
        count = await desk.sync.remove(source)
        out.write(f"{source.name} and its {count} documents are forgotten.\n")
        return 0


async def search(settings: Settings, config: Config, words: str, out: TextIO = sys.stdout) -> int:
    """Find passages in every source, whoever may read them: it is the operator who asks."""
    from core.records import Billing, ThreadId, TurnId
    from core.specialists.documents.places import label

    billing = Billing(
        turn=TurnId("documents:search"),
        thread=ThreadId(""),
        person=PersonId(""),
        place="",
        purpose="documents",
    )
    async with opened(settings, config) as desk:
        db = desk.ingest.db
        [vector] = await desk.ingest.embed([words], billing)
        scopes = list(await documents.reader_sets(db))
        found = await desk.ingest.index.search(scopes, vector, words, 8)
        where = await documents.places(db, [one.id for one in found])
        for one in found:
            document = await documents.read(db, one.source.removeprefix(documents.PREFIX))
            if document is not None and one.id in where:
                out.write(f"{label(document, where[one.id])}\n")
                out.write(f"    {' '.join(one.text.split())[:300]}\n")
        if not found:
            out.write("Nothing.\n")
        return 0


async def _synced(desk: Desk, found: Sequence[Source], out: TextIO) -> int:
    bar = Bar(sys.stderr)
    is_whole = True
    for source in found:
        report = await desk.sync.one(source, bar)
        # What a process held that was killed is free again before long.
        ends = time.monotonic() + HOLD_SECONDS + 5
        while report.is_busy and time.monotonic() < ends:
            out.write(f"{source.name}: somebody is at it; waiting…\n")
            await asyncio.sleep(5)
            report = await desk.sync.one(source, bar)
        bar.end()
        out.write(f"{source.name}: {_told(report)}\n")
        is_whole = is_whole and not report.problem
    return 0 if is_whole else 1


def _told(report: Report) -> str:
    if report.is_busy:
        return "somebody else is at it right now"
    counts = [f"{count} {change}" for change, count in sorted(report.counts.items()) if count]
    return "; ".join(filter(None, (", ".join(counts) or "nothing there", report.problem)))


async def _named(desk: Desk, name: str) -> list[Source]:
    found = await documents.sources(desk.ingest.db)
    if not name:
        return found
    chosen = [source for source in found if source.name == name]
    if not chosen:
        known = ", ".join(source.name for source in found) or "none"
        raise Misconfigured(f"There is no source called {name}; there are: {known}.")
    return chosen


def _source(place: str, *, name: str, readers: Sequence[str], link: str, owner: str) -> Source:
    base = Source(
        id=secrets.token_hex(6),
        kind="folder",
        name=name or place.rstrip("/").rpartition("/")[2],
        place=place,
        readers=_checked(readers) or (EVERYONE,),
        link=link,
        added_at=time.time(),
    )
    if owner:
        return _of_drive(base, owner)
    if SHARED in base.readers:
        raise Misconfigured("`shared` is a reader of a drive; say whose with --person.")
    path = Path(place).expanduser().resolve()
    if not path.is_dir():
        raise Misconfigured(f"{path} is no folder.")
    return replace(base, place=str(path), name=name or path.name)


def _of_drive(base: Source, owner: str) -> Source:
    person = owner.removeprefix("person:")
    place = base.place.strip("/")
    if place != "me/drive" and not place.startswith(("drives/", "sites/", "users/")):
        raise Misconfigured(
            "A drive is me/drive (the person's own OneDrive), drives/ID or sites/ID/drive."
        )
    shared = (SHARED,) if SHARED in base.readers else ()
    readers = (f"person:{person}", *shared)
    return replace(base, kind="drive", place=place, owner=person, readers=readers)


def _checked(named: Sequence[str]) -> tuple[str, ...]:
    for one in named:
        if not _READER.fullmatch(one):
            raise Misconfigured(
                f"{one} is no reader: write group:NAME, person:slack:T…/U…, place:slack:T…/C… or"
                " tenant:slack:T…"
            )
    return tuple(named)


def _make_database_folder(settings: Settings) -> None:
    """Documents may be added before the bot has ever run."""
    if file := sqlite_file(settings.database, Path()):
        file.parent.mkdir(parents=True, exist_ok=True)
