"""Tables and charts of an answer: drawn from the rows that a tool brought, never by the model."""

import math
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import cast

from core.capabilities.reading import rows_of
from core.figures import Cell, Figure
from core.loop.calls import number_of
from core.policy.links import settle
from core.records import Evidence
from core.turn.charts import Drawn, drawn, numbers

MOST = 4
"""Figures of one answer."""
ROWS = 1_000
COLUMNS = 40
CELL = 300
"""Characters."""
_PLACE = re.compile(
    r"^[ \t]*(?:[-*] )?\[(table|chart|bar chart|line chart|pie chart) (\d{1,3})\][ \t]*\n?",
    re.MULTILINE | re.IGNORECASE,
)
_WISHES: dict[str, Drawn | None] = {
    "table": "table",
    "bar chart": "bar",
    "line chart": "line",
    "pie chart": "pie",
    "chart": None,
}


def without_places(text: str) -> str:
    """The words of an answer alone: no line that asks for a figure."""
    return _PLACE.sub("", text)


def figures(text: str, evidence: Sequence[Evidence]) -> tuple[Figure, ...]:
    """The figures that an answer asks for, one for each line such as `[table 3]` or `[chart 3]`.
    A number without rows behind it asks for nothing."""
    by_number = {number_of(piece.id): piece for piece in evidence if not piece.is_error}
    found: dict[tuple[str, int], Figure] = {}
    for match in _PLACE.finditer(text):
        word, number = match[1].lower(), int(match[2])
        piece = by_number.get(number)
        if piece is None or (word, number) in found or len(found) == MOST:
            continue
        if (made := _figure(word, piece)) is not None:
            found[word, number] = made
    return tuple(found.values())


def _figure(word: str, piece: Evidence) -> Figure | None:
    rows = rows_of(piece)
    columns = list(dict.fromkeys(str(key) for row in rows for key in row))[:COLUMNS]
    if not columns:
        return None
    kinds = (piece.structured or {}).get("columns")
    numeric: frozenset[str] = frozenset()
    if isinstance(kinds, dict):
        numeric = numbers(cast("dict[str, str]", kinds))
    cells = tuple(
        tuple(_cell(row.get(column), is_number=column in numeric) for column in columns)
        for row in rows[:ROWS]
    )
    names = tuple(map(_words, columns))
    return Figure(
        kind=drawn(_WISHES[word], names, cells),
        title=_words(piece.title),
        columns=names,
        rows=cells,
        total=len(rows),
    )


def _cell(value: object, *, is_number: bool = False) -> Cell:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: ""}[value]
    if is_number and isinstance(value, str):
        return _read(value)
    if isinstance(value, int | float):
        return value if math.isfinite(value) and abs(value) < 2**53 else str(value)
    return _words(str(value))


def _read(text: str) -> Cell:
    """A decimal that came as a text, as a number where that is the same; else as it is."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return _words(text)
    if not value.is_finite() or abs(value) >= 2**53:
        return text
    near = float(value)
    return near if Decimal(repr(near)) == value else text


def _words(text: str) -> str:
    """One line without a live address: what a source holds may be an attack."""
    flat = " ".join(text.split())[:CELL]
    return settle(flat, ())[0] if re.search(r"[./:@\[<%&\\]", flat) else flat
