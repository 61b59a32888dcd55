"""A thread's files are read once, in a process of their own, within limits."""

import io
import os
import zipfile
from pathlib import Path

import duckdb
import pytest

from core.errors import SourceFailed
from core.records import FileId, FileRef, ThreadId
from core.specialists.sheets import shelf as room
from core.specialists.sheets.shelf import Quota, Shelf, is_table_file
from tests.specialists.sheets.test_tables import book

THREAD = ThreadId("slack:T1/C1/1")


def ref(name: str = "report.xlsx", id: str = "F1") -> FileRef:
    return FileRef(id=FileId(f"slack:T1/{id}"), name=name)


SALES = book(["Region", "Sales"], ["North", 0.1], ["South", 0.2], ["Total", 0.3])


def files_in(folder: Path) -> list[Path]:
    return [one for one in folder.rglob("*") if one.is_file()]


async def test_a_file_becomes_a_table_whose_sums_are_exact(tmp_path: Path):
    kept = await Shelf(tmp_path).add(THREAD, ref(), SALES)
    with duckdb.connect(str(kept.database), read_only=True) as connection:
        [(total, first)] = connection.execute(
            "SELECT SUM(sales), MIN(_row) FROM report_salg"
        ).fetchall()
    assert (str(total), first) == ("0.3", 2)
    assert kept.tables[0].notes == ("left out a totals row: row 4 (Total)",)


async def test_the_same_bytes_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shelf = Shelf(tmp_path)
    first = await shelf.add(THREAD, ref(), SALES)
    monkeypatch.setattr(room.sys, "executable", "/nonexistent")
    again = await shelf.add(THREAD, ref("copy.xlsx", "F2"), SALES)
    assert again.tables == first.tables
    assert set(again.known) == {"slack:T1/F1", "slack:T1/F2"}
    assert Shelf(tmp_path).of(THREAD).known == again.known


async def test_a_second_file_stands_beside_the_first_and_threads_apart(tmp_path: Path):
    shelf = Shelf(tmp_path)
    await shelf.add(THREAD, ref(), SALES)
    both = await shelf.add(THREAD, ref("more.csv", "F2"), b"a,b\n1,2\n")
    assert [one.name for one in both.tables] == ["report_salg", "more"]
    assert shelf.of(ThreadId("slack:T1/C1/2")).database is None
    assert len(list(both.database.parent.glob("*.duckdb"))) == 1


async def test_a_file_beyond_its_quota_is_refused_and_leaves_nothing(tmp_path: Path):
    shelf = Shelf(tmp_path, Quota(thread=10))
    with pytest.raises(SourceFailed, match="too much beside"):
        await shelf.add(THREAD, ref(), SALES)
    assert shelf.of(THREAD).database is None
    assert not files_in(tmp_path)


async def test_the_oldest_threads_go_where_the_shelf_is_full(tmp_path: Path):
    shelf = Shelf(tmp_path, Quota(shelf=1))
    for number in range(2):
        await shelf.add(ThreadId(f"t{number}"), ref(), SALES)
        os.utime(shelf._place(ThreadId(f"t{number}")), (number, number))
    await shelf.add(ThreadId("t2"), ref(), SALES)
    assert shelf.of(ThreadId("t0")).database is None
    assert shelf.of(ThreadId("t2")).database is not None


async def test_tables_that_nobody_asks_for_go_after_their_time(tmp_path: Path):
    shelf = Shelf(tmp_path, Quota(kept=60), clock=lambda: 1_000.0)
    await shelf.add(ThreadId("old"), ref(), SALES)
    await shelf.add(ThreadId("new"), ref(), SALES)
    os.utime(shelf._place(ThreadId("old")), (900, 900))
    os.utime(shelf._place(ThreadId("new")), (950, 950))
    await shelf.add(THREAD, ref(), SALES)
    assert shelf.of(ThreadId("old")).database is None
    assert shelf.of(ThreadId("new")).database is not None


@pytest.mark.promise("E8", "core.specialists")
async def test_a_bomb_is_not_unpacked(tmp_path: Path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("xl/worksheets/sheet1.xml", b"0" * 50_000_000)
    with pytest.raises(SourceFailed, match="unpacks to 48 MB"):
        await Shelf(tmp_path).add(THREAD, ref(), packed.getvalue())


@pytest.mark.promise("E8", "core.specialists")
async def test_a_reader_that_takes_too_long_is_killed(tmp_path: Path):
    rows = [[f"n{at}", at] for at in range(3_000)]
    with pytest.raises(SourceFailed, match="within the memory and time"):
        await Shelf(tmp_path, Quota(seconds=0)).add(THREAD, ref(), book(["a", "b"], *rows))


@pytest.mark.promise("E8", "core.specialists")
async def test_the_reader_knows_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    seen = {}
    real = room.asyncio.create_subprocess_exec

    async def spied(*words: str, **how):
        seen.update(how["env"])
        return await real(*words, **how)

    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-secret")
    monkeypatch.setattr(room.asyncio, "create_subprocess_exec", spied)
    await Shelf(tmp_path).add(THREAD, ref(), SALES)
    assert set(seen) == {"PYTHONPATH", "OPENBLAS_NUM_THREADS", "LC_ALL"}


@pytest.mark.promise("E8", "core.specialists")
async def test_a_formula_in_a_csv_is_a_text(tmp_path: Path):
    text = b"name,value\n=cmd|' /C calc'!A0,1\n+1+1,2\n"
    kept = await Shelf(tmp_path).add(THREAD, ref("x.csv"), text)
    with duckdb.connect(str(kept.database), read_only=True) as connection:
        rows = connection.execute("SELECT name FROM x").fetchall()
    assert rows == [("=cmd|' /C calc'!A0",), ("+1+1",)]


def test_only_spreadsheets_are_read() -> None:
    names = ("a.xlsx", "a.XLS", "a.ods", "a.csv", "a.tsv", "a.pdf", "a.txt", "csv")
    assert [is_table_file(ref(name)) for name in names] == [True] * 5 + [False] * 3
