"""What one question to a source works with: the source, the person's rights, the way to a model."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from core.errors import ModelFailed
from core.ports import Clock
from core.records import Billing, ModelMessage, ModelReply, PersonId, ToolSchema
from core.specialists.errand import Ask
from core.specialists.sql.engine import Engine, Profile, QueryFailed
from core.specialists.sql.schema import Relation, Schema, within
from core.specialists.sql.source import Source
from core.specialists.sql.values import Match, Values

Discovery = Literal["progressive", "whole"]
"""`progressive`: an index of the tables, then the columns of the few that the model picks; `whole`:
every table with its columns at once."""
Progress = Callable[[str], Awaitable[None]]
NOT_PROFILED = ("permission", "timeout", "too_large", "other", "unknown_column", "type", "syntax")
"""A profile that cannot be had for these reasons is done without."""
PROFILED = 40
"""Columns of a table whose profiles a model is shown."""
FRESH, PEOPLE = 600.0, 100
"""Seconds for which profiles are kept, and for how many people."""


async def silent(text: str) -> None:
    """Nobody is told."""


Looked = dict[tuple[str, str], Profile]
"""Profiles by relation and column."""


class Profiles:
    """The profiles that were read of a source, for each person alone and for some minutes."""

    def __init__(self) -> None:
        self._kept: dict[PersonId, tuple[float, Looked]] = {}

    def of(self, person: PersonId, now: float) -> Looked:
        """To be added to."""
        kept = self._kept.pop(person, None)
        if kept is None or now - kept[0] > FRESH:
            kept = (now, Looked())
        self._kept[person] = kept
        while len(self._kept) > PEOPLE:
            del self._kept[next(iter(self._kept))]
        return kept[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question, of one person."""

    question: str
    billing: Billing
    token: str = field(default="", repr=False)
    today: date
    time_zone: str = "UTC"
    """The person's, as an IANA name."""
    ends: float
    """By the clock: when the answer has to be there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Lives as long as one question."""

    source: Source
    engine: Engine
    values: Values
    asked: Asked
    clock: Clock
    ask: Ask | None
    """None: there is no model that writes SQL, and verified queries alone are answered."""
    discovery: Discovery = "progressive"
    progress: Progress = silent
    remarks: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What is to be said wherever a table is read, by its name."""
    row_cap: int = 1_000
    profiles: Looked = field(default_factory=Looked)
    """Those that were read."""

    async def schema(self) -> Schema:
        """What the person may see of the source. Raises `QueryFailed`."""
        return within(await self.engine.schema(self.asked.token), self.source)

    @property
    def left(self) -> float:
        """Seconds until the answer has to be there."""
        return max(0.0, self.asked.ends - self.clock())

    async def think(
        self, messages: Sequence[ModelMessage], tools: Sequence[ToolSchema]
    ) -> ModelReply:
        """Raises `ModelFailed`."""
        if self.ask is None:
            raise ModelFailed("rejected", "there is no model that writes SQL")
        return await self.ask(messages, tools, self.asked.billing, self.left)

    async def look_at(self, relation: Relation) -> Mapping[str, Profile]:
        """The profiles of a relation's columns, as far as they can be had."""
        names = tuple(column.name for column in relation.columns[:PROFILED])
        missing = tuple(name for name in names if (relation.key, name) not in self.profiles)
        if missing:
            try:
                found = await self.engine.profile(relation, missing, self.asked.token)
            except QueryFailed as failure:
                if failure.kind not in NOT_PROFILED:
                    raise
                found = ()
            for one in found:
                self.profiles[relation.key, one.column] = one
        return {
            name: self.profiles[relation.key, name]
            for name in names
            if (relation.key, name) in self.profiles
        }

    async def profiled(self, relation: Relation, column: str) -> Profile | None:
        """`checks.Profiled`."""
        return (await self.look_at(relation)).get(column)

    async def find(self, relation: Relation, column: str, wanted: str) -> Match:
        """Raises `QueryFailed`."""
        asked = self.asked
        return await self.values.find(relation, column, wanted, asked.billing.person, asked.token)
