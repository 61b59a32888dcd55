"""What a kind of database has to be able to do, so that an engine can be built around it."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Protocol, cast

from core.specialists.sql.engine import Type, Value
from core.specialists.sql.guard import Admitted
from core.specialists.sql.schema import Schema

CATALOG_WITHIN = 20.0
"""Seconds for reading what there is."""
CONNECT_WITHIN = 10
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Answer:
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    """One more than the cap, where there are more."""


class Driver(Protocol):
    """Every method raises `QueryFailed`. A connection serves one query of one person and is closed:
    there is no pool in which two persons could meet."""

    async def ask(self, admitted: Admitted, token: str, deadline: float) -> Answer: ...

    async def catalog(self, token: str) -> Schema:
        """Everything that the person may see."""
        ...

    async def close(self) -> None: ...


def answer(columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> Answer:
    return Answer(tuple(columns), tuple(tuple(plain(value) for value in row) for row in rows))


def plain(value: Any) -> Value:
    """A driver's value as one of ours; what is made of several values becomes JSON."""
    match value:
        case None | bool() | int() | float() | str() | Decimal() | bytes():
            return value
        case datetime() | date() | time():
            return value
        case bytearray() | memoryview():
            return bytes(cast("bytes", value))
        case _:
            other = cast("object", value)
            is_many = issubclass(type(other), dict | list | tuple)
            return json.dumps(other, default=str, ensure_ascii=False) if is_many else str(other)


_READ: Mapping[str, Callable[[str], Value]] = {
    "decimal": Decimal,
    "float": float,
    "moment": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "bytes": bytes.fromhex,
    "json": str,
}


def value(cell: Any) -> Value:
    """What a process of ours has written as JSON, which has neither decimals nor dates."""
    if not isinstance(cell, list):
        return cell
    kind, text = cast("list[str]", cell)
    return _READ[kind](text)


_TYPES: tuple[tuple[type, Type], ...] = (
    (bool, "boolean"),
    (int, "integer"),
    (Decimal, "decimal"),
    (float, "float"),
    (datetime, "moment"),
    (date, "date"),
    (time, "time"),
    (bytes, "bytes"),
)


def types(found: Answer) -> tuple[Type, ...]:
    """What each column holds, told by its values; `text` where there are none."""
    return tuple(
        _type({_one(row[place]) for row in found.rows if row[place] is not None})
        for place in range(len(found.columns))
    )


def _one(value: Value) -> Type:
    known: list[Type] = [name for kind, name in _TYPES if isinstance(value, kind)]
    return known[0] if known else "text"


def _type(kinds: set[Type]) -> Type:
    if len(kinds) == 1:
        return kinds.pop()
    if kinds and kinds <= {"integer", "decimal"}:
        return "decimal"
    if kinds and kinds <= {"integer", "decimal", "float"}:
        return "float"
    return "text"
