"""The values that a text states for one parameter."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any, cast

from core.llm.demo import hours, moments, names
from core.llm.demo.choice import GROUPS, choices
from core.llm.demo.words import SILENT, stem, stems, words
from core.records import Json

IDS = {"id", "key", "number", "code", "reference", "ref", "no", "evidence", "handle", "uuid"}
COUNTS = {"limit", "top", "n", "count", "first", "rows", "size", "max"}
STARTS = {"from", "start", "since", "after", "begin", "earliest", "first"}
ENDS = {"to", "end", "until", "before", "through", "latest", "last"}
SENDERS = {"sender", "author"}
MOMENT = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d")
"""What the description of a parameter shows that takes a day with its hour."""
_FROM = re.compile(
    r"\b(?:[Ff]rom|[Bb]y|[Oo]f)\s+([A-ZÀ-Þ][\w’'-]*(?:\s+[A-ZÀ-Þ][\w’'-]*)*|\S+@\S+\w)"
)
_PER = re.compile(
    r"\b(?:per|by|each|every|which|what|top \d+|grouped by|broken down by|split by)\s+(.+)",
    re.IGNORECASE,
)
_WHO = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)


def read(name: str, schema: Json, text: str, now: date | None) -> list[Any]:
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
    return _string(name, parts, schema, text, now)


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
    return [number(kind, float(found.group(1).replace(",", "")))] if found else []


def _string(name: str, parts: set[str], schema: Json, text: str, now: date | None) -> list[Any]:
    sample = _sample(name, schema)
    if "quarter" in parts or ("period" in parts and "Q" in sample):
        return [moments.write_quarter(q, sample) for q in moments.quarters(text, now)]
    if "month" in parts:
        return [f"{y}-{m:02}" for y, m in moments.months(text, now)]
    if "year" in parts:
        return [str(y) for y in moments.years(text, now)]
    if MOMENT.search(sample):
        return _moment(parts, text, now)
    if parts & SENDERS:
        return [found[1]] if (found := _FROM.search(text)) else []
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


def _moment(parts: set[str], text: str, now: date | None) -> list[Any]:
    """A day with its hour, in local time."""
    found = hours.span(text, now)
    if found is None:
        return []
    return [hours.written(found.end if parts & ENDS else found.start)]


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


def _sample(name: str, schema: Json) -> str:
    examples = schema.get("examples")
    shown = [str(e) for e in cast("list[Any]", examples)] if isinstance(examples, list) else []
    keys = ("pattern", "description", "default")
    return " ".join([name, *shown, *(str(schema[k]) for k in keys if k in schema)])


def number(kind: str, number: float) -> int | float:
    return int(number) if kind == "integer" or number.is_integer() else number
