"""What the approvals reach of the rest of the house."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.capabilities.catalog import Catalog
from core.connectors.outcome import Effect
from core.errors import NeedsAccount
from core.parked import Verdict
from core.policy.approvers import Approver
from core.policy.rules import Rules
from core.ports import Clock
from core.records import Address, Person, PersonId
from core.storage.database import Database


class Tokens(Protocol):
    """Fresh tokens for Microsoft Graph; a part of core.identity."""

    async def token(self, person: PersonId, scopes: Sequence[str]) -> str:
        """A token minted now, for this person's account, with these scopes. Raises NeedsAccount
        with a sentence for the person, `SourceFailed` when Entra cannot be reached."""
        ...

    async def granted(self, person: PersonId) -> frozenset[str] | None:
        """The scopes that this person's account has granted; None without an account. Reads the
        store alone."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Somebody who may have a say, as they stand now."""

    person: Person
    """With the groups of today."""
    ids: frozenset[str]
    """All ids of the same human: one on each surface, `entra:<object id>`, address."""


class People(Protocol):
    """Who somebody is now."""

    async def known(self, person: PersonId) -> Known | None:
        """None for somebody who has no say here: a guest, a bot, somebody who has left. Answers
        from what is stored, without a call to a platform."""
        ...

    async def profile(self, person: PersonId) -> Person:
        """Their name and time zone as far as they are at hand, for what is shown. Says nothing
        about who somebody is, and asks no database."""
        ...


class Strangers:
    """`People` where nobody is joined with anybody: an id is a person of no group."""

    async def known(self, person: PersonId) -> Known | None:
        return Known(person=Person(id=person), ids=frozenset({person}))

    async def profile(self, person: PersonId) -> Person:
        return Person(id=person)


class NoTokens:
    """`Tokens` where no Microsoft account can be connected: effects without scopes still work."""

    async def token(self, person: PersonId, scopes: Sequence[str]) -> str:
        raise NeedsAccount("not_linked", "Microsoft accounts cannot be connected here.")

    async def granted(self, person: PersonId) -> frozenset[str] | None:
        return None


class Links(Protocol):
    """Where a person connects their Microsoft account; a part of core.identity."""

    async def offer(
        self, person: PersonId, scopes: Iterable[str], address: Address, *, claims: str = ""
    ) -> Verdict:
        """A link for this person alone that asks for these permissions, and for the further
        proof in `claims`: `connect` with its `url`."""
        ...


Credentials = Callable[[PersonId, str], Awaitable[Mapping[str, str]]]
"""(person, server) → the headers with that person's own credentials for that MCP server."""


async def nothing() -> None:
    """The rules change by themselves."""


async def no_credentials(person: PersonId, server: str) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rooms:
    """One of each for the whole process."""

    db: Database
    clock: Clock
    rules: Callable[[], Rules]
    """The rules of this moment, as of the last look."""
    catalog: Catalog
    effects: Mapping[str, Effect] = field(default_factory=dict[str, Effect])
    """By tool key; every other tool is called through the catalogue."""
    tokens: Tokens = field(default_factory=NoTokens)
    people: People = field(default_factory=Strangers)
    accounts: Links | None = None
    credentials: Credentials = no_credentials
    look: Callable[[], Awaitable[object]] = nothing
    """Looks whether an admin, here or elsewhere, has changed the rules. Raises `Unavailable`."""


def as_approver(known: Known) -> Approver:
    return Approver(
        ids=known.ids | {known.person.id},
        groups=frozenset(known.person.groups),
    )
