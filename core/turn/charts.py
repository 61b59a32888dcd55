"""Chooses how rows are drawn, by what their columns hold alone."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from core.figures import Cell

Drawn = Literal["table", "bar", "line", "pie"]
CATEGORIES, SLICES, POINTS = 12, 6, 3
"""Bars and slices at most, and points from which on a line is one."""
_TIME = re.compile(
    r"\d{4}(?:-\d\d(?:-\d\d(?:[T ][\d:.]+)?)?)?|\d{4}[- ]?Q[1-4]|Q[1-4] \d{4}|\d{4}-?W\d\d"
)
_SHARE = re.compile(r"%|(?<![a-z])(?:share|percent|percentage|pct|anteil|andel)(?![a-z])", re.I)


def drawn(wished: Drawn | None, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Drawn:
    """`wished` is what the answer asks for, None where it leaves it open. What the rows do not
    carry is not drawn: a line needs a time, a pie a few parts of a whole."""
    if wished == "table" or not _has_numbers(rows):
        return "table"
    is_time = len(rows) >= POINTS and all(_TIME.fullmatch(str(row[0])) for row in rows)
    if wished is None and is_time:
        return "line"
    if wished == "line" and is_time:
        return "line"
    if wished != "bar" and _are_parts(columns, rows, is_asked=wished == "pie"):
        return "pie"
    return "bar" if wished is not None or len(rows) <= CATEGORIES else "table"


def _has_numbers(rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether there is a label and a number in each row."""
    return len(rows) > 1 and all(
        len(row) > 1 and any(not isinstance(cell, str) for cell in row[1:]) for row in rows
    )


def _are_parts(columns: Sequence[str], rows: Sequence[Sequence[Cell]], *, is_asked: bool) -> bool:
    place = next(
        (at for at in range(1, len(columns)) if all(not isinstance(r[at], str) for r in rows)), None
    )
    if place is None or len(rows) > SLICES:
        return False
    values = [row[place] for row in rows]
    are_positive = all(isinstance(value, int | float) and value > 0 for value in values)
    return are_positive and (is_asked or _SHARE.search(columns[place]) is not None)


def numbers(kinds: Mapping[str, str]) -> frozenset[str]:
    """The columns that hold numbers, by what the result says of them."""
    return frozenset(
        name for name, kind in kinds.items() if kind in ("integer", "decimal", "float")
    )
