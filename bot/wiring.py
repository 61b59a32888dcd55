"""Builds the bot from its settings: the one place that sees the adapters and all rooms."""

import random
import secrets
import shutil
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aiohttp import web

from adapters.slack import edge, manifest
from adapters.teams import edge as teams_edge
from bot import connect, inside, loading, papers, specialists, turns
from bot.chats import Chats, Pacings
from bot.config import SAMPLE, Config
from bot.eyes import eyes
from bot.lifecycle import Loop, Part
from bot.microsoft import People, Tokens, Welcome
from bot.observing import watched
from bot.office import OfficeRooms, opened
from bot.papers import PaperRooms
from bot.pinned import Pinned
from bot.settings import Microsoft, Settings
from bot.steered import orders, proven, steered
from core.approvals.desk import Desk
from core.approvals.executor import Executor
from core.approvals.rooms import NoTokens
from core.approvals.rooms import Rooms as Approvals
from core.capabilities.catalog import Catalog
from core.capabilities.servers import Limits, Server
from core.identity.settings import EntraSettings
from core.identity.vault import KeyRing
from core.ledger.meter import Meter
from core.llm.chat import ChatDoor
from core.llm.embed import EmbeddingSettings, EmbedDoor
from core.llm.models import ModelSettings, rates
from core.loop.loop import Loop as TurnLoop
from core.ports import Clock, Surface
from core.records import LedgerEntry
from core.specialists.server import serving_later
from core.storage import entries, outbox, probe
from core.storage.database import Database, open_database
from core.storage.index import open_index
from core.telemetry import logs
from core.telemetry.health import Readings
from core.telemetry.redact import Redactor
from core.turn import run
from core.turn.deliver import Courier
from core.turn.intake import Intake
from core.turn.lanes import LaneLimits, Lanes
from core.turn.orders.desk import Desk as Orders
from core.turn.run import Rooms
from core.turn.rush import Rush
from core.turn.spending import Spending
from core.turn.steering import Steering
from core.turn.take_back import TakeBack

if TYPE_CHECKING:
    from bot.workspace.local import LocalWorkspace

OWN_MANIFEST = "https://countersign.invalid"
"""Any address will do: the local workspace is told where the bot is when it is up."""
DRAIN_SECONDS = 18.0
"""For running turns to end, before they are given back."""

