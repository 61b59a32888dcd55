"""Puts the data specialists together: SQL sources, semantic models, posted spreadsheets."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.chats import Chats
from bot.config import POWERBI, SHEETS, SOURCES
from bot.office import OfficeRooms
from bot.settings import Settings
from core.capabilities.servers import Server
from core.errors import ModelFailed, SourceFailed
from core.llm.chat import ChatDoor
from core.llm.models import ModelSettings
from core.loop.calls import Credentials
from core.ports import Clock
from core.records import (
    Billing,
    FileRef,
    ModelMessage,
    ModelReply,
    PersonId,
    ThreadId,
    Tool,
    ToolSchema,
)
from core.specialists.dax.client import PowerBI
from core.specialists.dax.pace import Pace
from core.specialists.dax.source import SCOPE, SemanticModel
from core.specialists.errand import Ask
from core.specialists.server import serving_later
from core.specialists.sql.engine import Engine, engine_for
from core.specialists.sql.signing import scopes_of
from core.specialists.sql.source import Source
from core.specialists.sql.values import Values
from core.storage import inbox, posted
from core.storage.database import Database

HASTE = 5.0
"""Seconds by which a specialist has to be done before its call is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the data specialists are made of."""

    db: Database
    chats: Chats
    chat: ChatDoor
    models: Mapping[str, ModelSettings]
    """The default one first. A specialist is asked by the model of the question."""
    clock: Clock
    settings: Settings
    sources: Sequence[Source]
    semantic_models: Sequence[SemanticModel] = ()
    deadline: float
    """Seconds that a call may take."""


async def servers(held: AsyncExitStack, wanted: Wanted) -> tuple[Server, ...]:
    """In process, each made when it is first asked. Closed with `held`."""
    found = [await _served(held, SHEETS, lambda: _sheets(wanted))]
    if _sources(wanted):
        engines: dict[str, Engine] = {}
        held.push_async_callback(_closed, engines)
        found.append(await _served(held, SOURCES, lambda: _sql(wanted, engines)))
    if wanted.semantic_models and wanted.settings.microsoft is not None:
        service = PowerBI(wanted.settings.powerbi_url, Pace(wanted.clock))
        held.push_async_callback(service.close)
        found.append(await _served(held, POWERBI, lambda: _powerbi(wanted, service)))
    return tuple(found)


def asking(wanted: Wanted) -> Ask | None:
    """The metered door to the model that the turn was asked of; None where there is none that
    writes queries."""
    if all(one.provider == "demo" for one in wanted.models.values()):
        return None

    async def ask(
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolSchema],
        billing: Billing,
        deadline: float,
    ) -> ModelReply:
        asked = await inbox.read(wanted.db, billing.turn)
        named = "" if asked is None else asked.turn.model
        model = wanted.models.get(named) or next(iter(wanted.models.values()))
        if model.provider == "demo":
            raise ModelFailed("rejected", "the demo model writes no queries")
        return await wanted.chat.ask(model.key, messages, tools, billing, deadline)

    return ask


def credentials(wanted: Wanted, office: OfficeRooms) -> Credentials:
    """The person's own sign-in, for sources that take it and for the office."""
    by_tool = {f"{SOURCES}/ask_{one.id}": scopes_of(one) for one in wanted.sources}

    async def of(person: PersonId, tool: Tool) -> Mapping[str, str]:
        if tool.server == POWERBI:
            return await office.signed_in(person, (SCOPE,))
        if tool.server == SOURCES:
            return await office.signed_in(person, by_tool.get(tool.key, ()))
        return await office.credentials(person, tool)

    return of


class Posted:
    """`core.specialists.sheets.server.Files`: the files of a thread, fetched where they were
    posted with that platform's own token."""

    def __init__(self, db: Database, chats: Chats) -> None:
        self._db, self._chats = db, chats

    async def of(self, thread: ThreadId) -> Sequence[FileRef]:
        return await posted.of_thread(self._db, thread)

    async def fetch(self, file: FileRef, *, limit: int, person: PersonId) -> bytes:
        surface = self._chats.surfaces.get(file.id.partition(":")[0])
        if surface is None:
            raise SourceFailed(f"I cannot read {file.name}: its chat is not connected any more.")
        return await surface.fetch(file, limit=limit, person=person)


async def _served(held: AsyncExitStack, name: str, make: Callable[[], Any]) -> Server:
    app = await held.enter_async_context(serving_later(make))
    return Server(name=name, app=app, accept="all")


def _sources(wanted: Wanted) -> Sequence[Source]:
    """Those of the file, and the sample's in the local workspace."""
    if not wanted.settings.is_workspace:
        return wanted.sources
    from core.specialists.sample.workshop import workshop

    return (*wanted.sources, workshop(_folder(wanted.settings) / "workshop.duckdb"))


def _sql(wanted: Wanted, engines: dict[str, Engine]) -> Any:
    from core.specialists.sample.workshop import write
    from core.specialists.sql.desk import Profiles
    from core.specialists.sql.server import Open, source_server

    if wanted.settings.is_workspace:
        write(_folder(wanted.settings) / "workshop.duckdb")
    opened: list[Open] = []
    for source in _sources(wanted):
        engine = engines[source.id] = engine_for(source)
        values = Values(source, engine)
        opened.append(Open(source=source, engine=engine, values=values, profiles=Profiles()))
    return source_server(opened, _rooms(wanted))


def _powerbi(wanted: Wanted, service: PowerBI) -> Any:
    from core.specialists.dax.server import Open, model_server

    opened = [Open(source=one, service=service) for one in wanted.semantic_models]
    return model_server(opened, _rooms(wanted))


def _sheets(wanted: Wanted) -> Any:
    from core.specialists.sheets.server import Sheets, sheet_server
    from core.specialists.sheets.shelf import Shelf

    shelf = Shelf(_folder(wanted.settings) / "sheets")
    files = Posted(wanted.db, wanted.chats)
    return sheet_server(Sheets(shelf=shelf, files=files, rooms=_rooms(wanted)))


def _rooms(wanted: Wanted) -> Any:
    from core.specialists.sql.server import Rooms

    return Rooms(
        ask=asking(wanted),
        clock=wanted.clock,
        zone=wanted.chats.zone,
        seconds=max(1.0, wanted.deadline - HASTE),
    )


def _folder(settings: Settings) -> Path:
    folder = (settings.state / "data").resolve()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


async def _closed(engines: Mapping[str, Engine]) -> None:
    for engine in engines.values():
        await engine.close()
