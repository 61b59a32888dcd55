"""Puts the documents together: ingest, rights, the documents server, the pages that chips open."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from aiohttp import web

from bot import documents_page
from bot.config import DOCUMENTS, Config
from bot.lifecycle import Loop
from bot.office import Connecting, OfficeRooms
from bot.settings import Settings
from core.capabilities.servers import Server
from core.connectors.graph import Graph
from core.connectors.groups import own_objects
from core.errors import CountersignError, NeedsAccount
from core.identity.accounts import Accounts
from core.identity.vault import KeyRing
from core.llm.embed import EmbedDoor
from core.llm.models import ModelSettings
from core.ports import Clock
from core.records import PersonId
from core.specialists.documents.answering import Answering, Ask
from core.specialists.documents.drive import Drive
from core.specialists.documents.ingest import Eyes, Ingest
from core.specialists.documents.library import Joined, Library, Objects, alone, unknown
from core.specialists.documents.places import Addresses
from core.specialists.documents.private import Privately
from core.specialists.documents.sync import Sync
from core.specialists.server import serving_later
from core.storage import documents
from core.storage.database import Database
from core.storage.index import Index
from core.telemetry import logs

EVERY = 300.0
"""Seconds between two looks at all sources."""
LOOK = 10.0
"""Seconds between two looks at which sources there are."""
SAMPLES = "sample papers"
_PROFILE = ("User.Read",)

log = logs.get(__name__)


class PaperRooms:
    """What belongs to documents; one for the whole process."""

    def __init__(self, library: Library, sync: Sync, *, samples: Path | None = None) -> None:
        """`samples`: a folder that everybody may read, added where there is no source of its
        name."""
        self.library = library
        self.sync = sync
        self._samples = samples
        self._ended = asyncio.Event()
        self._server: Any = None
        self._is_stocked = False
        self._answering: Answering | None = None

    @property
    def routes(self) -> list[web.RouteDef]:
        return documents_page.routes(self.library)

    async def served(
        self, held: AsyncExitStack, ask: Ask, models: Mapping[str, ModelSettings]
    ) -> Server:
        """The documents server; it shows its tools while there is something to be asked."""
        self._answering = Answering(library=self.library, ask=ask, models=models)
        sources = await documents.sources(self.library.ingest.db)
        self._is_stocked = bool(sources) or self._samples is not None
        app = await held.enter_async_context(serving_later(self._made))
        return Server(name=DOCUMENTS, app=app)

    def part(self) -> Loop:
        return Loop(name="documents", work=self._work, drain=self._drain)

    def _made(self) -> Any:
        from core.specialists.documents.server import documents_server

        self._server = documents_server()
        if self._is_stocked:
            self._stock(is_full=True)
        return self._server

    async def _work(self) -> None:
        """A pass that is cut off goes on where it was, the next time."""
        async with asyncio.TaskGroup() as group:
            keeping = group.create_task(self._keep_up())
            ending = group.create_task(self._ended.wait())
            await asyncio.wait((keeping, ending), return_when=asyncio.FIRST_COMPLETED)
            keeping.cancel()
            ending.cancel()

    async def _drain(self) -> None:
        self._ended.set()

    async def _keep_up(self) -> None:
        """Keep every source as its place has it."""
        ends = 0.0
        if self._samples is not None:
            await self._add_samples(self._samples)
        while True:
            await self._show_tools()
            now = asyncio.get_running_loop().time()
            if now >= ends:
                ends = now + EVERY
                try:
                    await self.sync.all()
                # What nobody foresaw of a paper must not end the bot: the next pass tries again.
                except Exception as fault:
                    say = log.warning if isinstance(fault, CountersignError) else log.exception
                    say("documents.unsynced", kind=type(fault).__name__)
            await asyncio.sleep(LOOK)

    async def _show_tools(self) -> None:
        if self._server is None:
            return
        has_sources = bool(await documents.sources(self.library.ingest.db))
        if has_sources != self._is_stocked:
            self._stock(is_full=has_sources)

    def _stock(self, *, is_full: bool) -> None:
        from core.specialists.documents.server import stock

        if self._answering is None:
            return
        ingest = self.library.ingest
        privately = Privately(db=ingest.db, clock=ingest.clock)
        stock(self._server, self._answering, privately, is_full=is_full)
        self._is_stocked = is_full

    async def _add_samples(self, folder: Path) -> None:
        ingest = self.library.ingest
        if any(source.name == SAMPLES for source in await documents.sources(ingest.db)):
            return
        source = documents.Source(
            id="samples",
            kind="folder",
            name=SAMPLES,
            place=str(folder),
            readers=("group:everyone",),
            added_at=ingest.clock(),
        )
        await documents.add_source(ingest.db, source)


def drive_of(office: OfficeRooms) -> Drive | None:
    if office.graph is None or office.accounts is None:
        return None
    return drive(office.graph, office.accounts, office.connecting)


def drive(graph: Graph, accounts: Accounts, connecting: Connecting | None = None) -> Drive:
    """Drives, read with the tokens of these accounts."""

    async def token(person: PersonId, scopes: Sequence[str]) -> str:
        try:
            return (await accounts.token(person, scopes, fresh=False)).value
        except NeedsAccount as missing:
            if connecting is not None and missing.kind != "unavailable":
                await connecting.lacks(person, scopes, missing.claims)
            raise

    return Drive(graph, token)


def joined_by(accounts: Accounts | None) -> Joined:
    if accounts is None:
        return alone
    known = accounts

    async def joined(person: PersonId) -> Sequence[PersonId]:
        try:
            return await known.joined(person)
        except (CountersignError, NeedsAccount):
            # An account that cannot be read joins nobody.
            return (person,)

    return joined


def objects_of(office: OfficeRooms) -> Objects:
    """The ids under which Entra knows a person, asked for with the person's own token."""
    graph, accounts = office.graph, office.accounts
    if graph is None or accounts is None:
        return unknown

    async def objects(person: PersonId) -> frozenset[str]:
        try:
            token = await accounts.token(person, _PROFILE, fresh=False)
            return await own_objects(graph, token.value)
        except (CountersignError, NeedsAccount) as failure:
            log.info("documents.unknown", person=person, kind=type(failure).__name__)
            return frozenset()

    return objects


def samples() -> Path:
    """The papers of the local workspace."""
    return Path(__file__).parent / "workspace" / "papers"


def shelf(
    db: Database,
    index: Index,
    embed: EmbedDoor,
    seeing: Eyes | None,
    clock: Clock,
    settings: Settings,
    config: Config,
    office: OfficeRooms,
    has_samples: bool,
) -> PaperRooms:
    """What belongs to documents, put together."""
    ingest = Ingest(db=db, index=index, embed=embed.embed, clock=clock, eyes=seeing)
    drive = drive_of(office)
    own = f"http://{settings.host}:{settings.port}" if settings.is_workspace else ""
    library = Library(
        ingest=ingest,
        rules=lambda: config.rules,
        addresses=Addresses(
            keys=KeyRing.parse(settings.keys), clock=clock, base=settings.public_url or own
        ),
        drive=drive,
        joined=joined_by(office.accounts),
        objects=objects_of(office),
    )
    papers = samples() if has_samples else None
    return PaperRooms(library, Sync(ingest, drive=drive), samples=papers)
