"""What the connectors reach of the rest of the house."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from core.connectors.failures import GraphFailed, reason, sign_in
from core.connectors.graph import Graph
from core.connectors.request import Request, objects, text
from core.errors import BadArguments
from core.identity.claims import Account
from core.identity.mint import Token
from core.ports import Clock
from core.records import Json, PersonId
from core.storage.database import Database


class Accounts(Protocol):
    """A person's Microsoft account; a part of core.identity."""

    async def token(self, person: PersonId, scopes: Iterable[str], *, fresh: bool = True) -> Token:
        """Raises `NeedsAccount`."""
        ...

    async def granted(self, person: PersonId) -> frozenset[str] | None:
        """The permissions that Microsoft has named so far; None without an account."""
        ...

    async def account(self, person: PersonId) -> Account | None:
        """The account under which this person would act; None when none is connected."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """One for the whole process."""

    graph: Graph
    db: Database
    accounts: Accounts
    clock: Clock
    zone: Callable[[PersonId], Awaitable[str]]
    """The time zone of a person, as an IANA name."""
    signature: str = ""
    """Stands below every mail that is sent."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


async def look(office: Office, person: PersonId, request: Request, *scopes: str) -> Json:
    """Read something while a call is prepared, with a token that may be minutes old. Raises
    BadArguments or NeedsAccount with a sentence: what cannot be shown cannot be parked."""
    token = await lookup_token(office, person, *scopes)
    try:
        return (await office.graph.ask(token, request)).body
    except GraphFailed as failure:
        if failure.status == 401:
            raise sign_in(failure, scopes) from None
        raise BadArguments(reason(failure, scopes)) from None


async def look_at_all(
    office: Office, person: PersonId, request: Request, most: int, *scopes: str
) -> list[Json]:
    """As `look`, of a list."""
    return objects((await look(office, person, request, *scopes)).get("value"))[:most]


async def lookup_token(office: Office, person: PersonId, *scopes: str) -> str:
    """Raises NeedsAccount."""
    return (await office.accounts.token(person, scopes, fresh=False)).value


async def sender(office: Office, person: PersonId) -> str:
    """The address under which this person would act; empty without an account."""
    account = await office.accounts.account(person)
    return account.address if account else ""


async def other_sender(office: Office, person: PersonId, shown: str) -> str:
    """Why the card no longer tells whose account it is; empty when it does."""
    now = await sender(office, person)
    if not shown or not now or now.casefold() == shown.casefold():
        return ""
    return f"The card says {shown}, and the account that is connected now is {now}."


def link(item: Json, name: str = "webUrl") -> str:
    """Where an item can be looked at, if that is an address a person may be led to."""
    address = text(item, name)
    is_local = address.startswith(("http://127.0.0.1:", "http://localhost:"))
    return address if address.startswith("https://") or is_local else ""
