"""SQLite, DuckDB and Postgres as they are: what is read, what is cut, what is told of a failure."""

import asyncio
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from core.specialists.sql.engine import QueryFailed, Rows, engine_for
from core.specialists.sql.guard import Admitted, admit
from core.specialists.sql.source import Kind, Source, Table
from tests.specialists.sql.world import HOME, World, over_privileged, world

REAL: tuple[Kind, ...] = ("sqlite", "duckdb", "postgres")
ENDLESS: dict[Kind, str] = {
    "sqlite": "SELECT COUNT(*) FROM sales a, sales b, sales c, sales d, sales e",
    "duckdb": "SELECT COUNT(*) FROM main.sales a, main.sales b, main.sales c, main.sales d,"
    " main.sales e",
    "postgres": "SELECT COUNT(*) FROM public.sales a, public.sales b, public.sales c,"
    " public.sales d, public.sales e",
}


@pytest.fixture(params=REAL)
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    server = request.getfixturevalue("postgres") if request.param == "postgres" else ""
    with world(request.param, tmp_path, server) as made:
        yield made


async def asked(source: Source, text: str, row_cap: int = 100) -> Rows:
    engine = engine_for(source)
    try:
        found = await engine.schema("")
        return await engine.run(admit(text, found, source, row_cap), "", 20)
    finally:
        await engine.close()


def raw(source: Source, text: str) -> Admitted:
    home = f"{HOME[source.kind]}." if HOME[source.kind] else ""
    columns = tuple(f"{home}sales.{one}" for one in ("id", "amount", "region", ""))
    return Admitted(sql=text, tables=(f"{home}sales",), columns=columns, filters=(), row_cap=10)


async def test_only_what_is_in_scope_and_not_hidden_is_there(shop: World) -> None:
    engine = engine_for(shop.source)
    found = await engine.schema("")
    await engine.close()
    assert {one.name for one in found} == {"sales", "customers"}
    (customers,) = found.named("customers")
    assert [one.name for one in customers.columns] == ["id", "name", "country"]


async def test_an_admitted_query_gives_its_rows_with_their_types(shop: World) -> None:
    found = await asked(
        shop.source,
        "SELECT c.name, SUM(s.amount) AS Total FROM sales s JOIN customers c"
        " ON c.id = s.customer_id WHERE c.id = 2 GROUP BY c.name",
    )
    assert found.columns[0] == "name"
    assert found.columns[1].lower() == "total"
    assert [row[0] for row in found.rows] == ["Ørsted A/S"]
    assert float(str(found.rows[0][1])) == sum(10 + i * 7 % 93 for i in range(1, 201) if i % 3 == 1)
    assert found.types[1] in ("decimal", "float", "integer")
    assert not found.is_truncated


async def test_rows_beyond_the_cap_are_left_out_and_said_to_be(shop: World) -> None:
    cut = await asked(shop.source, "SELECT id FROM sales ORDER BY id", 5)
    whole = await asked(shop.source, "SELECT id FROM sales WHERE id <= 5 ORDER BY id", 5)
    assert cut.rows == whole.rows == ((1,), (2,), (3,), (4,), (5,))
    assert cut.is_truncated
    assert not whole.is_truncated


async def test_a_result_without_rows_still_has_its_columns(shop: World) -> None:
    found = await asked(shop.source, "SELECT id, region FROM sales WHERE id < 0")
    assert (found.columns, found.rows) == (("id", "region"), ())


async def test_a_query_that_takes_too_long_is_stopped_and_the_next_one_is_answered(
    shop: World,
) -> None:
    engine = engine_for(shop.source)
    with pytest.raises(QueryFailed) as stopped:
        await engine.run(raw(shop.source, ENDLESS[shop.source.kind]), "", 0.5)
    found = await engine.run(
        admit("SELECT id FROM sales", await engine.schema(""), shop.source, 1), "", 20
    )
    await engine.close()
    assert stopped.value.kind == "timeout"
    assert len(found.rows) == 1


async def test_a_query_for_which_nobody_waits_any_more_is_stopped(shop: World) -> None:
    engine = engine_for(shop.source)
    running = asyncio.create_task(engine.run(raw(shop.source, ENDLESS[shop.source.kind]), "", 60))
    done, _ = await asyncio.wait((running,), timeout=0.5)
    assert not done
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    # One after another, each in the place of the one before: none of them is still at work.
    for _ in range(4):
        schema = await engine.schema("")
        await engine.run(admit("SELECT id FROM sales", schema, shop.source, 1), "", 20)
    await engine.close()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SELEC 1", "syntax"),
        ("SELECT nope FROM {home}sales", "unknown_column"),
        ("SELECT nope(id) FROM {home}sales", "unknown_function"),
        ("SELECT 1; SELECT 2", ""),
        ("DELETE FROM {home}sales", ""),
    ],
)
async def test_a_failure_is_told_by_its_kind(shop: World, text: str, kind: str) -> None:
    home = f"{HOME[shop.source.kind]}." if HOME[shop.source.kind] else ""
    engine = engine_for(shop.source)
    before = shop.trace()
    with pytest.raises(QueryFailed) as failed:
        await engine.run(raw(shop.source, text.format(home=home)), "", 20)
    await engine.close()
    assert failed.value.kind == kind or not kind
    assert shop.trace() == before


