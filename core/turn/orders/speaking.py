"""Who gives an order, whom its words mean, and how ids are called where people read them."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from core.policy.rules import is_admin
from core.ports import Clock
from core.records import Person, PersonId, Place
from core.storage.database import Database
from core.turn.setup import Setup

NAMES_SECONDS = 1.0
PATIENCE = 1.5
_PERSON = re.compile(r"<@([A-Z0-9]+)(?:\|[^>]*)?>|@?([UW][A-Z0-9]{2,})")
_PLACE = re.compile(r"<#([A-Z0-9]+)(?:\|[^>]*)?>")

Name = Callable[[str], Awaitable[str]]
"""How a person or a place is called by their platform; empty where it does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Somebody who gives an order, and the house as it is at that moment."""

    person: Person
    place: Place
    setup: Setup

    @property
    def is_admin(self) -> bool:
        return is_admin(self.person, self.setup.rules)

    @property
    def name(self) -> str:
        """For what stays on record: the id, which nobody can choose."""
        return self.person.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What orders are carried out on."""

    db: Database
    clock: Clock
    name: Name
    patience: float | None = PATIENCE
    """Seconds that a first look at the servers is waited for; None: until they answer."""


def person_meant(word: str, place: Place, speaker: Person) -> PersonId | None:
    """`me`, a mention, `person:…` or an id; None for what names nobody."""
    if word.lower() in ("me", "myself"):
        return speaker.id
    plain = word.removeprefix("person:").rstrip(".,?!")
    found = _PERSON.fullmatch(plain)
    if found is not None:
        return PersonId(f"{place.surface}:{place.tenant}/{found[1] or found[2]}")
    if "/" in plain and plain.partition(":")[0] in ("slack", "teams"):
        return PersonId(plain)
    if word.startswith("person:") and plain:
        return PersonId(f"{place.surface}:{place.tenant}/{plain}")
    return None


def place_meant(word: str, place: Place) -> str:
    """The id of a place that is mentioned or named by id; empty for anything else."""
    if found := _PLACE.fullmatch(word):
        return f"{place.surface}:{place.tenant}/{found[1]}"
    if word.lower() == "here":
        return place.id
    plain = word.removeprefix("place:")
    return plain if "/" in plain and plain.partition(":")[0] in ("slack", "teams") else ""


async def names(ground: Ground, ids: Iterable[str]) -> dict[str, str]:
    """What people call these persons and places, as far as their platforms say so in time."""
    wanted = list(dict.fromkeys(id for id in ids if "/" in id))
    found: dict[str, str] = {}

    async def ask(id: str) -> None:
        found[id] = await ground.name(id)

    try:
        async with asyncio.timeout(NAMES_SECONDS), asyncio.TaskGroup() as group:
            for id in wanted:
                group.create_task(ask(id))
    except TimeoutError:
        pass
    return {id: name for id, name in found.items() if name}


def called(id: str, known: dict[str, str]) -> str:
    """A name, else the end of the id."""
    return known.get(id) or id.rpartition("/")[2] or "none"


def plain(text: str) -> str:
    """On one line, without what would end a code span."""
    return " ".join(text.replace("`", "'").split())


def listed(words: Sequence[str]) -> str:
    return ", ".join(f"`{plain(word)}`" for word in words)
