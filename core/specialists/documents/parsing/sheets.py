"""Reads spreadsheets as text: one page for each sheet, a table of its cells as they are shown."""

import csv
import io
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Any

from core.specialists.documents.parsing.pages import Page, Unread, table
from core.specialists.documents.parsing.plain import decoded

MOST_ROWS = 5_000
"""Of one sheet; figures out of longer ones are for the tools that reckon, not for text."""
MOST_COLUMNS = 60


def read(content: bytes) -> Iterator[Page]:
    import python_calamine

    library: Any = python_calamine
    try:
        book = library.CalamineWorkbook.from_filelike(io.BytesIO(content))
    except library.PasswordError as fault:
        raise Unread("is protected by a password") from fault
    except (library.CalamineError, ValueError, OSError) as fault:
        raise Unread("is no spreadsheet that can be opened: it is damaged") from fault
    for number, name in enumerate(book.sheet_names, start=1):
        rows: list[list[Any]] = book.get_sheet_by_name(name).to_python(nrows=MOST_ROWS + 1)
        if text := _told([[_value(cell) for cell in row[:MOST_COLUMNS]] for row in rows]):
            yield Page(number=number, name=str(name), text=f"## {name}\n\n{text}")


def read_csv(content: bytes) -> Iterator[Page]:
    text = decoded(content)
    try:
        dialect = csv.Sniffer().sniff(text[:4096], delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel
    try:
        rows = [row[:MOST_COLUMNS] for row in csv.reader(io.StringIO(text), dialect)]
    except csv.Error as fault:
        raise Unread("is no table that can be read: it is damaged") from fault
    yield Page(text=_told(rows))


def _told(rows: list[list[Any]]) -> str:
    text = table(rows[:MOST_ROWS])
    if len(rows) > MOST_ROWS:
        text += f"\n\nOnly the first {MOST_ROWS:,} rows stand here."
    return text


def _value(cell: Any) -> str:
    match cell:
        case float() if cell.is_integer() and abs(cell) < 1e15:
            return str(int(cell))
        case datetime() if cell.time() == time():
            return cell.date().isoformat()
        case datetime() | date() | time():
            return cell.isoformat()
        case _:
            return str(cell)
