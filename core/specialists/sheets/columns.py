"""Decides what a column holds, and says whatever it had to judge."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

from core.specialists.sheets import values
from core.specialists.sheets.grid import Value, is_empty

Kind = Literal["text", "integer", "decimal", "float", "date", "timestamp", "boolean"]
MOST_OF = 0.95
"""The part of a column's values that has to be of a kind for the column to be of it."""
SOME = 200
SCALE, DIGITS = 8, 36
LARGEST = 2**63 - 1
_NOTHING = {"", "-", "–", "—", "n/a", "na", "null", "none", "#n/a", "#ref!", "#div/0!", "?", "."}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    name: str
    """As SQL knows it."""
    heading: str
    """As it stands in the sheet."""
    kind: Kind
    values: list[Any] = field(repr=False)
    scale: int = 0
    """Of a decimal: digits after the point."""
    unit: str = ""
    """`%` (stored as a fraction), `EUR`, …; empty where none stands there."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """How a table writes what could be read in two ways."""

    is_day_first: bool
    because: str = ""
    """The heading of the column that shows it; empty where none does."""
    has_decimal_comma: bool | None = None
    """None where no column shows it."""


def order_of(columns: Sequence[tuple[str, Sequence[Value]]]) -> Order:
    """By any date of the table in which one of the numbers is no month."""
    for heading, cells in columns:
        pairs = [found for cell in cells if isinstance(cell, str) and (found := values.parts(cell))]
        if any(first > 12 for first, _ in pairs) != any(second > 12 for _, second in pairs):
            return Order(is_day_first=any(first > 12 for first, _ in pairs), because=heading)
    return Order(is_day_first=True)


def comma_of(columns: Sequence[tuple[str, Sequence[Value]]]) -> bool | None:
    """By any column that shows it and whose texts are numbers that way."""
    for _, cells in columns:
        texts = [cell for cell in cells if isinstance(cell, str) and any(map(str.isdigit, cell))]
        if not texts or not _are_mostly(texts, _is_number):
            continue
        style = values.commas(texts)
        if not style.is_ambiguous and style.is_shown:
            return style.is_decimal
    return None


def column(name: str, heading: str, cells: Sequence[Value], order: Order) -> Column:
    clean: list[Value] = [None if _says_nothing(cell) else cell for cell in cells]
    present = [cell for cell in clean if cell is not None]
    for attempt in (_booleans, _dates, _numbers):
        made = attempt(name, heading, clean, present, order) if present else None
        if made is not None:
            return made
    return Column(name=name, heading=heading, kind="text", values=[_text(cell) for cell in clean])


def _says_nothing(cell: Value) -> bool:
    return is_empty(cell) or (isinstance(cell, str) and cell.strip().lower() in _NOTHING)


def _booleans(
    name: str, heading: str, clean: Sequence[Value], present: Sequence[Value], _: Order
) -> Column | None:
    if not all(isinstance(cell, bool) for cell in present):
        return None
    return Column(name=name, heading=heading, kind="boolean", values=list(clean))


def _dates(
    name: str, heading: str, clean: Sequence[Value], present: Sequence[Value], order: Order
) -> Column | None:
    texts = [cell for cell in present if isinstance(cell, str)]
    if len(texts) + sum(isinstance(cell, date) for cell in present) < len(present):
        return None
    if _cannot_be(texts, present, _is_day):
        return None
    read = _reader(texts, order)
    days = [read(cell) for cell in clean]
    if sum(found is not None for found in days) < MOST_OF * len(present):
        return None
    notes = _lost(heading, clean, days, "a date") + _order_note(heading, texts, order)
    if any(_has_time(cell) for cell in present) and not texts:
        moments = [cell if isinstance(cell, datetime) else _midnight(cell) for cell in clean]
        return Column(name=name, heading=heading, kind="timestamp", values=moments)
    return Column(name=name, heading=heading, kind="date", values=days, notes=tuple(notes))


def _reader(texts: Sequence[str], order: Order) -> Callable[[Value], date | None]:
    """Many cells of a column say the same day."""
    is_day_first = _first(texts, order)
    known = {text: values.day(text, is_day_first=is_day_first) for text in set(texts)}

    def read(cell: Value) -> date | None:
        if isinstance(cell, datetime):
            return cell.date()
        if isinstance(cell, str):
            return known.get(cell)
        return cell if isinstance(cell, date) else None

    return read


def _first(texts: Sequence[str], order: Order) -> bool:
    """The column itself knows best."""
    return order_of([("", texts)]).is_day_first if _is_decided(texts) else order.is_day_first


def _is_decided(texts: Sequence[str]) -> bool:
    return bool(order_of([("itself", texts)]).because)


def _order_note(heading: str, texts: Sequence[str], order: Order) -> list[str]:
    unclear = [text for text in texts if values.parts(text)]
    if not unclear or _is_decided(texts):
        return []
    words = "day-month-year" if order.is_day_first else "month-day-year"
    why = f", as in {order.because}" if order.because else ""
    return [f"{heading}: dates like {unclear[0]} are ambiguous; read as {words}{why}"]


def _has_time(cell: Value) -> bool:
    return isinstance(cell, datetime) and bool(cell.hour or cell.minute or cell.second)


def _midnight(cell: Value) -> datetime | None:
    return datetime(cell.year, cell.month, cell.day) if isinstance(cell, date) else None  # noqa: DTZ001


def _numbers(
    name: str, heading: str, clean: Sequence[Value], present: Sequence[Value], order: Order
) -> Column | None:
    texts = [cell for cell in present if isinstance(cell, str)]
    if any(isinstance(cell, date | bool) for cell in present) or _are_codes(texts):
        return None
    if _cannot_be(texts, present, _is_number):
        return None
    style = values.commas(texts)
    if style.is_ambiguous and order.has_decimal_comma is not None:
        style = replace(style, is_decimal=order.has_decimal_comma)
    known = {text: values.number(text, has_decimal_comma=style.is_decimal) for text in set(texts)}
    units = Counter(found.unit for text in texts if (found := known[text]) and found.unit)
    if len(units) > 1:
        words = " and ".join(sorted(units))
        note = f"{heading}: {words} are mixed, so the values are kept as text and not added up"
        return Column(
            name=name,
            heading=heading,
            kind="text",
            values=[_text(cell) for cell in clean],
            notes=(note,),
        )

    def read(cell: Value) -> Decimal | int | float | None:
        if isinstance(cell, str):
            found = known[cell]
            return found.value if found else None
        return cell if isinstance(cell, int | float) else None

    found = [read(cell) for cell in clean]
    if sum(value is not None for value in found) < MOST_OF * len(present):
        return None
    unit = next(iter(units), "")
    notes = _lost(heading, clean, found, "a number") + _style_notes(heading, texts, style, unit)
    return _stored(name, heading, found, unit, tuple(notes))


def _cannot_be(texts: Sequence[str], present: Sequence[Value], are: Callable[[str], bool]) -> bool:
    """Too many of the values are texts that say something else."""
    return len(texts) > (1 - MOST_OF) * len(present) and not _are_mostly(texts, are)


def _are_mostly(texts: Sequence[str], are: Callable[[str], bool]) -> bool:
    """By some of them: most columns of words need no closer look."""
    some = texts[:: max(1, len(texts) // SOME)]
    return sum(map(are, some)) * 2 >= len(some)


def _is_day(text: str) -> bool:
    return (
        values.day(text, is_day_first=True) is not None
        or values.day(text, is_day_first=False) is not None
    )


def _is_number(text: str) -> bool:
    return (
        values.number(text, has_decimal_comma=False) is not None
        or values.number(text, has_decimal_comma=True) is not None
    )


def _are_codes(texts: Sequence[str]) -> bool:
    """Numbers that begin with a zero, or have more digits than numbers have, are names."""
    bare = [text.strip() for text in texts]
    return any(
        text.isdecimal() and ((text[0] == "0" and len(text) > 1) or len(text) > 18) for text in bare
    )


def _style_notes(heading: str, texts: Sequence[str], style: values.Commas, unit: str) -> list[str]:
    notes: list[str] = []
    if style.is_ambiguous:
        said = next(text for text in texts if "." in text or "," in text)
        is_mark = "," in said if style.is_decimal else "." in said
        notes.append(
            f"{heading}: {said.strip()} could be thousands or decimals; read as "
            + ("decimals" if is_mark else "thousands")
        )
    elif style.is_decimal:
        notes.append(f"{heading}: decimal comma")
    if unit == "%":
        notes.append(f"{heading}: percentages are stored as fractions (12 % is 0.12)")
    return notes


def _lost(heading: str, before: Sequence[Value], after: Sequence[object], what: str) -> list[str]:
    lost = [
        str(cell)
        for cell, kept in zip(before, after, strict=True)
        if cell is not None and kept is None
    ]
    if not lost:
        return []
    shown = ", ".join(repr(text[:30]) for text in lost[:3])
    return [f"{heading}: {len(lost)} value(s) are not {what} and were left empty: {shown}"]


def _stored(
    name: str,
    heading: str,
    found: Sequence[Decimal | int | float | None],
    unit: str,
    notes: tuple[str, ...],
) -> Column:
    """Whole numbers as integers, others exactly as decimals where they are short enough: a
    spreadsheet's 0.1 is meant as 0.1, and sums of such have to come out even."""

    def made(kind: Kind, stored: list[Any], scale: int = 0) -> Column:
        return Column(
            name=name,
            heading=heading,
            kind=kind,
            values=stored,
            scale=scale,
            unit=unit,
            notes=notes,
        )

    if all(v is None or (v == int(v) and abs(v) <= LARGEST) for v in found):
        return made("integer", [None if v is None else int(v) for v in found])
    exact = [None if v is None else Decimal(repr(v) if isinstance(v, float) else v) for v in found]
    scale = max((-int(v.as_tuple().exponent) for v in exact if v is not None), default=0)
    largest = max(abs(v) for v in exact if v is not None)
    if scale <= SCALE and largest < Decimal(10) ** (DIGITS - scale):
        return made("decimal", list(exact), max(scale, 0))
    return made("float", [None if v is None else float(v) for v in found])


def _text(cell: Value) -> str | None:
    if cell is None:
        return None
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime) and not _has_time(cell):
        return cell.date().isoformat()
    return cell.isoformat() if isinstance(cell, date) else str(cell).strip()
