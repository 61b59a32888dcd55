"""The seam to a database: what every engine can be asked, and how it says what went wrong."""

from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Literal, Protocol

from core.errors import CountersignError
from core.specialists.sql.guard import Admitted
from core.specialists.sql.schema import Relation, Schema
from core.specialists.sql.source import Source

Value = int | Decimal | float | str | bool | date | datetime | time | bytes | None
"""One cell. Integers and decimals are exact, of whatever size."""
Type = Literal["integer", "decimal", "float", "text", "boolean", "date", "time", "moment", "bytes"]
"""What a column of a result holds; `moment` is a date with a time of day."""
Failure = Literal[
    "syntax",
    "unknown_table",
    "unknown_column",
    "unknown_function",
    "type",
    "permission",
    "sign_in",
    "timeout",
    "too_large",
    "unreachable",
    "other",
]


class QueryFailed(CountersignError):
    """The database did not answer the query.

    `kind` decides what can be done: `syntax`, `unknown_*` and `type` can be written better;
    `timeout` and `too_large` asked for too much; `permission` is for the person to get,
    `sign_in` wants a new token, `unreachable` a look by the operator. `sentence` holds the
    database's own words, shortened; `candidates` names that it offered instead.
    """

    def __init__(self, kind: Failure, sentence: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(sentence)
        self.kind: Failure = kind
        self.sentence = sentence
        self.candidates = candidates


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    columns: tuple[str, ...]
    types: tuple[Type, ...]
    rows: tuple[tuple[Value, ...], ...]
    is_truncated: bool
    """There are more rows than the cap let through."""
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a column holds, as far as the asking person may see it."""

    column: str
    rows: int
    nulls: int
    distinct: int
    least: Value = None
    greatest: Value = None
    common: tuple[tuple[Value, int], ...] = ()
    """The most frequent values and how often each occurs, most frequent first; at most ten."""


class Engine(Protocol):
    """One source's database. `token` is the asking person's own, empty where the source has a
    login of its own; connections of different persons are never mixed.

    Every method raises `QueryFailed`.
    """

    async def schema(self, token: str) -> Schema:
        """What the person may see, within the source's scope."""
        ...

    async def run(self, admitted: Admitted, token: str, deadline: float) -> Rows:
        """The rows of an admitted query, cut at its `row_cap`. After `deadline` seconds the
        database has been told to stop and `timeout` is raised."""
        ...

    async def profile(
        self, relation: Relation, columns: tuple[str, ...], token: str
    ) -> tuple[Profile, ...]:
        """Of these columns of the relation, without those that the source says are not profiled."""
        ...

    async def values(self, relation: Relation, column: str, token: str) -> tuple[str, ...]:
        """The distinct texts of a column, at most `MOST_VALUES`; none for an unprofiled column."""
        ...

    async def close(self) -> None: ...


MOST_VALUES = 50_000


def engine_for(source: Source) -> Engine:
    """The engine of the source's kind; nothing is connected yet and no driver is imported."""
    from core.specialists.sql.engines.answering import Answering

    return Answering(source)
