"""Takes from evidence how its rows came about, and checks the words of an answer against it."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, cast

from core.loop.calls import number_of
from core.policy.links import settle
from core.records import Evidence
from core.workings import Working

MOST = 3
"""Queries that are shown under one answer."""
QUERY, LINE, LINES = 4_000, 300, 12
"""Characters of a query and of a line, and how many lines."""
_SCALES = {
    **dict.fromkeys(("%",), Decimal("0.01")),
    **dict.fromkeys(("k", "thousand", "tsd", "tusind"), Decimal(1_000)),
    **dict.fromkeys(("m", "mn", "mio", "million", "millions", "millionen"), Decimal(1_000_000)),
    **dict.fromkeys(("bn", "mrd", "mia", "billion", "milliarden"), Decimal(1_000_000_000)),
}
_FIGURE = re.compile(
    r"(?<![\w.,/-])([-−]?\d(?:[\d,.\u00a0\u202f]*\d)?)"
    rf"(?:\s?({'|'.join(map(re.escape, _SCALES))})(?![\w]))?(?![\w/-])",
    re.IGNORECASE,
)
_CITED = re.compile(r"\[\d{1,3}\]|^\s*\d{1,2}\.\s", re.MULTILINE)
_DATES = re.compile(r"\b\d{4}-\d\d(?:-\d\d)?\b|\b\d{1,2}[:.]\d\d\b(?=\s*(?:Uhr|CET|CEST|UTC|h\b))")
READ = 300_000
"""Characters of results that are held against an answer: longer ones would hold others up."""
SMALL = 3
"""Whole numbers up to here count things as words do."""


def workings(evidence: Sequence[Evidence]) -> tuple[Working, ...]:
    """Of the results that say by which query they came about."""
    found = [made for piece in evidence if (made := _working(piece)) is not None]
    return tuple(found[:MOST])


def unfounded(text: str, question: str, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """The figures of an answer that stand in no result of its turn and not in the question. Only
    where a query was run: other tools bring texts in which figures are written out."""
    if not any(_working(piece) for piece in evidence):
        return ()
    told = "\n".join([question, *(piece.text for piece in evidence)])
    if len(told) > READ:
        return ()
    known = sorted({value for found in _FIGURE.finditer(told) for value, _ in _readings(found)})
    missing = [
        found[0].strip()
        for found in _FIGURE.finditer(_CITED.sub(" ", _DATES.sub(" ", text)))
        if not _is_small(found[1])
        and not any(_is_known(value, room, known) for value, room in _readings(found))
    ]
    return tuple(dict.fromkeys(missing))


def remark(missing: Sequence[str]) -> str:
    """What is written under an answer that says figures which no result holds."""
    listed = ", ".join(missing[:5])
    return f"\n\n_In no result of this turn: {listed}. Worked out by the model; please check._"


def _working(piece: Evidence) -> Working | None:
    made = (piece.structured or {}).get("query")
    if piece.is_error or not isinstance(made, dict):
        return None
    query = cast("dict[str, Any]", made)
    if not isinstance(query.get("sql"), str):
        return None
    rows, seconds = query.get("rows"), query.get("seconds")
    return Working(
        number=number_of(piece.id),
        source=_line(query.get("source")),
        query=_plain(str(query["sql"]))[:QUERY],
        tables=_lines(query.get("tables")),
        filters=_lines(query.get("filters")),
        rows=rows if isinstance(rows, int) else 0,
        is_complete=query.get("is_complete") is True,
        time_zone=_line(query.get("time_zone")),
        as_of=_line(query.get("as_of")),
        seconds=float(seconds) if isinstance(seconds, int | float) else 0.0,
        notes=_lines(query.get("notes")),
        verified=_line(query.get("verified")),
    )


def _lines(given: object) -> tuple[str, ...]:
    listed = cast("list[object]", given) if isinstance(given, list) else []
    return tuple(_line(one) for one in listed[:LINES])


def _line(given: object) -> str:
    return _plain(" ".join(str(given or "").split())[:LINE])


def _plain(text: str) -> str:
    """Without a live address: what a query compares with came from a question."""
    return settle(text, ())[0] if "://" in text or "www." in text.lower() else text


def _is_small(shown: str) -> bool:
    bare = shown.lstrip("-−")
    is_year = len(bare) == 4 and bare.isdecimal() and "1900" <= bare <= "2100"
    return is_year or (bare.isdecimal() and int(bare) <= SMALL)


def _readings(found: re.Match[str]) -> list[tuple[Decimal, Decimal]]:
    """What a figure may mean, without its sign, and half of its last place: its marks are of
    thousands or of decimals, as the language has it; a percentage may stand as a fraction."""
    bare = re.sub(r"[\s\u00a0\u202f−-]", "", found[1])
    scale = _SCALES[found[2].lower()] if found[2] else Decimal(1)
    scales = (scale, Decimal(1)) if found[2] == "%" else (scale,)
    made: list[tuple[Decimal, Decimal]] = []
    for text in {bare.replace(",", ""), bare.replace(".", "").replace(",", ".")}:
        try:
            value = Decimal(text)
        except InvalidOperation:
            continue
        half = Decimal(10) ** int(value.as_tuple().exponent) / 2
        made += [(value * by, half * by) for by in scales]
    return made


def _is_known(value: Decimal, room: Decimal, known: Sequence[Decimal]) -> bool:
    """Whether it is one of the known, or one of them rounded to as many places; nothing is rounded
    to nought. `known` is sorted."""
    place = bisect_left(known, value if not value else value - room)
    return place < len(known) and known[place] <= (value + room if value else value)
