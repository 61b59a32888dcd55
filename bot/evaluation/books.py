"""Writes the files of a set of questions: spreadsheets with all their mess."""

import io
from datetime import date
from typing import Any

from bot.evaluation.cases import Book


def content(book: Book) -> bytes:
    if not book.sheets:
        return book.text.encode(book.encoding)
    from openpyxl import Workbook

    written = Workbook()
    written.remove(written.worksheets[0])
    for sheet in book.sheets:
        made: Any = written.create_sheet(sheet.name)
        for at, row in enumerate(sheet.rows, start=1):
            for place, value in enumerate(row, start=1):
                if value is not None:
                    made.cell(at, place, value)
                    if isinstance(value, date):
                        made.cell(at, place).number_format = "yyyy-mm-dd"
        for merged in sheet.merged:
            made.merge_cells(merged)
        if sheet.is_hidden:
            made.sheet_state = "hidden"
    file = io.BytesIO()
    written.save(file)
    return file.getvalue()
