"""Writes a report as a workbook with typed cells, the same bytes for the same report."""

import io
import re
import zipfile
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

_EPOCH = (2026, 9, 30, 0, 0, 0)
_STAMP = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")


def workbook(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str | int | Decimal]]
) -> bytes:
    """The bytes of an xlsx file: one sheet, the head in bold and frozen, numbers as numbers."""
    from openpyxl import Workbook
    from openpyxl.styles import Font

    book = Workbook()
    sheet: Any = book.active
    sheet.title = re.sub(r"[\[\]:*?/\\]", " ", title)[:31]
    sheet.append(list(head))
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    for row in rows:
        sheet.append(list(row))
        for cell in sheet[sheet.max_row]:
            if isinstance(cell.value, str):
                # A text that begins with "=" stays a text.
                cell.data_type = "s"
            elif isinstance(cell.value, Decimal):
                cell.number_format = "#,##0.00"
    sheet.freeze_panes = "A2"
    for index, name in enumerate(head, 1):
        widest = max([len(name), *(len(str(row[index - 1])) for row in rows)])
        sheet.column_dimensions[sheet.cell(1, index).column_letter].width = widest + 2
    written = io.BytesIO()
    book.save(written)
    return _without_times(written.getvalue())


def _without_times(content: bytes) -> bytes:
    """The same archive with one fixed time in place of the time of writing."""
    fixed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(fixed, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            if name == "docProps/core.xml":
                part = _STAMP.sub(rb"\g<1>2026-09-30T00:00:00Z", part)
            entry = zipfile.ZipInfo(name, date_time=_EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, part)
    return fixed.getvalue()
