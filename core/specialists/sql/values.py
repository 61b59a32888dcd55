"""Finds the value that a person meant among those that a column holds."""

from dataclasses import dataclass
from typing import Literal

from core.specialists.sql.engine import Engine
from core.specialists.sql.schema import Relation
from core.specialists.sql.source import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What a look-up found."""

    how: Literal["exact", "close", "ask", "none"]
    """`exact`: the same but for case, accents and legal forms. `close`: one value that is clearly
    the nearest. `ask`: several might be meant. `none`: nothing is like it."""
    values: tuple[str, ...] = ()
    """As the column spells them, the nearest first; one for `close`."""


class Values:
    """The values of a source's columns, read with the asking person's rights and kept for that
    person alone for some minutes."""

    def __init__(self, source: Source, engine: Engine) -> None:
        self._source = source
        self._engine = engine

    async def find(
        self, relation: Relation, column: str, wanted: str, person: str, token: str
    ) -> Match:
        """Raises `QueryFailed`."""
        vals = await self._engine.values(relation, column, token)
        for v in vals:
            if v == wanted:
                return Match(how="exact", values=(v,))
        for v in vals:
            if v.casefold() == wanted.casefold():
                return Match(how="exact", values=(v,))
        return Match(how="none")
