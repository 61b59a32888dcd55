"""Remembers whom the bot has met, where they can be reached, and what Teams says of them."""

import asyncio
import logging
from collections import OrderedDict
from dataclasses import asdict, dataclass, replace
from typing import Protocol, Self

from adapters import fields
from adapters.people import introduced
from adapters.teams import identity, inbound
from core.errors import CountersignError
from core.records import Json, Person, PersonId

log = logging.getLogger(__name__)
MOST = 5_000
"""People that are kept in memory; the others are read again."""
CLOSING_SECONDS = 2.0
"""For writing down, at the end, who was met last."""


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
    name: str = ""
    time_zone: str = ""
    locale: str = ""


class Directory:
    """Everybody who has said something to the bot, or for whom it was installed. Enter it, so
    that what was only noted is written down."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._known: OrderedDict[PersonId, Acquaintance] = OrderedDict()
        self._noted: dict[PersonId, tuple[Json, str]] = {}
        self._bell = asyncio.Event()
        self._lock = asyncio.Lock()
        """Somebody who leaves is not met again by what they said before."""
        self._writing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._writing = asyncio.create_task(self._write(), name="teams.directory")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.wait([self._writing])
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await self._written()
        except TimeoutError:
            log.warning("teams.unmet", extra={"fields": {"people": len(self._noted)}})

    def note(self, activity: Json, tenant: str) -> None:
        """The same as `meet`, a little later: nobody waits for it. What a process that dies has
        not written down, the person's next activity says again."""
        who, conversation = _who(activity, tenant), identity.conversation(activity)
        if who is None:
            return
        known = self._known.get(who)
        if known is not None and _seen(activity, conversation, known) == known:
            return
        if who in self._noted or len(self._noted) < MOST:
            self._noted[who] = (activity, tenant)
            self._bell.set()

    async def meet(self, activity: Json, tenant: str) -> None:
        """Learn from an activity; written only where it says something new."""
        who, conversation = _who(activity, tenant), identity.conversation(activity)
        if who is None:
            return
        async with self._lock:
            before = await self.of(who)
            now = _seen(activity, conversation, before)
            if now != before:
                await self._kept.keep(_key(who), asdict(now))
            self._remember(who, now)

    async def chat(self, who: PersonId, conversation: str) -> None:
        """The one-to-one chat with this person was opened."""
        async with self._lock:
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
        async with self._lock:
            self._noted.pop(who, None)
            self._known.pop(who, None)
            await self._kept.forget(_key(who))

    async def fill(self, person: Person) -> Person:
        """The person with what is known; as they were where nothing is."""
        known = await self.of(person.id)
        if known is None:
            return person
        return introduced(person, name=known.name, time_zone=known.time_zone, locale=known.locale)

    async def _write(self) -> None:
        while True:
            await self._bell.wait()
            self._bell.clear()
            await self._written()

    async def _written(self) -> None:
        while self._noted:
            activity, tenant = self._noted.pop(next(iter(self._noted)))
            try:
                await self.meet(activity, tenant)
            except CountersignError as error:
                log.warning("teams.unmet", extra={"fields": {"reason": type(error).__name__}})

    def _remember(self, who: PersonId, found: Acquaintance) -> None:
        self._known[who] = found
        self._known.move_to_end(who)
        if len(self._known) > MOST:
            self._known.popitem(last=False)


def _who(activity: Json, tenant: str) -> PersonId | None:
    oid = identity.object_id(activity)
    if not oid or not identity.is_conversation(identity.conversation(activity)):
        return None
    return identity.person_id(tenant, oid)


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
        name=(person.name if person else "") or old.name,
        time_zone=person.time_zone if person and is_said else old.time_zone,
        locale=fields.text(activity, "locale") or old.locale,
    )
