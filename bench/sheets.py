"""Measures a sheet of 100,000 rows: read and asked a first question, beside openpyxl and pandas.

What is timed begins after the imports, and what ours does in processes of its own is in it.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import date, timedelta
from pathlib import Path

ROWS = 100_000
REGIONS = ("Nord", "Syd", "Øst", "Vest")
SQL = 'SELECT s.region, SUM(s.amount) AS amount FROM "{}" AS s GROUP BY s.region ORDER BY s.region'


async def measure(subject: str, folder: Path) -> dict[str, float]:
    """Seconds."""
    folder.mkdir(parents=True)
    path = folder / "sales.xlsx"
    _write(path)
    return await _WAYS[subject](path)


def _write(path: Path) -> None:
    """Cells of every kind, and a totals row at the end."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Salg")
    sheet.append(["Id", "Region", "Kunde", "Amount", "Day", "Units"])
    for at in range(ROWS):
        day = date(2025, 1, 1) + timedelta(days=at % 700)
        row = [f"{at:06}", REGIONS[at % 4], f"kunde {at % 997}", at / 100, day, at % 13]
        sheet.append(row)
    sheet.append(["I alt", None, None, sum(range(ROWS)) / 100, None, None])
    book.save(path)


async def _ours(path: Path) -> dict[str, float]:
    from core.records import FileId, FileRef, ThreadId
    from core.specialists.sheets.describing import source_of
    from core.specialists.sheets.shelf import Shelf
    from core.specialists.sql.engine import engine_for
    from core.specialists.sql.guard import admit

    began = time.perf_counter()
    file = FileRef(id=FileId("bench"), name=path.name)
    kept = await Shelf(path.parent / "shelf").add(ThreadId("bench"), file, path.read_bytes())
    read = time.perf_counter()
    source = source_of(kept, "")
    engine = engine_for(source)
    schema = await engine.schema("")
    found = await engine.run(admit(SQL.format(kept.tables[0].name), schema, source, 100), "", 60.0)
    await engine.close()
    return _told(began, read, len(found.rows))


async def _openpyxl(path: Path) -> dict[str, float]:
    import openpyxl

    began = time.perf_counter()
    sheet = openpyxl.load_workbook(path, read_only=True, data_only=True).active
    rows = list(sheet.iter_rows(min_row=2, values_only=True))
    read = time.perf_counter()
    sums: dict[object, float] = {}
    for row in rows:
        sums[row[1]] = sums.get(row[1], 0.0) + float(row[3] or 0)
    return _told(began, read, len(sums))


async def _pandas(path: Path) -> dict[str, float]:
    import openpyxl  # noqa: F401
    import pandas as pd

    began = time.perf_counter()
    frame = pd.read_excel(path, engine="openpyxl")
    read = time.perf_counter()
    return _told(began, read, len(frame.groupby("Region")["Amount"].sum()))


_WAYS: Mapping[str, Callable[[Path], Awaitable[dict[str, float]]]] = {
    "countersign": _ours,
    "openpyxl": _openpyxl,
    "pandas": _pandas,
}


def _told(began: float, read: float, groups: int) -> dict[str, float]:
    return {
        "the sheet is read": read - began,
        "first answer, from the start": time.perf_counter() - began,
        "groups in it (right: 4)": float(groups),
    }
