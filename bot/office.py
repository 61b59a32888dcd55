"""Puts the office together: people's accounts, effects, the office server and its credentials."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from bot.chats import Chats
from bot.settings import Microsoft
from core.capabilities.servers import Server
from core.connectors import groups
from core.connectors.chat.transcript import Transcript
from core.connectors.effects import effects
from core.connectors.graph import Graph, GraphSettings
from core.connectors.office import Office
from core.connectors.outcome import Effect
from core.connectors.scopes import SERVER, credentials_for
from core.errors import CountersignError, NeedsAccount, SourceFailed
from core.identity.accounts import Accounts
from core.identity.steps import Linked, Refusal
from core.identity.vault import KeyRing
from core.parked import Verdict
from core.ports import Clock
from core.records import Address, PersonId, Tool
from core.specialists.server import serving_later
from core.storage.database import Database
from core.telemetry import logs

Zone = Callable[[PersonId], Awaitable[str]]
Told = Callable[[Linked], Awaitable[None]]
_IN_A_BROWSER = "Microsoft asks for a further proof: connect your account in the browser."
_LATER = "Your account could not be connected just now. Please try again."
log = logs.get(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficeRooms:
    accounts: Accounts | None
    """None where no Microsoft account can be connected."""
    connecting: "Connecting | None"
    effects: Mapping[str, Effect]
    server: Server
    graph: Graph | None = None
    """None without Microsoft 365."""
    transcript: Transcript | None = None
    """None without Microsoft 365."""
    warm: Callable[[], Awaitable[object]]
    """Loads what the first click would wait for."""

    async def members(self, group: str) -> tuple[str, ...]:
        """The object ids of who is in a group of Entra. Raises `CountersignError`."""
        if self.accounts is None or self.graph is None:
            raise SourceFailed("Microsoft 365 is not connected here")
        return await groups.members(self.graph, await self.accounts.own_token(groups.SCOPE), group)

    async def credentials(self, person: PersonId, tool: Tool) -> Mapping[str, str]:
        """`core.loop.calls.Credentials`: the person's own token, for the tools that read with
        it. Raises `NeedsAccount` with what a sign-in has to ask for."""
        return await self.signed_in(person, credentials_for(tool))

    async def signed_in(self, person: PersonId, scopes: tuple[str, ...]) -> Mapping[str, str]:
        """The person's own token for these permissions, as a header; nothing where there are none
        or no account can be connected. Raises `NeedsAccount`."""
        if not scopes or self.accounts is None:
            return {}
        try:
            token = await self.accounts.token(person, scopes, fresh=False)
        except NeedsAccount as missing:
            if self.connecting is not None and missing.kind != "unavailable":
                self.connecting.lacks(person, scopes, missing.claims)
            raise
        if self.connecting is not None:
            self.connecting.has_proven(person)
        return {"authorization": f"Bearer {token.value}"}


class Connecting:
    """`core.ports.Accounts` that asks for what people lacked since they last connected: a
    permission or a further proof is asked for when something needs it, and no earlier."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        self.told: Told = _untold
        """Who wants to know that an account was connected."""
        self._lacked: dict[PersonId, set[str]] = {}
        self._unproven: dict[PersonId, str] = {}
        """Claims challenges."""

    def lacks(self, person: PersonId, scopes: Iterable[str], claims: str) -> None:
        self._lacked.setdefault(person, set()).update(scopes)
        if claims:
            self._unproven[person] = claims

    def has_proven(self, person: PersonId) -> None:
        self._unproven.pop(person, None)

    async def offer(
        self, person: PersonId, scopes: Iterable[str], address: Address, *, claims: str = ""
    ) -> Verdict:
        """`core.approvals.rooms.Links`. What it asks for is asked for by `connect` as well: the
        person may not have been shown this link."""
        wanted = tuple(scopes)
        self.lacks(person, wanted, claims)
        return await self._accounts.offer(person, wanted, address, claims=claims)

    async def connect(self, person: PersonId, address: Address) -> Verdict:
        scopes = sorted(self._lacked.get(person, ()))
        claims = self._unproven.get(person, "")
        return await self._accounts.offer(person, scopes, address, claims=claims)

    async def exchange(self, person: PersonId, assertion: str, address: Address) -> Verdict:
        """Where a further proof is asked for, only a browser gives it."""
        if person in self._unproven:
            return Verdict(kind="refused", sentence=_IN_A_BROWSER)
        scopes = sorted(self._lacked.get(person, ()))
        try:
            found = await self._accounts.exchange(person, scopes, assertion, address)
            if isinstance(found, Refusal):
                return Verdict(kind="refused", sentence=found.sentence)
            await self.told(found)
        except CountersignError as error:
            log.warning("account.not_exchanged", reason=type(error).__name__)
            return Verdict(kind="refused", sentence=_LATER)
        who = found.account.name or found.account.address
        return Verdict(kind="recorded", sentence=f"Your Microsoft account ({who}) is connected.")

    async def disconnect(self, person: PersonId) -> str:
        self._lacked.pop(person, None)
        self._unproven.pop(person, None)
        return await self._accounts.disconnect(person)


async def opened(
    held: AsyncExitStack,
    db: Database,
    keys: KeyRing,
    settings: Microsoft | None,
    *,
    chat: Chats,
    clock: Clock,
) -> OfficeRooms:
    """What acts on people's behalf: the chat platform, and where `settings` are given Microsoft
    365. Closed with `held`."""
    if settings is None:
        alone = effects(None, chat)
        server = await _served(held, lambda: _server(None, alone))
        return OfficeRooms(
            accounts=None, connecting=None, effects=alone, server=server, warm=_nothing
        )
    accounts = Accounts(db, keys, settings.entra, directory=chat.directory, clock=clock)
    held.push_async_callback(accounts.close)
    graph = Graph(GraphSettings(url=settings.graph_url))
    held.push_async_callback(graph.close)
    office = Office(graph=graph, db=db, accounts=accounts, clock=clock, zone=chat.zone)
    found = effects(office, chat)

    async def warm() -> None:
        await graph.warm()
        await accounts.warm()

    server = await _served(held, lambda: _server((graph, chat.zone), found))
    return OfficeRooms(
        accounts=accounts,
        connecting=Connecting(accounts),
        effects=found,
        server=server,
        graph=graph,
        transcript=Transcript(office),
        warm=warm,
    )


async def _served(held: AsyncExitStack, made: Callable[[], Any]) -> Server:
    return Server(name=SERVER, app=await held.enter_async_context(serving_later(made)))


def _server(reads: tuple[Graph, Zone] | None, found: Mapping[str, Effect]) -> Any:
    from core.specialists.office.reader import Reader
    from core.specialists.office.server import office_server

    reader = Reader(graph=reads[0], zone=reads[1]) if reads else None
    return office_server(reader, tuple(found))


async def _untold(_: Linked) -> None:
    """Until somebody wants to know."""


async def _nothing() -> None:
    """Without Microsoft 365 there is nothing to load."""