log = logs.get(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wired:
    """A `bot.server.Application`."""

    rooms: Rooms
    routes: Sequence[web.AbstractRouteDef]
    parts: Sequence[Part]
    lanes: Lanes
    settings: Settings
    workspace: "LocalWorkspace | None"

    async def health(self) -> Readings:
        now = self.rooms.clock()
        folder = self.settings.state
        return Readings(
            database=await probe.write_fault(self.rooms.db, now=now),
            disk_free=shutil.disk_usage(folder).free if folder.exists() else None,
            lane_silence=max(0.0, now - (self.lanes.looked_at or now)),
            outbox_age=(await outbox.backlog(self.rooms.db, now=now)).lag,
        )

    def greeting(self, address: str) -> str:
        if self.workspace is None:
            return f"Countersign is up at {address}"
        self.workspace.connect(f"{address}{edge.PATH}", f"{address}{teams_edge.PATH}")
        return self.workspace.greeting()


@asynccontextmanager
async def build(
    settings: Settings,
    config: Config,
    *,
    clock: Clock = time.time,
    pacings: Pacings | None = None,
    has_samples: bool = False,
) -> AsyncGenerator[Wired]:
    """The bot, ready to be started. What it holds open is closed on the way out, after the parts
    have drained. `pacings` replace the platforms' own; it `has_samples` where documents to try it
    with are wanted. Raises `Misconfigured`."""
    async with AsyncExitStack() as held:
        workspace = await _workspace(held, settings)
        domains = workspace.microsoft.tenant.domains if workspace else frozenset[str]()
        if workspace is not None:
            settings = replace(settings, microsoft=_local_microsoft(settings, workspace))
            own = config.rules.domains | domains
            config = replace(config, rules=replace(config.rules, domains=own))
        chats = Chats(settings, config, workspace, pacings)
        db = await open_database(settings.database, state=settings.state)
        held.push_async_callback(db.close)
        keys = KeyRing.parse(settings.keys)
        office = await opened(held, db, keys, settings.microsoft, chat=chats, clock=clock)
        rooms, shelf = await _rooms(held, db, settings, config, clock, office, chats, has_samples)
        approvals = _approvals(rooms, office, chats)
        rooms = replace(rooms, approvals=approvals)
        rush = Rush()
        lanes = _lanes(rooms, clock, rush)
        take_back = TakeBack(approvals, lanes, rooms.index, rooms.surfaces)
        door = _door(rooms, take_back, orders(rooms, office, chats), rush)
        chats.connect(db, keys, door, clock, desk=Desk(approvals), office=office)
        rooms.surfaces.update(chats.surfaces)
        rooms.listeners.update(chats.listeners)
        welcome = Welcome(db, approvals)
        if office.connecting is not None:
            office.connecting.told = welcome
        connect_routes = connect.routes(office.accounts, welcome) if office.accounts else []
        if workspace is not None:
            workspace.look_inside(inside.reader(db))
        clean = Redactor(settings.secrets()).clean
        parts, routes = watched(settings.observing, db, clock, clean)
        works = _parts(rooms, approvals, chats, lanes, office)
        steers = steered(settings, config, rooms, approvals, lanes, office, chats, domains)
        yield Wired(
            rooms=rooms,
            routes=(*chats.routes, *connect_routes, *shelf.routes, *routes),
            parts=(*parts, shelf.part(), *works, *steers),
            lanes=lanes,
            settings=settings,
            workspace=workspace,
        )


def _door(rooms: Rooms, take_back: TakeBack, orders: Orders, rush: Rush) -> Intake:
    return Intake(
        rooms.db,
        rooms.steering,
        rooms.catalog,
        rooms.clock,
        new_id=_new_id,
        approvals=True,
        take_back=take_back,
        spending=rooms.spending,
        orders=orders,
        rush=rush,
    )


def _parts(
    rooms: Rooms,
    approvals: Approvals,
    chats: Chats,
    lanes: Lanes,
    office: OfficeRooms,
) -> tuple[Part, ...]:
    """What works in the background, in the order of its start; questions come in last."""
    return (
        *chats.parts(),
        *(_courier(rooms, surface) for surface in chats.surfaces.values()),
        _executor(approvals),
        Loop(
            name="lanes",
            work=lambda: loading.running(rooms, lanes, office, chats),
            drain=lambda: lanes.drain(DRAIN_SECONDS),
            grace=DRAIN_SECONDS + 2.0,
        ),
        *chats.sockets(),
    )


def _local_microsoft(settings: Settings, workspace: "LocalWorkspace") -> Microsoft:
    """The workspace's own tenant. Browsers come back to the bot's port, which therefore has to
    be known before it listens."""
    played = workspace.microsoft
    address = settings.public_url or f"http://{settings.host}:{settings.port}"
    played.app.redirect_uris.append(f"{address}/connect/callback")
    entra = EntraSettings(
        tenant_id=played.tenant.id,
        client_id=played.app.client_id,
        client_secret=played.app.secret,
        authority=f"{played.entra_url}/{played.tenant.id}",
        public_url=address,
    )
    return Microsoft(entra=entra, graph_url=played.graph_url)


def _approvals(rooms: Rooms, office: OfficeRooms, chats: Chats) -> Approvals:
    return Approvals(
        db=rooms.db,
        clock=rooms.clock,
        rules=lambda: rooms.steering.rules,
        look=rooms.steering.fresh,
        catalog=rooms.catalog,
        effects=office.effects,
        tokens=Tokens(office.accounts) if office.accounts else NoTokens(),
        people=People(chats.profile, office.accounts),
        accounts=office.connecting,
    )


def _executor(approvals: Approvals) -> Loop:
    executor = Executor(approvals)
    return Loop(
        name="executor",
        work=executor.run,
        drain=lambda: executor.drain(10.0),
        grace=12.0,
    )


async def _rooms(
    held: AsyncExitStack,
    db: Database,
    settings: Settings,
    config: Config,
    clock: Clock,
    office: OfficeRooms,
    chats: Chats,
    has_samples: bool,
) -> tuple[Rooms, PaperRooms]:
    async def add(entry: LedgerEntry) -> None:
        await entries.add(db, entry)

    meter = Meter(add, clock, rates(config.models.values()))
    steering = Steering(db, turns.setup(config), proven(office))
    spending = Spending(db, steering, config.models, meter, clock)
    chat = ChatDoor(asked(settings, config), meter, clock, gate=spending.call)
    held.push_async_callback(chat.close)
    embed = EmbedDoor(embeddings(settings, config), meter, clock)
    held.push_async_callback(embed.close)
    index = await open_index(db, model=embed.model)
    held.push_async_callback(index.close)
    seeing = eyes(settings, chat, meter)
    shelf = papers.shelf(db, index, embed, seeing, clock, settings, config, office, has_samples)
    documents = await shelf.served(held, chat.ask, config.models)
    wanted = _wanted(db, settings, config, clock, chats, chat)
    sources = await specialists.servers(held, wanted)
    servers = [*config.servers, office.server, documents, *sources]
    if settings.is_workspace:
        sample = await held.enter_async_context(serving_later(_sample))
        servers.append(Server(name=SAMPLE, app=sample))
    catalog = await held.enter_async_context(_catalog(db, servers, config, clock))
    rooms = Rooms(
        db=db,
        steering=steering,
        spending=spending,
        catalog=catalog,
        chat=chat,
        models=dict(config.models),
        embed=embed,
        index=index,
        meter=meter,
        loop=TurnLoop(db, KeyRing.parse(settings.keys)),
        surfaces={},
        clock=clock,
        credentials=specialists.credentials(wanted, office),
        papers=shelf.library,
    )
    return rooms, shelf


def _catalog(db: Database, servers: Sequence[Server], config: Config, clock: Clock) -> Catalog:
    limits = Limits(deadline=config.limits.call_deadline)
    return Catalog(servers, Pinned(db), clock=clock, limits=limits)


def _wanted(
    db: Database, settings: Settings, config: Config, clock: Clock, chats: Chats, chat: ChatDoor
) -> specialists.Wanted:
    return specialists.Wanted(
        db=db,
        chats=chats,
        chat=chat,
        models=config.models,
        clock=clock,
        settings=settings,
        sources=config.sources,
        semantic_models=config.semantic_models,
        deadline=config.limits.call_deadline,
    )


def _sample() -> Any:
    from core.specialists.sample.server import sample_server

    return sample_server()


def _courier(rooms: Rooms, surface: Surface) -> Loop:
    courier = Courier(rooms.db, surface, clock=rooms.clock, chance=random.random)
    return Loop(
        name=f"courier.{surface.name}",
        work=courier.run,
        drain=lambda: courier.drain(5.0),
        grace=7.0,
    )


def _lanes(rooms: Rooms, clock: Clock, rush: Rush) -> Lanes:
    return Lanes(
        rooms.db,
        clock=clock,
        owner=secrets.token_hex(8),
        run_turn=lambda turn: run.run(rooms, turn),
        on_failed=lambda turn, failure: run.fail(rooms, turn, failure),
        on_dead=lambda turn: run.bury(rooms, turn),
        limits=LaneLimits(deadline=rooms.setup.deadlines.turn),
        rush=rush,
    )


async def _workspace(held: AsyncExitStack, settings: Settings) -> "LocalWorkspace | None":
    if not settings.is_workspace:
        return None
    from bot.workspace.local import LocalWorkspace
    from bot.workspace.slack.install import installed

    app = installed(manifest.of(OWN_MANIFEST))
    return await held.enter_async_context(LocalWorkspace(port=settings.workspace_port, app=app))


def asked(settings: Settings, config: Config) -> dict[str, ModelSettings]:
    """Every model that may be asked: those that people can name, and the one that sees."""
    if not settings.vision or settings.reads_locally:
        return dict(config.models)
    seeing = settings.providers.reach(settings.vision)
    return {seeing.key: seeing, **config.models}


def embeddings(settings: Settings, config: Config) -> EmbeddingSettings:
    """Where texts become vectors."""
    return EmbeddingSettings(
        name=settings.embeddings,
        base_url=settings.providers.openai_base_url,
        api_key=settings.providers.openai_api_key,
        dimensions=config.embedding_dimensions,
    )


def _new_id() -> str:
    return secrets.token_hex(8)
