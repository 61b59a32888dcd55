"""The orders of admins, given on the command line, also beside a running bot."""

import getpass
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from bot import office, pricing, turns
from bot.admin import opened
from bot.chats import Chats
from bot.config import Config
from bot.pinned import Pinned
from bot.settings import Settings
from core.capabilities.catalog import Catalog
from core.capabilities.servers import Limits
from core.errors import Misconfigured
from core.figures import Figure
from core.identity.vault import KeyRing
from core.ledger.meter import Meter
from core.panels import Order, Panel
from core.records import LedgerEntry, Person, PersonId, Place
from core.storage import acts, erase, price_lists
from core.storage.acts import Act
from core.storage.database import Database, Transaction
from core.turn.orders.desk import Desk
from core.turn.orders.own import Own
from core.turn.orders.speaking import Ground
from core.turn.setup import Setup
from core.turn.spending import Spending
from core.turn.steering import Steering

NOWHERE = Place(surface="operator", tenant="", channel="", kind="private")


def operator() -> str:
    """Under which name the acts of this command stand on record."""
    return f"operator:{getpass.getuser()}"


async def carried(
    settings: Settings, config: Config, words: str, place: str = "", person: str = ""
) -> Panel:
    """What an order came to; the operator is an admin. `place` is where it is asked about,
    `person` who it is about where the words name nobody. Raises `Misconfigured` and
    `Unavailable`."""
    async with opened(settings) as db, AsyncExitStack() as held:
        desk = await _desk(held, db, settings, config)
        whom = f"{words} for {person}" if person else words
        order = Order(
            person=Person(id=PersonId(operator())), place=_place(place), words=whom, is_typed=True
        )
        panel = await desk(order)
    if panel is None:
        raise Misconfigured(f"`{words}` is no order.")
    return panel


async def bring_prices(settings: Settings, path: Path) -> int:
    """Let a price list count from the next use on; how many models it names. Raises
    `Misconfigured` and `Unavailable`."""
    found = pricing.read(path)
    now = time.time()
    async with opened(settings) as db:

        async def bring(tx: Transaction) -> None:
            body = found.model_dump_json(exclude_none=True)
            await price_lists.add(tx, found.version, body, operator(), now=now)
            count = f"{len(found.prices)} models"
            await acts.add(tx, Act("prices", found.version, count, "", operator(), now))

        await db.write(bring)
    return len(found.prices)


async def forget(settings: Settings, persons: Sequence[str]) -> str:
    """Put on record that these persons, who are one human, are to be forgotten; its id. A running
    bot carries it out. Raises `Misconfigured` and `Unavailable`."""
    now = time.time()
    async with opened(settings) as db:

        async def record(tx: Transaction) -> str:
            id = await erase.ask(tx, [PersonId(one) for one in persons], now=now)
            await acts.add(tx, Act("forget", id, "asked", "", operator(), now))
            return id

        return await db.write(record)


def printed(panel: Panel) -> None:
    """As plain text on standard output; a file in place of everything else."""
    if panel.file is not None:
        sys.stdout.write(panel.file.content.decode("utf-8-sig"))
        return
    print(panel.text.replace("**", "").replace("`", ""))
    for figure in panel.figures:
        if figure.kind == "table":
            print(f"\n{_table(figure)}")


def _table(figure: Figure) -> str:
    texts = [figure.columns, *(tuple(map(str, row)) for row in figure.rows)]
    wide = [max(len(row[at]) for row in texts) for at in range(len(figure.columns))]
    return "\n".join(
        "  ".join(cell.ljust(wide[at]) for at, cell in enumerate(row)).rstrip() for row in texts
    )


def _place(id: str) -> Place:
    """`slack:T…/C…`; a place of no platform where none is named."""
    surface, _, rest = id.partition(":")
    tenant, _, channel = rest.partition("/")
    if not id:
        return NOWHERE
    if not channel:
        raise Misconfigured(f"`{id}` is no place: write `slack:T…/C…`.")
    kind = "dm" if channel.startswith("D") else "public"
    return Place(surface=surface, tenant=tenant, channel=channel, kind=kind)


async def _desk(held: AsyncExitStack, db: Database, settings: Settings, config: Config) -> Desk:
    setup = turns.setup(config)
    chats = Chats(settings, config)
    keys = KeyRing.parse(settings.keys)
    rooms = await office.opened(held, db, keys, settings.microsoft, chat=chats, clock=time.time)
    servers = [*config.servers, rooms.server]
    catalog = Catalog(servers, Pinned(db), clock=time.time, limits=Limits(first_look=20.0))
    await held.enter_async_context(catalog)
    steering = Steering(db, _with_operator(setup))
    await steering.fresh()
    meter = Meter(_nothing_used, time.time)
    spending = Spending(db, steering, config.models, meter, time.time)
    ground = Ground(db=db, clock=time.time, name=_no_name, patience=None)

    async def connection(person: PersonId) -> str:
        return ""

    return Desk(
        ground=ground,
        steering=steering,
        spending=spending,
        catalog=catalog,
        home=Own(
            ground=ground,
            catalog=catalog,
            spending=spending,
            connection=connection,
            has_accounts=False,
        ),
    )


async def _nothing_used(entry: LedgerEntry) -> None:
    """No order asks a model."""


async def _no_name(id: str) -> str:
    """No platform is connected."""
    return ""


def _with_operator(setup: Setup) -> Setup:
    """Whoever may read the database and its keys may do what admins do."""
    rules = setup.rules
    return replace(setup, rules=replace(rules, admins=(*rules.admins, f"person:{operator()}")))