async def test_a_column_is_described_and_an_unprofiled_one_is_not(shop: World) -> None:
    engine = engine_for(shop.source)
    found = await engine.schema("")
    (sales,), (customers,) = found.named("sales"), found.named("customers")
    (region, identity) = await engine.profile(sales, ("region", "id"), "")
    none = await engine.profile(customers, ("name", "ssn"), "")
    countries = await engine.values(customers, "country", "")
    names = await engine.values(customers, "name", "")
    await engine.close()
    assert (region.rows, region.nulls, region.distinct) == (200, 0, 4)
    assert set(region.common) == {(one, 50) for one in ("North", "South", "No;rth", "it's")}
    assert (identity.least, identity.greatest) == (1, 200)
    assert none == names == ()
    assert countries == ("DK", "US")


async def test_a_view_in_scope_is_read_and_what_is_behind_it_is_not(tmp_path: Path) -> None:
    with world("sqlite", tmp_path) as shop:
        path = shop.source.connection["path"]
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE VIEW pay AS SELECT COUNT(*) AS people FROM salaries")
        seen = replace(shop.source, tables=(Table(name="pay"),))
        found = await asked(seen, "SELECT people FROM pay")
    assert found.rows == ((1,),)


async def test_exact_figures_stay_exact_in_duckdb(tmp_path: Path) -> None:
    import duckdb

    path = str(tmp_path / "exact.duckdb")
    with duckdb.connect(path) as made:
        made.execute("CREATE TABLE t (h HUGEINT, d DECIMAL(38,10), day DATE, f DOUBLE)")
        made.execute(
            "INSERT INTO t VALUES (170141183460469231731687303715884105727,"
            " 1234567890123456789.0123456789, '2026-02-28', 'inf')"
        )
    found = await asked(
        Source(id="t", title="T", kind="duckdb", connection={"path": path}), "SELECT * FROM t"
    )
    assert found.rows == (
        (
            170141183460469231731687303715884105727,
            Decimal("1234567890123456789.0123456789"),
            date(2026, 2, 28),
            float("inf"),
        ),
    )
    assert found.types == ("integer", "decimal", "date", "float")


async def test_duckdb_is_killed_where_it_would_take_the_machines_memory(tmp_path: Path) -> None:
    with world("duckdb", tmp_path) as shop:
        engine = engine_for(shop.source)
        bomb = "SELECT length(repeat('x', 2000000000)) AS n FROM main.sales"
        with pytest.raises(QueryFailed) as failed:
            await engine.run(raw(shop.source, bomb), "", 20)
        schema = await engine.schema("")
        again = await engine.run(admit("SELECT id FROM sales", schema, shop.source, 1), "", 20)
        await engine.close()
    assert failed.value.kind == "too_large"
    assert len(again.rows) == 1


async def test_duckdbs_process_does_not_outlive_the_one_that_asks(tmp_path: Path) -> None:
    with world("duckdb", tmp_path) as shop:
        asking = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            _ASKING,
            shop.source.connection["path"],
            ENDLESS["duckdb"],
            stdout=asyncio.subprocess.PIPE,
        )
        assert asking.stdout
        watched = os.pidfd_open(int(await asking.stdout.readline()))
        gone = asyncio.Event()
        asyncio.get_running_loop().add_reader(watched, gone.set)
        asking.kill()
        await asking.wait()
        async with asyncio.timeout(30):
            await gone.wait()
        asyncio.get_running_loop().remove_reader(watched)
        os.close(watched)


_ASKING = """
import asyncio, sys
from core.specialists.sql.engine import engine_for
from core.specialists.sql.guard import Admitted
from core.specialists.sql.source import Source

async def main():
    source = Source(id="x", title="X", kind="duckdb", connection={"path": sys.argv[1]})
    engine = engine_for(source)
    await engine.schema("")
    print(engine._driver._child._process.pid, flush=True)
    query = Admitted(sql=sys.argv[2], tables=("main.sales",), columns=(), filters=(), row_cap=1)
    await engine.run(query, "", 600)

asyncio.run(main())
"""


async def test_a_postgres_role_that_may_do_more_than_read_is_turned_away(
    postgres: str, tmp_path: Path
) -> None:
    with world("postgres", tmp_path, postgres) as shop:
        engine = engine_for(over_privileged(shop))
        with pytest.raises(QueryFailed) as refused:
            await engine.schema("")
        await engine.close()
    assert refused.value.kind == "permission"


async def test_a_database_that_is_not_there_is_out_of_reach() -> None:
    for kind, connection in (
        ("sqlite", {"path": "/nowhere/x.db"}),
        ("duckdb", {"path": "/nowhere/x.duckdb"}),
        ("postgres", {"host": "127.0.0.1", "port": "1", "database": "x", "user": "x"}),
    ):
        engine = engine_for(Source(id="x", title="X", kind=kind, connection=connection))
        with pytest.raises(QueryFailed) as failed:
            await engine.schema("")
        await engine.close()
        assert failed.value.kind == "unreachable"
