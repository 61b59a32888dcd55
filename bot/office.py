"""Puts the Microsoft side together: accounts, effects, the office server and its credentials."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from bot.settings import Microsoft
from core.capabilities.servers import Server
from core.connectors.effects import effects
from core.connectors.graph import Graph, GraphSettings
from core.connectors.office import Office
from core.connectors.outcome import Effect
from core.connectors.scopes import SERVER, credentials_for
from core.errors import NeedsAccount
from core.identity.accounts import Accounts
from core.identity.steps import Directory
from core.identity.vault import KeyRing
from core.parked import Verdict
from core.ports import Clock
from core.records import Address, PersonId, Tool
from core.specialists.server import serving_later
from core.storage.database import Database

Zone = Callable[[PersonId], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficeRooms:
    accounts: Accounts
    connecting: "Connecting"
    effects: Mapping[str, Effect]
    server: Server

    async def credentials(self, person: PersonId, tool: Tool) -> Mapping[str, str]:
        """`core.loop.calls.Credentials`: the person's own token, for the tools that read with
        it. Raises `NeedsAccount` with a sentence that says how to connect."""
        scopes = credentials_for(tool)
        if not scopes:
            return {}
        try:
            token = await self.accounts.token(person, scopes, fresh=False)
        except NeedsAccount as missing:
            how = ""
            if missing.kind != "unavailable":
                self.connecting.lacks(person, scopes)
                how = " To connect it, write `connect` to me, then ask again."
            raise NeedsAccount(missing.kind, f"{missing}{how}") from None
        return {"authorization": f"Bearer {token.value}"}


class Connecting:
    """`core.ports.Accounts` that asks for what people lacked since they last connected: a
    permission is asked for when something needs it, and no earlier."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        self._lacked: dict[PersonId, set[str]] = {}

    def lacks(self, person: PersonId, scopes: Sequence[str]) -> None:
        self._lacked.setdefault(person, set()).update(scopes)

    async def connect(self, person: PersonId, address: Address) -> Verdict:
        scopes = sorted(self._lacked.get(person, ()))
        return await self._accounts.offer(person, scopes, address)

    async def disconnect(self, person: PersonId) -> str:
        self._lacked.pop(person, None)
        return await self._accounts.disconnect(person)


async def opened(
    held: AsyncExitStack,
    db: Database,
    keys: KeyRing,
    settings: Microsoft,
    *,
    directory: Directory,
    zone: Zone,
    clock: Clock,
) -> OfficeRooms:
    """Everything behind a person's Microsoft account; closed with `held`."""
    accounts = Accounts(db, keys, settings.entra, directory=directory, clock=clock)
    held.push_async_callback(accounts.close)
    graph = Graph(GraphSettings(url=settings.graph_url))
    held.push_async_callback(graph.close)
    found = effects(Office(graph=graph, db=db, accounts=accounts, clock=clock, zone=zone))

    def made() -> Any:
        from core.specialists.office.reader import Reader
        from core.specialists.office.server import office_server

        return office_server(Reader(graph=graph, zone=zone), tuple(found))

    app = await held.enter_async_context(serving_later(made))
    connecting = Connecting(accounts)
    return OfficeRooms(
        accounts=accounts, connecting=connecting, effects=found, server=Server(name=SERVER, app=app)
    )
