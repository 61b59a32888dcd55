"""Reads a spreadsheet or a CSV file as grids of cells, within limits."""

import csv
import io
import zipfile
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, cast

from core.errors import SourceFailed

Value = bool | int | float | str | date | datetime | None
Rows = list[list[Value]]

UNPACKED = 400 * 1024 * 1024
"""Bytes that a packed workbook may hold."""
RATIO = 150
"""How many times its own size a workbook of more than 20 MB unpacked may hold: sheets of repeated
values come to about 40."""
CELLS = 6_000_000
SHEETS = 100
_SMALL = 20 * 1024 * 1024
_ZIP, _OLE = b"PK", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DELIMITERS = ",;\t|"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """One sheet."""

    name: str
    rows: Rows
    """All as long as the longest; row 0 is the sheet's row 1. An empty cell is None."""
    is_hidden: bool = False
    notes: tuple[str, ...] = ()


def grids(content: bytes, name: str) -> list[Grid]:
    """The sheets of the file that hold anything. Raises `SourceFailed` with a sentence for the
    person: not a spreadsheet, too large, damaged."""
    if content[:2] == _ZIP:
        _check_size(content, name)
    if content[:2] == _ZIP or content[:8] == _OLE:
        found = _of_workbook(content, name)
    elif b"\x00" in content[:1_000] and content[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        raise SourceFailed(f"{name} is neither a spreadsheet nor a CSV file.")
    else:
        found = [_of_text(content, name)]
    if sum(len(grid.rows) * len(grid.rows[0]) for grid in found if grid.rows) > CELLS:
        raise SourceFailed(f"{name} has more than the {CELLS:,} cells that I can read.")
    return [grid for grid in found if grid.rows]


def is_empty(value: Value) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _check_size(content: bytes, name: str) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            total = sum(part.file_size for part in packed.infolist())
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise SourceFailed(f"{name} is damaged: it cannot be unpacked.") from error
    if total > UNPACKED or (total > _SMALL and total > RATIO * len(content)):
        raise SourceFailed(
            f"{name} unpacks to {total / 1_048_576:,.0f} MB, which is more than I read."
        )


def _of_workbook(content: bytes, name: str) -> list[Grid]:
    from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
        metas = [meta for meta in book.sheets_metadata if meta.typ == SheetTypeEnum.WorkSheet]
        found: list[Grid] = []
        for meta in metas[:SHEETS]:
            sheet = book.get_sheet_by_name(meta.name)
            height, width = sheet.total_height, sheet.total_width
            if height * width > CELLS:
                raise SourceFailed(
                    f"The sheet {meta.name} of {name} is {height:,} rows by {width:,} columns,"
                    " more than I can read."
                )
            rows = cast("list[list[Any]]", sheet.to_python(skip_empty_area=False))
            merged = cast("list[Any]", sheet.merged_cell_ranges or [])
            notes = _spread(rows, merged)
            is_hidden = meta.visible != SheetVisibleEnum.Visible
            found.append(Grid(name=meta.name, rows=_even(rows), is_hidden=is_hidden, notes=notes))
    except CalamineError as error:
        reason = "protected by a password" if "assword" in str(error) else "damaged"
        raise SourceFailed(f"{name} cannot be read: it is {reason}.") from error
    return found


def _spread(rows: list[list[Any]], merged: list[Any]) -> tuple[str, ...]:
    """Fill merged cells: labels over all that they cover; a number across a heading's columns, but
    never down, where it would be counted again."""
    kept_once: list[str] = []
    for (top, left), (bottom, right) in merged:
        if top >= len(rows) or left >= len(rows[top]):
            continue
        value = rows[top][left]
        is_label = isinstance(value, str)
        if not is_label and bottom > top and value is not None:
            kept_once.append(f"row {top + 1}")
        for row in range(top, min(bottom, len(rows) - 1) + 1):
            if row > top and not is_label:
                break
            for column in range(left, min(right, len(rows[row]) - 1) + 1):
                rows[row][column] = value
    if not kept_once:
        return ()
    return (f"numbers in merged cells are counted once: {', '.join(kept_once[:5])}",)


def _of_text(content: bytes, name: str) -> Grid:
    text, notes = _decoded(content)
    delimiter = _delimiter(text)
    try:
        rows: list[list[Any]] = [
            list[Any](row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        ]
    except csv.Error as error:
        raise SourceFailed(f"{name} cannot be read as CSV: {error}.") from error
    usual = Counter(len(row) for row in rows if row).most_common(1)
    longer = [n for n, row in enumerate(rows, 1) if usual and len(row) > usual[0][0] > 1]
    if longer:
        notes.append(f"{len(longer)} line(s) have more fields than the others: line {longer[0]}")
    return Grid(name=name, rows=_even(rows), notes=tuple(notes))


def _decoded(content: bytes) -> tuple[str, list[str]]:
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", errors="replace"), []
    try:
        return content.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace"), ["text read as Windows-1252"]


def _delimiter(text: str) -> str:
    """The mark that stands in most lines, and equally often."""
    lines = [line for line in text.splitlines()[:200] if line.strip()]

    def consistency(mark: str) -> tuple[int, int]:
        counts = Counter(line.count(mark) for line in lines if mark in line)
        if not counts:
            return (0, 0)
        times, in_lines = counts.most_common(1)[0]
        return (in_lines, times)

    return max(_DELIMITERS, key=consistency)


def _even(rows: list[list[Any]]) -> Rows:
    """Without empty rows at the end; all of one length, empty cells None."""
    while rows and all(is_empty(value) for value in rows[-1]):
        rows.pop()
    width = max((len(row) for row in rows), default=0)
    for row in rows:
        for place, value in enumerate(row):
            if value == "":
                row[place] = None
        if len(row) < width:
            row.extend([None] * (width - len(row)))
    return cast("Rows", rows)
