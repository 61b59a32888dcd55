"""Databricks, by its own connector over TLS against a stand-in for a warehouse."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from core.specialists.sql.engine import Engine, QueryFailed, engine_for
from core.specialists.sql.guard import Admitted, admit
from core.specialists.sql.schema import Schema
from core.specialists.sql.source import Source
from tests.fakes.certificate import server_context
from tests.fakes.databricks.server import warehouse_server
from tests.fakes.databricks.warehouse import Warehouse
from tests.specialists.sql.world import schema, source

BIG = 9_007_199_254_740_993
TABLES = (
    "ATTACH ':memory:' AS corp",
    "CREATE SCHEMA corp.default",
    "USE corp.default",
    "CREATE TABLE sales (id BIGINT, customer_id INTEGER, amount DECIMAL(18,2), d DATE,"
    " region VARCHAR)",
    "CREATE TABLE customers (id INTEGER, ssn VARCHAR, name VARCHAR, country VARCHAR)",
    f"INSERT INTO sales VALUES ({BIG}, 1, 10.50, '2026-01-02', 'Nørre'),"
    " (2, 2, -20.25, NULL, NULL)",
    "INSERT INTO sales SELECT i, 1, i, '2026-02-01', 'South' FROM range(3, 2500) t(i)",
)
ENDLESS = "SELECT SUM(a.customer_id + b.customer_id + e.customer_id) AS x FROM " + ", ".join(
    f"corp.default.sales {name}" for name in "abcde"
)


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[tuple[Warehouse, Source, Engine]]:
    context, certificate = server_context(folder)
    warehouse = Warehouse(TABLES)
    people = {"token-ann": "ann", "token-bo": "bo", "token-of-the-source": "robot"}
    with warehouse_server(warehouse, context, tokens=people) as port:
        path = "/sql/1.0/warehouses/w1"
        made = source(
            "databricks",
            host="localhost",
            http_path=path,
            catalog="corp",
            schema="default",
            url=f"https://localhost:{port}{path}",
            ca_file=str(certificate),
        )
        engine = engine_for(made)
        yield warehouse, made, engine
        await engine.close()


def query(text: str, made: Source, row_cap: int = 10) -> Admitted:
    known = schema("databricks")
    corp = tuple(replace(one, catalog="corp") for one in known)
    return admit(text, Schema(corp, "default"), made, row_cap)


def raw(text: str) -> Admitted:
    return Admitted(sql=text, tables=(), columns=(), filters=(), row_cap=10)


async def test_each_person_arrives_at_the_warehouse_with_their_own_token(tmp_path: Path) -> None:
    async with serving(tmp_path) as (warehouse, made, engine):
        asked = query("SELECT id FROM sales WHERE region = 'Nørre'", made)
        async with asyncio.TaskGroup() as group:
            for token in ("token-ann", "token-bo", "token-ann"):
                group.create_task(engine.run(asked, token, 20))
        users = [user for user, text in warehouse.said if text == asked.sql]
    assert sorted(users) == ["ann", "ann", "bo"]
    assert "`corp`.`default`.`sales`" in asked.sql


async def test_figures_and_dates_come_as_exactly_as_they_are_kept(tmp_path: Path) -> None:
    async with serving(tmp_path) as (_, made, engine):
        asked = query("SELECT id, amount, d, region FROM sales WHERE id > 9999 OR id = 2", made)
        found = await engine.run(asked, "token-ann", 20)
    assert (BIG, Decimal("10.50"), date(2026, 1, 2), "Nørre") in found.rows
    assert (2, Decimal("-20.25"), None, None) in found.rows
    assert found.types == ("integer", "decimal", "date", "text")
    assert not found.is_truncated


async def test_rows_beyond_the_cap_are_neither_asked_for_nor_given(tmp_path: Path) -> None:
    async with serving(tmp_path) as (warehouse, made, engine):
        found = await engine.run(query("SELECT id FROM sales", made), "token-ann", 20)
        unlimited = await engine.run(raw("SELECT id FROM corp.default.sales"), "token-ann", 20)
        many = await engine.run(query("SELECT id FROM sales", made, 2400), "token-ann", 20)
    assert len(found.rows) == len(unlimited.rows) == 10
    assert found.is_truncated and unlimited.is_truncated and many.is_truncated
    assert len({row[0] for row in many.rows}) == 2400
    assert any("LIMIT 11" in text for _, text in warehouse.said)


async def test_the_session_is_pinned_and_its_backslashes_are_tried_before_the_query(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as (warehouse, made, engine):
        asked = query("SELECT id FROM sales", made)
        await engine.run(asked, "token-ann", 20)
    (settings,) = warehouse.sessions
    assert int(settings["STATEMENT_TIMEOUT"]) <= 20
    texts = [text for _, text in warehouse.said]
    assert texts == [r"SELECT length('\\') AS n", asked.sql]


async def test_a_token_that_the_warehouse_does_not_take_asks_for_a_new_sign_in(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as (warehouse, made, engine):
        for token in ("token-of-nobody", ""):
            with pytest.raises(QueryFailed) as refused:
                await engine.run(query("SELECT id FROM sales", made), token, 20)
            assert refused.value.kind == "sign_in"
    assert warehouse.said == []


async def test_a_source_with_a_token_of_its_own_uses_it(tmp_path: Path) -> None:
    async with serving(tmp_path) as (warehouse, made, _):
        own = {**made.connection, "token": "token-of-the-source"}
        engine = engine_for(replace(made, connection=own))
        await engine.run(query("SELECT id FROM sales", made), "token-ann", 20)
        await engine.close()
    assert {user for user, _ in warehouse.said} == {"robot"}


async def test_a_query_that_takes_too_long_is_cancelled_at_the_warehouse(tmp_path: Path) -> None:
    async with serving(tmp_path) as (warehouse, _, engine):
        # The connector is imported by now.
        await engine.run(raw("SELECT id FROM corp.default.sales"), "token-ann", 20)
        with pytest.raises(QueryFailed) as stopped:
            await engine.run(raw(ENDLESS), "token-ann", 4)
        assert stopped.value.kind == "timeout"
        assert await asyncio.to_thread(warehouse.cancelled.wait, 20)
        again = await engine.run(raw("SELECT id FROM corp.default.sales"), "token-ann", 20)
    assert again.rows


async def test_a_query_for_which_nobody_waits_any_more_is_cancelled_at_the_warehouse(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as (warehouse, made, engine):
        await engine.run(query("SELECT id FROM sales", made), "token-ann", 20)
        running = asyncio.create_task(engine.run(raw(ENDLESS), "token-ann", 60))
        while not any(text == ENDLESS for _, text in warehouse.said):
            await asyncio.wait((running,), timeout=0.1)
        # The connector learns the statement's name from the answer to its first request.
        await asyncio.wait((running,), timeout=1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert await asyncio.to_thread(warehouse.cancelled.wait, 20)


async def test_each_of_the_warehouses_errors_is_told_by_its_kind(tmp_path: Path) -> None:
    kinds = {
        "SELEC 1": "syntax",
        "SELECT regon FROM corp.default.sales": "unknown_column",
        "SELECT id FROM corp.default.nope": "unknown_table",
        "SELECT nope(id) FROM corp.default.sales": "unknown_function",
        "SELECT CAST(region AS INT) AS x FROM corp.default.sales": "type",
    }
    async with serving(tmp_path) as (_, _, engine):
        told: dict[str, str] = {}
        candidates: set[str] = set()
        for text in kinds:
            with pytest.raises(QueryFailed) as failed:
                await engine.run(raw(text), "token-ann", 20)
            told[text] = failed.value.kind
            candidates.update(failed.value.candidates)
    assert told == kinds
    assert "region" in candidates


async def test_what_there_is_is_read_from_the_catalogue(tmp_path: Path) -> None:
    async with serving(tmp_path) as (_, _, engine):
        found = await engine.schema("token-ann")
    assert {one.key for one in found} == {"corp.default.sales", "corp.default.customers"}
    (customers,) = found.named("customers")
    assert [one.name for one in customers.columns] == ["id", "name", "country"]
