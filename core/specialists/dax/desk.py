"""What one question to a semantic model works with: the model, the person's rights, a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.errors import ModelFailed
from core.ports import Clock
from core.records import ModelMessage, ModelReply, PersonId, ToolSchema
from core.specialists.dax import learning
from core.specialists.dax.client import PowerBI, Table
from core.specialists.dax.model import Model
from core.specialists.dax.source import SemanticModel
from core.specialists.errand import Ask
from core.specialists.sql.desk import Asked, Progress, silent
from core.specialists.sql.values import Match, index, match

FRESH, PEOPLE = 600.0, 200
"""Seconds for which is kept what a person may see of a model, and for how many people."""
MOST_ROWS = 20_000
"""Of what describes a model, and values of a column."""
Index = Mapping[str, tuple[str, ...]]


@dataclass(slots=True, kw_only=True)
class Seen:
    """What was read of a model for one person."""

    at: float
    model: Model
    values: dict[str, Index] = field(default_factory=dict[str, Index])
    """By column: `Product[Category]`."""


class Memory:
    """What each person may see of a model, for that person alone and for some minutes."""

    def __init__(self) -> None:
        self._kept: dict[PersonId, Seen] = {}

    def of(self, person: PersonId, now: float) -> Seen | None:
        kept = self._kept.get(person)
        return kept if kept is not None and now - kept.at <= FRESH else None

    def keep(self, person: PersonId, seen: Seen) -> None:
        self._kept.pop(person, None)
        self._kept[person] = seen
        while len(self._kept) > PEOPLE:
            del self._kept[next(iter(self._kept))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Lives as long as one question."""

    source: SemanticModel
    service: PowerBI
    memory: Memory
    asked: Asked
    clock: Clock
    ask: Ask | None
    """None: there is no model that writes DAX, and verified queries alone are answered."""
    progress: Progress = silent

    @property
    def left(self) -> float:
        """Seconds until the answer has to be there."""
        return max(0.0, self.asked.ends - self.clock())

    async def run(self, dax: str, rows: int = 1_000) -> Table:
        """Under the asking person's rights. Raises `DaxFailed`."""
        return await self.service.query(
            self.source,
            dax,
            person=self.asked.billing.person,
            token=self.asked.token,
            deadline=self.left,
            rows=rows,
        )

    async def seen(self) -> Seen:
        """What the person may see of the model. Raises `DaxFailed`."""
        person = self.asked.billing.person
        if kept := self.memory.of(person, self.clock()):
            return kept
        model = await learning.learn(self.source, lambda dax: self.run(dax, MOST_ROWS))
        whole = replace(model, refreshed=await self._refreshed())
        found = Seen(at=self.clock(), model=whole)
        self.memory.keep(person, found)
        return found

    async def think(
        self, messages: Sequence[ModelMessage], tools: Sequence[ToolSchema]
    ) -> ModelReply:
        """Raises `ModelFailed`."""
        if self.ask is None:
            raise ModelFailed("rejected", "there is no model that writes DAX")
        return await self.ask(messages, tools, self.asked.billing, self.left)

    async def find(self, column: str, wanted: str) -> Match:
        """Which value of `Product[Category]` is meant, among those that this person may see; none
        for a column whose values are not looked at. Raises `DaxFailed`."""
        if column in self.source.unprofiled:
            return Match(how="none")
        seen = await self.seen()
        if column not in seen.values:
            table, _, name = column.rstrip("]").partition("[")
            named = "'{}'[{}]".format(table.replace("'", "''"), name.replace("]", "]]"))
            found = await self.run(f"EVALUATE VALUES({named})", MOST_ROWS)
            texts = tuple(cell for row in found.rows for cell in row if isinstance(cell, str))
            seen.values[column] = index(texts)
        return match(wanted, seen.values[column])

    async def _refreshed(self) -> str:
        return await self.service.refreshed(
            self.source,
            person=self.asked.billing.person,
            token=self.asked.token,
            deadline=min(5.0, self.left),
        )
