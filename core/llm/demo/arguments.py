"""Arguments for a tool from the words of a question."""

from dataclasses import dataclass
from datetime import date
from typing import Any, cast

from core.llm.demo import hours, names
from core.llm.demo.choice import choices, properties, required, vocabulary
from core.llm.demo.results import Result, harvest, table
from core.llm.demo.values import ENDS, IDS, MOMENT, number, read
from core.llm.demo.words import stems, words
from core.records import Json, ToolSchema

MOST_CALLS = 4
"""Calls that one tool gets when the question names several values for one parameter."""
QUERIES = set("query q text search question keyword keywords term terms topic".split())
"""Parameters of a tool that searches by meaning, for whatever a question says."""
FREE = QUERIES | {"words"}
TITLES = {"title", "filename", "file", "heading", "caption", "subject", "label"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What there is to take arguments from."""

    text: str
    """The clause of the question that the tool is for."""
    whole: str
    """The whole question."""
    earlier: tuple[str, ...] = ()
    """The questions that this one follows up on, newest first."""
    now: date | None = None
    results: tuple[Result, ...] = ()
    may_guess: bool = True
    """Whether any words that are left may fill a required text."""
    known: frozenset[str] = frozenset()
    """Stems of all tools' words: they are no names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    variants: tuple[Json, ...]
    """One set of arguments per call."""
    missing: tuple[str, ...]
    """Required parameters for which nothing was found."""


def fill(tool: ToolSchema, said: Said) -> Filled:
    """Arguments for the tool. What was just said beats what the whole question says, and that
    beats what was said before."""
    known = {name: _found(name, schema, said) for name, schema in properties(tool).items()}
    missing: list[str] = []
    for name in required(tool):
        schema = properties(tool).get(name, {})
        if not known.get(name):
            known[name] = _last_resort(name, schema, tool, said)
        if not known[name]:
            missing.append(name)
    for name in properties(tool).keys() - set(required(tool)):
        if not known[name] and set(words(name)) & FREE and (asked := names.topic(said.text)):
            known[name] = [asked]
    variants: list[Json] = [{}]
    for name, values in known.items():
        if not values:
            continue
        spread = values if len(variants) == 1 else values[:1]
        variants = [{**v, name: value} for v in variants for value in spread[:MOST_CALLS]]
    return Filled(variants=tuple(variants), missing=tuple(missing))


def _found(name: str, schema: Json, said: Said) -> list[Any]:
    for text in (said.text, said.whole, *said.earlier):
        if text and (values := read(name, schema, text, said.now)):
            return values
    return []


def _last_resort(name: str, schema: Json, tool: ToolSchema, said: Said) -> list[Any]:
    """A value for a required parameter that the question does not state as such."""
    if "default" in schema:
        return [schema["default"]]
    options = choices(schema)
    parts = set(words(name))
    kind = schema.get("type", "string")
    if options:
        return [[options[0]]] if kind == "array" else [options[0]]
    if kind == "array":
        return _rows(schema, said)
    if kind in {"integer", "number"}:
        return [number(kind, n) for n in names.numbers(said.whole)[:1]]
    if kind == "boolean":
        return [False]
    if kind != "string":
        return []
    if MOMENT.search(str(schema.get("description", ""))) and said.now:
        # Nobody said when: what lies ahead.
        coming = hours.ahead(said.now)
        return [hours.written(coming.end if parts & ENDS else coming.start)]
    if parts & IDS or schema.get("format") in {"date", "date-time"} or "quarter" in parts:
        value = harvest(name, " ".join([said.whole, *said.earlier]), said.results)
        return [value] if value else []
    return _text(parts, tool, said)


def _text(parts: set[str], tool: ToolSchema, said: Said) -> list[Any]:
    if "question" in parts:
        # Whoever takes a question wants to have it as it was put.
        return [said.whole]
    known = said.known | set(vocabulary(tool))
    if parts & TITLES:
        title = names.remainder(" ".join(said.earlier[-1:] or [said.whole]), set()) or tool.name
        return [title[:60].strip().capitalize()]
    for text in (said.text, said.whole, *said.earlier):
        # A search keeps the words that the tool knows, but for those of its name.
        if parts & FREE and (rest := names.remainder(text, set(stems(tool.name)))):
            return [rest]
        if not parts & FREE and (found := names.names(text, known)):
            return [found[0]]
    rest = names.remainder(said.text, known) or names.remainder(said.whole, known)
    return [rest] if rest and said.may_guess else []


def _rows(schema: Json, said: Said) -> list[Any]:
    """The rows of the newest table, for a tool that takes a table."""
    for result in reversed(said.results):
        found = table(result.text)
        if found is None:
            continue
        items = cast(Json, schema.get("items") or {})
        if items.get("type") == "object":
            return [[dict(zip(found.head, row, strict=False)) for row in found.rows]]
        if items.get("type") == "array":
            return [[list(found.head), *(list(row) for row in found.rows)]]
        return [list(found.head)]
    return []
