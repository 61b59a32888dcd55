"""Tells titles, headings and totals from the rows that hold the values."""

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal

from core.specialists.sheets import values
from core.specialists.sheets.grid import Value, is_empty

HEADING_ROWS = 4
"""At most."""
_WORD = (
    r"(?:grand |sub|sub-)?(?:total|totals)|subtotal|sum|i alt|ialt|summe|gesamt(?:summe)?|"
    r"zwischensumme|totaal|totale|suma|yhteensä|samlet|hovedtotal"
)
_TOTAL = re.compile(rf"\s*(?:{_WORD})\s*[:.]?\s*((?:19|20)\d\d)?\s*", re.IGNORECASE)
_MAYBE_TOTAL = re.compile(rf"\s*(?:{_WORD})\b|.*\b(?:{_WORD})\s*:?\s*$", re.IGNORECASE)
_YEAR = re.compile(r"\s*(?:19|20)\d\d\s*")


def says_one_thing(row: Sequence[Value]) -> bool:
    """A title: one text, spread over the row where its cells are merged."""
    said = {str(cell) for cell in row if not is_empty(cell)}
    return len(said) == 1 and not counts_values(row)


def counts_values(row: Sequence[Value]) -> int:
    """Cells that look like values and not like words of a heading; a year is a word there."""
    return sum(_is_value(cell) for cell in row)


def heading_rows(rows: Sequence[Sequence[Value]]) -> int:
    """How many rows stand above the first one with values."""
    # Years are words of a heading in the first row alone.
    start = 1 if _are_years(rows[0]) else 0
    first = next(
        (
            at
            for at, row in enumerate(rows[start:8], start=start)
            if counts_values(row) > 0.2 * max(1, sum(not is_empty(cell) for cell in row))
        ),
        None,
    )
    return 1 if first is None else min(first, HEADING_ROWS, len(rows) - 1)


def headings(rows: Sequence[Sequence[Value]], width: int) -> list[str]:
    """One for each column: `2025` over `Revenue` becomes `2025 Revenue`."""
    found: list[str] = []
    for place in range(width):
        words: list[str] = []
        for row in rows:
            cell = row[place]
            said = str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
            if not is_empty(cell) and said.strip() not in words:
                words.append(" ".join(said.split()))
        found.append(" ".join(words) or f"column {place + 1}")
    return found


def identifier(text: str, taken: set[str]) -> str:
    """A name for SQL, unlike those that are taken; it is taken from now on."""
    plain = unicodedata.normalize("NFC", text).strip().lower()
    name = re.sub(r"\W+", "_", plain).strip("_") or "column"
    name = (f"c_{name}" if name[0].isdigit() else name)[:60]
    unique, number = name, 2
    while unique in taken:
        unique, number = f"{name}_{number}", number + 1
    taken.add(unique)
    return unique


def totals(rows: Sequence[Sequence[Value]]) -> list[int]:
    """The rows that add up others, by place: those that say so in a word, and those that begin
    like it or say nothing and whose numbers are the sum of the rows above."""
    found: list[int] = []
    for at, row in enumerate(rows):
        words = [cell for cell in row if isinstance(cell, str) and cell.strip()]
        if not any(not is_empty(cell) for cell in row):
            continue
        if any(_TOTAL.fullmatch(word) for word in words[:2]):
            found.append(at)
        elif any(_MAYBE_TOTAL.match(word) for word in words[:2]) or is_empty(row[0]):
            if (is_last := at == len(rows) - 1) or words:
                plain = [r for n, r in enumerate(rows[:at]) if n not in found]
                since = rows[(found[-1] + 1 if found else 0) : at]
                is_silent = not any(_MAYBE_TOTAL.match(word) for word in words[:2])
                if is_silent and not is_last:
                    continue
                if _adds_up(row, plain) or _adds_up(row, since):
                    found.append(at)
    return found


def label(row: Sequence[Value]) -> str:
    return next((str(cell).strip() for cell in row if isinstance(cell, str) and cell.strip()), "")


def _adds_up(row: Sequence[Value], above: Sequence[Sequence[Value]]) -> bool:
    if len(above) < 2:
        return False
    has_sum = False
    for place, cell in enumerate(row):
        total = _number(cell)
        if total is None:
            continue
        parts = [_number(other[place]) for other in above]
        known = [part for part in parts if part is not None]
        if len(known) < 2 or abs(sum(known) - total) > abs(total) * Decimal("0.000001"):
            return False
        has_sum = True
    return has_sum


def _number(cell: Value) -> Decimal | None:
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, int | float):
        return Decimal(repr(cell))
    if not isinstance(cell, str):
        return None
    style = values.commas([cell])
    read = values.number(cell, has_decimal_comma=style.is_decimal)
    return read.value if read else None


def _is_value(cell: Value) -> bool:
    if is_empty(cell):
        return False
    if not isinstance(cell, str):
        return True
    if _YEAR.fullmatch(cell):
        return False
    if not any(mark.isdigit() for mark in cell):
        return False
    return (
        values.number(cell, has_decimal_comma=True) is not None
        or values.number(cell, has_decimal_comma=False) is not None
        or values.day(cell, is_day_first=True) is not None
        or values.day(cell, is_day_first=False) is not None
    )


def _are_years(row: Sequence[Value]) -> bool:
    """A heading such as `Department | 2023 | 2024`."""
    cells = [cell for cell in row if not is_empty(cell)]
    numbers = [cell for cell in cells if isinstance(cell, int | float)]
    return (
        any(isinstance(cell, str) for cell in cells)
        and bool(numbers)
        and all(1900 < number < 2100 for number in numbers)
    )
