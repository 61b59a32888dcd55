"""A sheet of 100,000 rows: read and asked a first question, beside openpyxl and pandas.

    python -m bench.sheets [ROWS]

pandas comes with the Databricks connector and is used here alone. Each way runs in a process of its
own, so that nobody finds libraries loaded; what is timed begins after the imports.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

ROWS = 100_000
REGIONS = ("Nord", "Syd", "Øst", "Vest")
SQL = 'SELECT s.region, SUM(s.amount) AS amount FROM "{}" AS s GROUP BY s.region ORDER BY s.region'


def write(path: Path, rows: int) -> None:
    """Cells of every kind, and a totals row at the end."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Salg")
    sheet.append(["Id", "Region", "Kunde", "Amount", "Day", "Units"])
    for at in range(rows):
        day = date(2025, 1, 1) + timedelta(days=at % 700)
        row = [f"{at:06}", REGIONS[at % 4], f"kunde {at % 997}", at / 100, day, at % 13]
        sheet.append(row)
    sheet.append(["I alt", None, None, sum(range(rows)) / 100, None, None])
    book.save(path)


def ours(path: Path) -> None:
    from core.records import FileId, FileRef, ThreadId
    from core.specialists.sheets.describing import source_of
    from core.specialists.sheets.shelf import Shelf
    from core.specialists.sql.engine import engine_for
    from core.specialists.sql.guard import admit

    async def run() -> None:
        began = time.perf_counter()
        file = FileRef(id=FileId("bench"), name=path.name)
        shelf = Shelf(path.parent / "shelf")
        kept = await shelf.add(ThreadId("bench"), file, path.read_bytes())
        read = time.perf_counter() - began
        source = source_of(kept, "")
        engine = engine_for(source)
        schema = await engine.schema("")
        query = admit(SQL.format(kept.tables[0].name), schema, source, 100)
        found = await engine.run(query, "", 30.0)
        await engine.close()
        _say("ours, process and all", read, time.perf_counter() - began, len(found.rows))

    asyncio.run(run())


def openpyxl_alone(path: Path) -> None:
    import openpyxl

    began = time.perf_counter()
    sheet = openpyxl.load_workbook(path, read_only=True, data_only=True).active
    sums: dict[object, float] = {}
    rows = list(sheet.iter_rows(min_row=2, values_only=True))
    read = time.perf_counter() - began
    for row in rows:
        sums[row[1]] = sums.get(row[1], 0.0) + float(row[3] or 0)
    _say("openpyxl, rows added up by hand", read, time.perf_counter() - began, len(sums))


def pandas_with_openpyxl(path: Path) -> None:
    import openpyxl  # noqa: F401
    import pandas as pd

    began = time.perf_counter()
    frame = pd.read_excel(path, engine="openpyxl")
    read = time.perf_counter() - began
    sums = frame.groupby("Region")["Amount"].sum()
    _say("pandas with openpyxl", read, time.perf_counter() - began, len(sums))


WAYS = {one.__name__: one for one in (ours, openpyxl_alone, pandas_with_openpyxl)}


def main() -> None:
    if len(sys.argv) == 3 and sys.argv[1] in WAYS:
        WAYS[sys.argv[1]](Path(sys.argv[2]))
        return
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sales.xlsx"
        write(path, rows)
        print(f"{rows:,} rows of 6 columns, {path.stat().st_size / 1e6:.1f} MB")
        for name in WAYS:
            subprocess.run([sys.executable, "-m", "bench.sheets", name, str(path)], check=True)


def _say(name: str, read: float, answered: float, groups: int) -> None:
    print(f"{name:34} read {read:6.2f} s, first answer {answered:6.2f} s ({groups} groups)")


if __name__ == "__main__":
    main()
