"""What the specialist brings back: rows in bounds, with how they came about."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Protocol

from core.records import Json
from core.specialists.sql.engine import Rows, Type, Value

EXACT = 2**53
"""Up to here every program reads an integer of a JSON document as it was written."""
CELL = 300
"""Characters of a cell in the table for the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """How rows came about."""

    source: str
    sql: str
    """As it was executed."""
    tables: tuple[str, ...]
    filters: tuple[str, ...]
    rows: int
    is_complete: bool
    """False where there are more rows than these."""
    time_zone: str
    as_of: str
    """When it was read, by the asking person's clock: `2026-11-30 17:30 CET`."""
    seconds: float
    notes: tuple[str, ...] = ()
    verified: str = ""
    """The verified question that was answered, by whom it was checked and when."""
    tries: int = 1
    """Queries that were written until one ran."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    title: str
    rows: Rows
    query: Query


class Finished(Protocol):
    """The state of a specialist's graph at its end."""

    @property
    def rows(self) -> Rows | None: ...
    @property
    def query(self) -> Query | None: ...
    @property
    def ended(self) -> str: ...
    @property
    def sentence(self) -> str: ...
    @property
    def spent(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What became of a question."""

    brought: Brought | None = None
    question: str = ""
    """What the person has to say first, where nothing was brought."""
    refusal: str = ""
    """Why there is no answer."""
    spent: int = 0
    """Model calls."""


def ending(question: str, work: Finished) -> Ending:
    if work.rows is not None and work.query is not None and work.ended == "answered":
        title = " ".join(question.split())[:150]
        brought = Brought(title=title, rows=work.rows, query=work.query)
        return Ending(brought=brought, spent=work.spent)
    if work.ended == "asks":
        return Ending(question=work.sentence, spent=work.spent)
    return Ending(refusal=work.sentence or "No query was written.", spent=work.spent)


def structured(brought: Brought) -> Json:
    """As a tool result. Integers beyond 2**53 and decimals that a float would bend are texts."""
    query = brought.query
    names = unique(brought.rows.columns)
    return {
        "title": brought.title,
        "columns": dict(zip(names, brought.rows.types, strict=True)),
        "rows": [dict(zip(names, map(exact, row), strict=True)) for row in brought.rows.rows],
        "query": {
            "source": query.source,
            "sql": query.sql,
            "tables": list(query.tables),
            "filters": list(query.filters),
            "rows": query.rows,
            "is_complete": query.is_complete,
            "time_zone": query.time_zone,
            "as_of": query.as_of,
            "seconds": round(query.seconds, 3),
            "notes": list(query.notes),
            "verified": query.verified,
            "tries": query.tries,
        },
    }


def text(brought: Brought) -> str:
    """What the orchestrating model reads: what it may say first, then the rows."""
    query, rows = brought.query, brought.rows
    rows_of_it = "1 row" if query.rows == 1 else f"{query.rows:,} rows"
    shown = rows_of_it if query.is_complete else f"the first {rows_of_it}"
    lines = [f"{brought.title} — {shown} from {query.source}, as of {query.as_of}."]
    if query.verified:
        lines.append(f"Answered by a verified query: {query.verified}.")
    if query.filters:
        lines.append(f"Filters: {'; '.join(query.filters)}")
    lines += [f"Note: {note}" for note in query.notes]
    if rows.rows:
        names = unique(rows.columns)
        lines += ["", f"| {' | '.join(map(_piped, names))} |"]
        lines.append(f"| {' | '.join(map(_side, rows.types))} |")
        lines += [f"| {' | '.join(_piped(shown_as(cell)) for cell in row)} |" for row in rows.rows]
    else:
        lines.append("No rows.")
    return "\n".join(lines)


def unique(names: Sequence[str]) -> list[str]:
    """Two columns may have one name."""
    found: list[str] = []
    for name in names:
        plain, number = name or "column", 2
        while plain in found:
            plain, number = f"{name or 'column'} {number}", number + 1
        found.append(plain)
    return found


def exact(value: Value) -> Any:
    """A JSON value that says the same."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) <= EXACT else str(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else str(value)


def shown_as(value: Value) -> str:
    told = exact(value)
    return "" if told is None else str(told)


def _side(kind: Type) -> str:
    return "---:" if kind in ("integer", "decimal", "float") else "---"


def _piped(value: str) -> str:
    return " ".join(value.split()).replace("|", "\\|")[:CELL]
