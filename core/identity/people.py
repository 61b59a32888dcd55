"""Joins the persons of several surfaces that are one human, by the account that each has proven."""

from typing import NamedTuple

from core.identity.claims import Account
from core.identity.custody import Custody
from core.records import PersonId

_TEAMS = "teams:"


def of_surface(person: PersonId) -> Account | None:
    """The account that the surface itself vouches for: Teams signs tenant and object id, so
    `teams:<tenant>/<object id>` needs no link."""
    tenant, _, oid = person.removeprefix(_TEAMS).partition("/")
    if not person.startswith(_TEAMS) or not tenant or not oid or "/" in oid:
        return None
    return Account(tenant=tenant.lower(), oid=oid.lower())


def on_teams(account: Account) -> PersonId:
    """Who the account's owner is on Teams, met there or not."""
    return PersonId(f"{_TEAMS}{account.tenant.lower()}/{account.oid.lower()}")


class Human(NamedTuple):
    persons: tuple[PersonId, ...]
    """The one who was asked for first."""
    account: Account | None
    """What joins them."""


class People:
    """Who is who, as the account links say."""

    def __init__(self, custody: Custody) -> None:
        self._custody = custody

    async def account(self, person: PersonId) -> Account | None:
        """The account that the person has proven to own. Raises `Unreadable`."""
        return await self._custody.link(person) or of_surface(person)

    async def joined(self, person: PersonId) -> tuple[PersonId, ...]:
        """Every person who is the same human, this one first. Raises `Unreadable`."""
        return (await self.human(person)).persons

    async def human(self, person: PersonId) -> Human:
        """Raises `Unreadable`."""
        account, linked = await self._custody.links(person, of_surface(person))
        if account is None:
            return Human((person,), None)
        others = {*linked, on_teams(account)}
        return Human((person, *sorted(others - {person})), account)
