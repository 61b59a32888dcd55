"""Arguments for a tool from the words of a question."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

from core.llm.demo import moments, names
from core.llm.demo.choice import GROUPS, choices, properties, required, vocabulary
from core.llm.demo.results import Result, harvest, table
from core.llm.demo.words import SILENT, stem, stems, words
from core.records import Json, ToolSchema

MOST_CALLS = 4
"""Calls that one tool gets when the question names several values for one parameter."""
IDS = {"id", "key", "number", "code", "reference", "ref", "no", "evidence", "handle", "uuid"}
FREE = {"query", "q", "text", "search", "question", "keyword", "keywords", "term", "terms", "topic"}
TITLES = {"title", "filename", "file", "heading", "caption", "subject", "label"}
COUNTS = {"limit", "top", "n", "count", "first", "rows", "size", "max"}
STARTS = {"from", "start", "since", "after", "begin", "earliest", "first"}
ENDS = {"to", "end", "until", "before", "through", "latest", "last"}
_PER = re.compile(
    r"\b(?:per|by|each|every|which|what|top \d+|grouped by|broken down by|split by)\s+(.+)",
    re.IGNORECASE,
)

_WHO = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)


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
    known = {name: _found(name, schema, tool, said) for name, schema in properties(tool).items()}
    missing: list[str] = []
    for name in required(tool):
        schema = properties(tool).get(name, {})
        if not known.get(name):
            known[name] = _last_resort(name, schema, tool, said)
        if not known[name]:
            missing.append(name)
    variants: list[Json] = [{}]
    for name, values in known.items():
        if not values:
            continue
        spread = values if len(variants) == 1 else values[:1]
        variants = [{**v, name: value} for v in variants for value in spread[:MOST_CALLS]]
    return Filled(variants=tuple(variants), missing=tuple(missing))


def _found(name: str, schema: Json, tool: ToolSchema, said: Said) -> list[Any]:
    for text in (said.text, said.whole, *said.earlier):
        if text and (values := _read(name, schema, tool, text, said.now)):
            return values
    return []


def _read(name: str, schema: Json, tool: ToolSchema, text: str, now: date | None) -> list[Any]:
    """The values that the text states for the parameter; several where it names several."""
    parts = set(words(name))
    if choices(schema):
        return _chosen(parts, schema, text, now)
    kind = schema.get("type", "string")
    if kind == "array":
        return []
    if kind == "boolean":
        return [True] if set(stems(name)) and set(stems(name)) <= set(stems(text)) else []
    if kind in {"integer", "number"}:
        return _number(parts, kind, text, now)
    if kind != "string":
        return []
    return _string(name, parts, schema, tool, text, now)


def _chosen(parts: set[str], schema: Json, text: str, now: date | None) -> list[Any]:
    options = choices(schema)
    sample = " ".join(str(o) for o in options)
    is_list = schema.get("type") == "array"
    if moments.QUARTER.search(sample):
        written = [moments.write_quarter(q, sample) for q in moments.quarters(text, now)]
        values = [o for w in written for o in options if str(o).casefold() == w.casefold()]
    elif "year" in parts:
        said = {str(year) for year in moments.years(text, now)}
        values = [option for option in options if str(option) in said]
    elif parts & GROUPS:
        text = _WHO.sub("which customer which employee which person", text)
        marked = _PER.search(text)
        values = _mentioned(options, marked.group(1).split(" in ")[0]) if marked else []
        values = values or _mentioned(options, text)[:1]
    else:
        values = _mentioned(options, text)
    if is_list:
        return [values] if values else []
    return values


def _mentioned(options: Sequence[Any], text: str) -> list[Any]:
    """The options that the text names, in the order in which it names them."""
    said = [stem(w) for w in words(text)]
    parts = {str(o): [stem(w) for w in words(str(o))] for o in options}
    shared = Counter(part for each in parts.values() for part in set(each))
    whole: list[tuple[int, Any]] = []
    partly: list[tuple[int, Any]] = []
    for option in options:
        wanted = parts[str(option)]
        spots = [said.index(w) for w in wanted if w in said]
        if spots and len(spots) == len(wanted):
            whole.append((min(spots), option))
        elif any(shared[w] == 1 and w in said and w not in SILENT for w in wanted):
            partly.append((min(spots), option))
    return [option for _, option in sorted(whole or partly, key=lambda place: place[0])]


def _number(parts: set[str], kind: str, text: str, now: date | None) -> list[Any]:
    if "year" in parts:
        return list(moments.years(text, now))
    if "quarter" in parts:
        return [q.number for q in moments.quarters(text, now)]
    if "month" in parts:
        return [number for _, number in moments.months(text, now)]
    ahead = r"(?:top|first|best|last|limit|at most|up to)"
    pattern = ""
    if parts & {"min", "minimum", "least", "above", "over"}:
        pattern = r"\b(?:over|above|more than|at least|from)\s+[$€£]?"
    elif parts & COUNTS and not parts & {"amount", "price", "total"}:
        pattern = rf"\b{ahead}\s+"
    elif parts & {"max", "maximum", "most", "below", "under"}:
        pattern = r"\b(?:under|below|less than|at most|up to)\s+[$€£]?"
    else:
        pattern = rf"\b{'|'.join(re.escape(p) for p in sorted(parts))}\s+(?:of\s+|no\.?\s+|#)?"
    found = re.search(rf"(?i){pattern}(\d[\d,.]*\d|\d)", text)
    return [_as(kind, float(found.group(1).replace(",", "")))] if found else []


def _string(
    name: str, parts: set[str], schema: Json, tool: ToolSchema, text: str, now: date | None
) -> list[Any]:
    sample = _sample(name, schema)
    if "quarter" in parts or ("period" in parts and "Q" in sample):
        return [moments.write_quarter(q, sample) for q in moments.quarters(text, now)]
    if "month" in parts:
        return [f"{y}-{m:02}" for y, m in moments.months(text, now)]
    if "year" in parts:
        return [str(y) for y in moments.years(text, now)]
    if schema.get("format") in {"date", "date-time"} or parts & {"date", "day"}:
        return _date(parts, text, now)
    if parts & IDS:
        return _ids(parts, schema, text)
    listed = re.findall(r"\b[A-ZÀ-Þ][\w-]+\b", str(schema.get("description", "")))[1:]
    return _mentioned(listed, text)


def _date(parts: set[str], text: str, now: date | None) -> list[Any]:
    first, last = moments.period(text, now)
    chosen = last if parts & ENDS and not parts & STARTS else first
    return [chosen.isoformat()] if chosen else []


def _ids(parts: set[str], schema: Json, text: str) -> list[Any]:
    found = names.ids(text)
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        try:
            return [f for f in found if re.search(pattern, f)][:1]
        except re.error:
            return []
    has_letters = [f for f in found if not f.isdigit()]
    subject = parts - IDS
    if subject & {stem(w) for w in words(text)} or subject & set(words(text)):
        return (has_letters or found)[:1]
    return has_letters[:1]


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
        return [_as(kind, n) for n in names.numbers(said.whole)[:1]]
    if kind == "boolean":
        return [False]
    if kind != "string":
        return []
    if parts & IDS or schema.get("format") in {"date", "date-time"} or "quarter" in parts:
        value = harvest(name, " ".join([said.whole, *said.earlier]), said.results)
        return [value] if value else []
    return _text(parts, tool, said)


def _text(parts: set[str], tool: ToolSchema, said: Said) -> list[Any]:
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


def _sample(name: str, schema: Json) -> str:
    examples = schema.get("examples")
    shown = [str(e) for e in cast("list[Any]", examples)] if isinstance(examples, list) else []
    keys = ("pattern", "description", "default")
    return " ".join([name, *shown, *(str(schema[k]) for k in keys if k in schema)])


def _as(kind: str, number: float) -> int | float:
    return int(number) if kind == "integer" or number.is_integer() else number
