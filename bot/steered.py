"""Puts together what admins steer by: orders, the file that is read again, sweeps, erasures."""

from collections.abc import Awaitable, Callable, Sequence

from bot.chats import Chats
from bot.config import Config
from bot.erasing import Eraser
from bot.grouping import Grouping
from bot.lifecycle import Loop, Part
from bot.office import OfficeRooms
from bot.pricing import Prices
from bot.reloading import Reloading
from bot.settings import Settings
from bot.sweeper import Sweeper
from core.approvals.rooms import Rooms as Approvals
from core.errors import CountersignError, Unreadable
from core.llm.models import rates
from core.records import PersonId, TurnId
from core.storage.retention import Forget, Retention
from core.turn.lanes import Lanes
from core.turn.orders.desk import Desk
from core.turn.orders.own import Own
from core.turn.orders.speaking import Ground
from core.turn.retrieve import source
from core.turn.run import Rooms
from core.turn.steering import Ids, nobody_else


def orders(rooms: Rooms, office: OfficeRooms, chats: Chats) -> Desk:
    """What carries out the commands of people and admins."""

    async def name(id: str) -> str:
        """Of a person or a place."""
        try:
            return await chats.called(id)
        except CountersignError:
            return ""

    async def connection(person: PersonId) -> str:
        account = await office.accounts.account(person) if office.accounts else None
        return (account.address or account.name) if account else ""

    ground = Ground(db=rooms.db, clock=rooms.clock, name=name)
    return Desk(
        ground=ground,
        steering=rooms.steering,
        spending=rooms.spending,
        catalog=rooms.catalog,
        home=Own(
            ground=ground,
            catalog=rooms.catalog,
            spending=rooms.spending,
            connection=connection,
            has_accounts=office.accounts is not None,
        ),
    )


def steered(
    settings: Settings,
    config: Config,
    rooms: Rooms,
    approvals: Approvals,
    lanes: Lanes,
    office: OfficeRooms,
    chats: Chats,
    domains: frozenset[str],
) -> tuple[Part, ...]:
    """What works beside the turns, in the order of its start. `domains` are our own beside those
    of the file."""
    prices = Prices(rooms.db, rooms.meter, rates(config.models.values()))
    reloading = Reloading(settings, rooms.steering, domains, prices.look)
    eraser = Eraser(approvals, lanes, rooms.index, _disconnecting(office))
    keeping = Retention(**config.retention.model_dump())
    sweeper = Sweeper(rooms.db, rooms.clock, keeping, _forget(rooms))
    sources = {"slack": chats.members, "entra": office.members}
    grouping = Grouping(rooms.db, rooms.steering, sources, rooms.clock)
    return (
        Loop(name="groups", work=grouping.run, drain=grouping.drain),
        Loop(name="reloading", work=reloading.run, drain=reloading.drain),
        Loop(name="sweeper", work=sweeper.run, drain=sweeper.drain),
        Loop(name="eraser", work=eraser.run, drain=eraser.drain),
    )


def _forget(rooms: Rooms) -> Forget:
    async def forget(turns: Sequence[TurnId]) -> None:
        await rooms.index.forget_all([source(turn) for turn in turns])

    return forget


def _disconnecting(office: OfficeRooms) -> Callable[[PersonId], Awaitable[None]]:
    async def disconnect(person: PersonId) -> None:
        if office.connecting is not None:
            await office.connecting.disconnect(person)

    return disconnect


def proven(office: OfficeRooms) -> Ids:
    """What is proven of a person by the account that they linked, or by Teams itself."""
    if office.accounts is None:
        return nobody_else
    accounts = office.accounts

    async def ids(person: PersonId) -> frozenset[str]:
        try:
            human = await accounts.human(person)
        except Unreadable:
            # An altered link proves nothing.
            return frozenset()
        proven = {f"entra:{human.account.oid}"} if human.account else set[str]()
        return frozenset({*human.persons, *proven})

    return ids
