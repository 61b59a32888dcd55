"""Hostile statements against the guard and the real engines behind it."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.specialists.sql.engine import Engine, QueryFailed, engine_for
from core.specialists.sql.guard import Admitted, Refused, admit
from core.specialists.sql.source import Kind
from tests.specialists.sql.world import (
    CUSTOMERS,
    HOME,
    SALES,
    World,
    attacks,
    schema,
    source,
    world,
)

DEADLINE = 0.7
HANGS = 6.0
"""Seconds after which a statement counts as one that hangs: deadline, grace, and a slow machine."""
AT_ONCE = 4
REAL: tuple[Kind, ...] = ("sqlite", "duckdb", "postgres")
ONLY_WRITTEN: tuple[Kind, ...] = ("mssql", "databricks")


@pytest.fixture(params=REAL)
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    server = request.getfixturevalue("postgres") if request.param == "postgres" else ""
    with world(request.param, tmp_path, server) as made:
        yield made


def statements(kind: Kind, folder: Path) -> list[str]:
    found = (*attacks(kind), *attacks(kind, "own_"))
    return [one.replace("{folder}", str(folder)) for one in found]


@pytest.mark.promise("E7", "core.specialists")
async def test_what_the_guard_lets_through_of_hostile_statements_reads_only_what_is_in_scope(
    shop: World,
) -> None:
    engine = engine_for(shop.source)
    before = shop.trace()
    seen = await engine.schema("")
    admitted = [
        one
        for text in statements(shop.source.kind, shop.folder)
        if (one := _admitted(text, shop.source.kind))
    ]
    assert {one.key for one in seen} == {one.key for one in schema(shop.source.kind)}
    try:
        said = await _all(engine, shop, admitted)
    finally:
        await engine.close()
    assert [one for one in said if one] == []
    assert shop.trace() == before


@pytest.mark.promise("E7", "core.specialists")
@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.slow)])
async def test_the_engines_by_themselves_let_no_hostile_statement_write_or_leave_the_scope(
    shop: World, every: int
) -> None:
    kind = shop.source.kind
    home = f"{HOME[kind]}." if HOME[kind] else ""
    raw = [
        Admitted(
            sql=text,
            tables=(f"{home}sales", f"{home}customers"),
            columns=(
                *(f"{home}sales.{name}" for name in SALES),
                *(f"{home}customers.{name}" for name in CUSTOMERS),
            ),
            filters=(),
            row_cap=1000,
        )
        for text in statements(kind, shop.folder)[::every]
    ]
    before = shop.trace()
    engine = engine_for(shop.source)
    try:
        said = await _all(engine, shop, raw)
    finally:
        await engine.close()
    assert [one for one in said if one] == []
    assert shop.trace() == before


@pytest.mark.promise("E7", "core.specialists")
@pytest.mark.parametrize("kind", [*REAL, *ONLY_WRITTEN])
def test_the_guard_lets_through_only_the_statements_that_it_makes_harmless(kind: Kind) -> None:
    texts = statements(kind, Path("/folder"))
    passed = {text: one.sql for text in texts if (one := _admitted(text, kind))}
    assert set(passed) <= HARMLESS, "these are new: look at what they became"
    for text, written in passed.items():
        assert "salaries" not in _without_texts(written).casefold(), text
        assert "ssn" not in written.replace('AS "ssn"', "").replace('BY "ssn"', "").replace(
            "AS [ssn]", ""
        ).replace("AS `ssn`", "").replace("'ssn'", ""), text


@pytest.mark.parametrize("kind", [*REAL, *ONLY_WRITTEN])
def test_at_least_fifty_hostile_statements_of_a_dialect_are_our_own(kind: Kind) -> None:
    own = set(attacks(kind, "own_")) - set(attacks(kind))
    assert len(own) >= 100


def _without_texts(sql: str) -> str:
    return "".join(sql.split("'")[::2])


def _admitted(text: str, kind: Kind) -> Admitted | None:
    try:
        return admit(text, schema(kind), source(kind), 1000)
    except Refused:
        return None


async def _all(engine: Engine, shop: World, queries: list[Admitted]) -> list[str]:
    room = asyncio.Semaphore(AT_ONCE)

    async def one(query: Admitted) -> str:
        async with room:
            return await _what_went_wrong(engine, shop, query)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(query)) for query in queries]
    return [task.result() for task in tasks]


async def _what_went_wrong(engine: Engine, shop: World, query: Admitted) -> str:
    begun = time.monotonic()
    try:
        found = await engine.run(query, "", DEADLINE)
    except QueryFailed:
        leaks = list[str]()
    else:
        leaks = shop.leaks(found.rows)
    if leaks:
        return f"{query.sql[:200]} gave {leaks}"
    if time.monotonic() - begun > HANGS:
        return f"{query.sql[:200]} hung"
    return ""


HARMLESS = frozenset(
    {
        "SELECT * FROM customers",
        "SELECT 1 /* /* */ ; DROP TABLE sales -- */",
        "SELECT a.id FROM sales a, sales b LIMIT 100000000",
        "SELECT * FROM (SELECT id FROM sales LIMIT 5) x, sales y",
        "SELECT id AS ssn FROM customers ORDER BY UPPER(ssn)",
        "SELECT 'x' AS a FROM sales; --",
        # DuckDB
        "SELECT * EXCLUDE (name) FROM customers",
        "SELECT * RENAME (ssn AS name) FROM customers",
        "SELECT c.* EXCLUDE (name) FROM customers c",
        "SELECT id FROM sales LIMIT 100%",
        "SELECT COUNT(*) FROM generate_series(TIMESTAMP '0001-01-01', TIMESTAMP '9999-12-31',"
        " INTERVAL 1 MICROSECOND)",
        "SELECT regexp_matches('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', '(a+)+$') AS x",
        # SQLite
        "SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' LIKE"
        " '%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%b' AS x",
        "SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' GLOB '*a*a*a*a*a*a*a*a*a*a*a*a*b' AS x",
        "SELECT 'ssn' FROM customers ORDER BY \"ssn\"",
        # Postgres
        "SELECT $$ '; DROP TABLE sales; -- $$ AS x",
        "SELECT $a$ $b$ ; DROP TABLE sales $b$ $a$ AS x",
        "SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' ~ '((a*)*)*b' AS x",
        "SELECT regexp_replace(repeat('a', 900), '(a*)*b', 'x') AS x",
        "SELECT id FROM sales ORDER BY 1=1 FETCH FIRST 1 ROWS WITH TIES",
        "SELECT a.id FROM sales a CROSS JOIN sales b LIMIT ALL",
        # T-SQL
        "SELECT 1 /* /* */ DROP TABLE sales */ AS x",
        "SELECT N'\u02bc; DROP TABLE sales --' AS x",
        # Databricks
        "SELECT 'a\\'; DROP TABLE sales; --'",
        "SELECT 'a\\' AS x, (SELECT max(name) FROM salaries) AS y -- '",
        "SELECT c.* EXCEPT (name) FROM customers c",
    }
)
"""Hostile statements of which the guard keeps what is harmless: the star stands for the permitted
columns, the limit is ours, the rest is a text or a comment."""
