"""A small language for the shape of a JSON value, and the list of places where a value leaves it.

The sentences follow the ones Slack puts into `response_metadata.messages`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast


@dataclass(frozen=True, slots=True)
class Problem:
    pointer: str
    """A JSON pointer to the offending value."""
    reason: str

    def __str__(self) -> str:
        return f"{self.reason} [json-pointer:{self.pointer}]"


@dataclass(frozen=True, slots=True)
class Chars:
    most: int
    least: int = 1


@dataclass(frozen=True, slots=True)
class Word:
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flag:
    pass


@dataclass(frozen=True, slots=True)
class Number:
    least: float | None = None
    most: float | None = None
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    each: "Shape"
    most: int
    least: int = 1
    may_be_null: bool = False


@dataclass(frozen=True, slots=True)
class Fields:
    """An object: these fields, no others."""

    required: Mapping[str, "Shape"] = field(default_factory=dict[str, "Shape"])
    optional: Mapping[str, "Shape"] = field(default_factory=dict[str, "Shape"])


@dataclass(frozen=True, slots=True)
class Kinds:
    """An object whose `type` picks its shape from a table; `only` narrows the table."""

    table: Mapping[str, Fields]
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Anything:
    pass


Shape = Chars | Word | Flag | Number | Items | Fields | Kinds | Anything


def problems(shape: Shape, value: Any, at: str = "") -> Iterator[Problem]:
    """Every place where `value` leaves `shape`; none when it fits."""
    match shape:
        case Items():
            yield from _items(shape, value, at)
        case Fields():
            yield from _fields(shape, value, at)
        case Kinds():
            yield from _kinds(shape, value, at)
        case Anything():
            return
        case _:
            yield from _leaf(shape, value, at)


def _leaf(shape: Chars | Word | Flag | Number, value: Any, at: str) -> Iterator[Problem]:
    match shape:
        case Chars():
            yield from _chars(shape, value, at)
        case Number():
            yield from _number(shape, value, at)
        case Word():
            if value not in shape.values:
                yield Problem(at, f"must be one of: {', '.join(shape.values)}")
        case Flag():
            if not isinstance(value, bool):
                yield Problem(at, "must provide a boolean")


def _chars(shape: Chars, value: Any, at: str) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield Problem(at, "must provide a string")
    elif len(value) > shape.most:
        yield Problem(at, f"must be less than {shape.most + 1} characters")
    elif len(value) < shape.least:
        yield Problem(at, f"must be more than {shape.least - 1} characters")


def _number(shape: Number, value: Any, at: str) -> Iterator[Problem]:
    if isinstance(value, bool) or not isinstance(value, int if shape.is_whole else int | float):
        yield Problem(at, "must provide a whole number" if shape.is_whole else "must be a number")
    elif shape.least is not None and value < shape.least:
        yield Problem(at, f"must be at least {shape.least:g}")
    elif shape.most is not None and value > shape.most:
        yield Problem(at, f"must be at most {shape.most:g}")


def _items(shape: Items, value: Any, at: str) -> Iterator[Problem]:
    if not isinstance(value, list):
        yield Problem(at, "must provide an array")
        return
    items = cast("list[Any]", value)
    if len(items) > shape.most:
        yield Problem(at, f"no more than {shape.most} items allowed")
    if len(items) < shape.least:
        yield Problem(at, f"must have at least {shape.least} items")
    for index, item in enumerate(items):
        if not (item is None and shape.may_be_null):
            yield from problems(shape.each, item, f"{at}/{index}")


def _fields(shape: Fields, value: Any, at: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield Problem(at, "must provide an object")
        return
    fields = cast("dict[str, Any]", value)
    for name in shape.required:
        if fields.get(name) is None:
            yield Problem(at, f"missing required field: {name}")
    known = {**shape.optional, **shape.required}
    for name, inner in fields.items():
        if name not in known:
            yield Problem(at, f"invalid additional property: {name}")
        elif inner is not None:
            yield from problems(known[name], inner, f"{at}/{name}")


def _kinds(shape: Kinds, value: Any, at: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield Problem(at, "must provide an object")
        return
    fields = cast("dict[str, Any]", value)
    kind = str(fields.get("type"))
    if kind not in shape.table or (shape.only and kind not in shape.only):
        yield Problem(f"{at}/type", f"unsupported type: {kind}")
        return
    rest = {name: inner for name, inner in fields.items() if name != "type"}
    yield from _fields(shape.table[kind], rest, at)
