"""Compares the rows of an answer with the rows that are right."""

import itertools
import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

Grade = Literal["match", "extra_columns", "wrong"]
NEAR = 1e-4
"""Relative: how far two numbers may be apart."""
PAIRINGS = 2_000
"""Ways of pairing columns that are tried."""
Row = tuple[Any, ...]


def grade(gold: Sequence[Row], got: Sequence[Row], *, is_ordered: bool = False) -> Grade:
    """The order of columns never counts, that of rows only where it was asked for; an answer may
    hold further columns."""
    wanted = [tuple(map(cell, row)) for row in gold]
    found = [tuple(map(cell, row)) for row in got]
    if len(wanted) != len(found):
        return "wrong"
    if not wanted:
        return "match"
    columns, theirs = list(zip(*wanted, strict=True)), list(zip(*found, strict=True))
    candidates = [
        [at for at, other in enumerate(theirs) if _are_alike(one, other, is_ordered=is_ordered)]
        for one in columns
    ]
    for picked in itertools.islice(itertools.product(*candidates), PAIRINGS):
        if len(set(picked)) < len(picked):
            continue
        rows = [tuple(row[at] for at in picked) for row in found]
        if _are_same(wanted, rows, is_ordered=is_ordered):
            return "match" if len(theirs) == len(columns) else "extra_columns"
    return "wrong"


def best(golds: Sequence[Sequence[Row]], got: Sequence[Row], *, is_ordered: bool = False) -> Grade:
    """Against several right answers."""
    grades = {grade(one, got, is_ordered=is_ordered) for one in golds}
    if "match" in grades:
        return "match"
    return "extra_columns" if "extra_columns" in grades else "wrong"


def cell(value: Any) -> Any:
    """Numbers as floats, days as ISO texts, whatever type they came in."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float | Decimal):
        return float(value)
    if isinstance(value, datetime):
        is_day = not (value.hour or value.minute or value.second)
        return value.date().isoformat() if is_day else value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    text = str(value).strip()
    try:
        return float(text)
    except ValueError:
        return text


def _are_alike(one: Row, other: Row, *, is_ordered: bool) -> bool:
    if is_ordered:
        return _are_near(one, other)
    return _are_near(sorted(one, key=_rank), sorted(other, key=_rank))


def _are_same(wanted: Sequence[Row], rows: Sequence[Row], *, is_ordered: bool) -> bool:
    if not is_ordered:
        wanted, rows = sorted(wanted, key=_ranks), sorted(rows, key=_ranks)
    return all(_are_near(one, other) for one, other in zip(wanted, rows, strict=True))


def _are_near(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return all(
        a == b
        or (
            isinstance(a, float)
            and isinstance(b, float)
            and math.isclose(a, b, rel_tol=NEAR, abs_tol=1e-9)
        )
        for a, b in zip(one, other, strict=True)
    )


def _rank(value: Any) -> tuple[str, Any]:
    """Numbers by size rounded, so that what is near sorts alike."""
    if isinstance(value, float):
        return "float", float(f"{value:.6g}")
    return type(value).__name__, str(value)


def _ranks(row: Row) -> tuple[tuple[str, Any], ...]:
    return tuple(map(_rank, row))
