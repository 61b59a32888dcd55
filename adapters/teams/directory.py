"""Remembers whom the bot has met, where they can be reached, and what Teams says of them."""

from collections import OrderedDict
from dataclasses import asdict, dataclass, replace
from typing import Protocol

from adapters import fields
from adapters.people import introduced
from adapters.teams import identity, inbound
from core.records import Json, Person, PersonId

MOST = 5_000
"""People that are kept in memory; the others are read again."""


class Kept(Protocol):
    """Small values under a key, kept across restarts."""

    async def keep(self, key: str, body: Json) -> None: ...

    async def read(self, key: str) -> Json | None: ...

    async def forget(self, key: str) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Acquaintance:
    """A person, as their last activity showed them."""

    service: str
    user: str
    """Teams' own id of the person for this bot: `29:…`."""
    bot: str
    conversation: str = ""
    """Their one-to-one chat with the bot; empty while none is known."""
    roster: str = ""
    """A conversation in which both are, where Teams can be asked about them."""
    name: str = ""
    time_zone: str = ""
    locale: str = ""


class Directory:
    """Everybody who has said something to the bot, or for whom it was installed."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._known: OrderedDict[PersonId, Acquaintance] = OrderedDict()

    async def meet(self, activity: Json, tenant: str) -> None:
        """Learn from an activity; written only where it says something new."""
        oid = identity.object_id(activity)
        conversation = identity.conversation(activity)
        if not oid or not identity.is_conversation(conversation):
            return
        who = identity.person_id(tenant, oid)
        before = await self.of(who)
        now = _seen(activity, conversation, before)
        if now != before:
            await self._kept.keep(_key(who), asdict(now))
        self._remember(who, now)

    async def chat(self, who: PersonId, conversation: str) -> None:
        """The one-to-one chat with this person was opened."""
        before = await self.of(who)
        if before is not None and before.conversation != conversation:
            now = replace(before, conversation=conversation)
            await self._kept.keep(_key(who), asdict(now))
            self._remember(who, now)

    async def of(self, who: PersonId) -> Acquaintance | None:
        if (known := self._known.get(who)) is not None:
            return known
        body = await self._kept.read(_key(who))
        if body is None:
            return None
        names = Acquaintance.__dataclass_fields__
        found = Acquaintance(**{name: fields.text(body, name) for name in names})
        self._remember(who, found)
        return found

    async def leave(self, who: PersonId) -> None:
        """The person took the bot out of their chat: nothing is sent to them any more."""
        self._known.pop(who, None)
        await self._kept.forget(_key(who))

    async def fill(self, person: Person) -> Person:
        """The person with what is known; as they were where nothing is."""
        known = await self.of(person.id)
        if known is None:
            return person
        return introduced(person, name=known.name, time_zone=known.time_zone, locale=known.locale)

    def _remember(self, who: PersonId, found: Acquaintance) -> None:
        self._known[who] = found
        self._known.move_to_end(who)
        if len(self._known) > MOST:
            self._known.popitem(last=False)


def _key(who: PersonId) -> str:
    return f"person:{who}"


def _seen(activity: Json, conversation: str, before: Acquaintance | None) -> Acquaintance:
    place = identity.place(activity, "")
    address = inbound.address(activity, place, conversation)
    person = identity.person(activity, "-")
    old = before or Acquaintance(service="", user="", bot="")
    is_said = person is not None and person.time_zone != "UTC"
    return Acquaintance(
        service=address["service"],
        user=address["user"],
        bot=address["bot"],
        conversation=conversation if place.kind == "dm" else old.conversation,
        roster=conversation,
        name=(person.name if person else "") or old.name,
        time_zone=person.time_zone if person and is_said else old.time_zone,
        locale=fields.text(activity, "locale") or old.locale,
    )
