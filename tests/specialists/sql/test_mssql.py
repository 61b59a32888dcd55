"""SQL Server and Fabric, by Microsoft's own driver over TLS against a stand-in."""

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
from core.specialists.sql.source import Kind, Source
from tests.fakes.certificate import server_context
from tests.fakes.tds.answers import Answers
from tests.fakes.tds.server import tds_server
from tests.specialists.sql.world import schema, source

BIG = 9_007_199_254_740_993
TABLES = (
    "CREATE TABLE sales (id BIGINT, customer_id INTEGER, amount DECIMAL(18,2), d DATE,"
    " region VARCHAR)",
    "CREATE TABLE customers (id INTEGER, ssn VARCHAR, name VARCHAR, country VARCHAR)",
    f"INSERT INTO sales VALUES ({BIG}, 1, 10.50, '2026-01-02', 'Nørre'),"
    " (2, 2, -20.25, NULL, NULL)",
    "INSERT INTO sales SELECT i, 1, i, '2026-02-01', 'South' FROM range(3, 40) t(i)",
)
ENDLESS = "SELECT SUM(x1.customer_id + x8.customer_id) AS x FROM " + ", ".join(
    f"sales x{i}" for i in range(9)
)


@asynccontextmanager
async def serving(
    folder: Path, kind: Kind = "mssql"
) -> AsyncIterator[tuple[Answers, Source, Engine]]:
    context, certificate = server_context(folder)
    answers = Answers(TABLES)
    people = {"token-ann": "ann", "token-bo": "bo"}
    async with tds_server(answers, context, tokens=people, logins={"reader": "pa}ss;word"}) as port:
        made = source(
            kind,
            server=f"localhost,{port}",
            database="shop",
            certificate=str(certificate),
        )
        engine = engine_for(made)
        yield answers, made, engine
        await engine.close()


def query(text: str, made: Source, row_cap: int = 10) -> Admitted:
    return admit(text, schema("mssql"), made, row_cap)


def raw(text: str) -> Admitted:
    return Admitted(sql=text, tables=(), columns=(), filters=(), row_cap=10)


@pytest.mark.parametrize("kind", ["mssql", "fabric"])
async def test_each_person_arrives_at_the_server_with_their_own_token(
    tmp_path: Path, kind: Kind
) -> None:
    async with serving(tmp_path, kind) as (answers, made, engine):
        asked = query("SELECT id FROM sales WHERE region = 'Nørre'", made)
        async with asyncio.TaskGroup() as group:
            for token in ("token-ann", "token-bo", "token-ann"):
                group.create_task(engine.run(asked, token, 20))
        users = [user for user, text in answers.said if text == asked.sql]
    assert sorted(users) == ["ann", "ann", "bo"]


async def test_figures_and_dates_come_as_exactly_as_they_are_kept(tmp_path: Path) -> None:
    async with serving(tmp_path) as (_, made, engine):
        found = await engine.run(
            query("SELECT TOP 2 * FROM sales ORDER BY d", made), "token-ann", 20
        )
        everything = await engine.run(
            query("SELECT id, amount, d, region FROM sales WHERE id > 100 OR id = 2", made),
            "token-ann",
            20,
        )
    assert (BIG, Decimal("10.50"), date(2026, 1, 2), "Nørre") in everything.rows
    assert (2, Decimal("-20.25"), None, None) in everything.rows
    assert everything.types == ("integer", "decimal", "date", "text")
    assert not everything.is_truncated
    assert len(found.rows) == 2


async def test_rows_beyond_the_cap_are_neither_asked_for_nor_given(tmp_path: Path) -> None:
    async with serving(tmp_path) as (answers, made, engine):
        found = await engine.run(query("SELECT id FROM sales", made), "token-ann", 20)
        unlimited = await engine.run(raw("SELECT id FROM sales"), "token-ann", 20)
    assert len(found.rows) == len(unlimited.rows) == 10
    assert found.is_truncated and unlimited.is_truncated
    assert "TOP 11" in next(text for _, text in answers.said if text.startswith("SELECT"))
    assert any("SET ROWCOUNT 11" in text for _, text in answers.said)


async def test_the_session_is_pinned_before_the_query_and_fabric_is_spared_what_it_does_not_know(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, "fabric") as (answers, made, engine):
        await engine.run(query("SELECT id FROM sales", made), "token-ann", 20)
    pinned = [text for _, text in answers.said if "QUOTED_IDENTIFIER ON" in text]
    assert pinned
    assert not any("ROWCOUNT" in text for text in pinned)


async def test_a_token_that_the_server_does_not_take_asks_for_a_new_sign_in(tmp_path: Path) -> None:
    async with serving(tmp_path) as (answers, made, engine):
        for token in ("token-of-nobody", ""):
            with pytest.raises(QueryFailed) as refused:
                await engine.run(query("SELECT id FROM sales", made), token, 20)
            assert refused.value.kind == "sign_in"
    assert answers.said == []


async def test_a_source_with_a_login_of_its_own_uses_it(tmp_path: Path) -> None:
    async with serving(tmp_path) as (answers, made, _):
        login = {**made.connection, "user": "reader", "password": "pa}ss;word"}
        engine = engine_for(replace(made, connection=login))
        await engine.run(query("SELECT id FROM sales", made), "", 20)
        await engine.close()
    assert {user for user, _ in answers.said} == {"reader"}


async def test_a_query_that_takes_too_long_is_stopped_at_the_server(tmp_path: Path) -> None:
    async with serving(tmp_path) as (answers, _, engine):
        # The driver is imported by now.
        await engine.run(raw("SELECT id FROM sales"), "token-ann", 20)
        with pytest.raises(QueryFailed) as stopped:
            await engine.run(raw(ENDLESS), "token-ann", 3)
        assert stopped.value.kind == "timeout"
        assert await asyncio.to_thread(answers.stopped.wait, 20)
        again = await engine.run(raw("SELECT id FROM sales"), "token-ann", 20)
    assert again.rows


async def test_a_query_for_which_nobody_waits_any_more_is_cancelled_at_the_server(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as (answers, _, engine):
        await engine.run(raw("SELECT id FROM sales"), "token-ann", 20)
        running = asyncio.create_task(engine.run(raw(ENDLESS), "token-ann", 600))
        while not any(text == ENDLESS for _, text in answers.said):
            await asyncio.wait((running,), timeout=0.1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        # By an attention, long before its deadline; the source goes on for others.
        assert await asyncio.to_thread(answers.stopped.wait, 20)
        again = await engine.run(raw("SELECT id FROM sales"), "token-bo", 20)
    assert again.rows


async def test_each_of_the_servers_errors_is_told_by_its_kind(tmp_path: Path) -> None:
    kinds = {
        "SELEC 1": "syntax",
        "SELECT nope FROM sales": "unknown_column",
        "SELECT id FROM nope": "unknown_table",
        "SELECT nope(id) FROM sales": "unknown_function",
        "SELECT CAST(region AS INT) AS x FROM sales": "type",
    }
    async with serving(tmp_path) as (_, _, engine):
        told: dict[str, str] = {}
        for text in kinds:
            with pytest.raises(QueryFailed) as failed:
                await engine.run(raw(text), "token-ann", 20)
            told[text] = failed.value.kind
            assert "DDBC" not in failed.value.sentence
    assert told == kinds


async def test_a_server_whose_certificate_is_another_one_is_not_spoken_to(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    _, stranger = server_context(other)
    async with serving(tmp_path) as (answers, made, _):
        wrong = {**made.connection, "certificate": str(stranger)}
        engine = engine_for(replace(made, connection=wrong))
        with pytest.raises(QueryFailed) as refused:
            await engine.run(query("SELECT id FROM sales", made), "token-ann", 20)
        await engine.close()
    assert refused.value.kind == "unreachable"
    assert answers.said == []


async def test_what_there_is_is_read_from_the_servers_own_catalogue(tmp_path: Path) -> None:
    async with serving(tmp_path) as (_, _, engine):
        found = await engine.schema("token-ann")
    assert {one.name for one in found} == {"sales", "customers"}
    (customers,) = found.named("customers")
    assert [one.name for one in customers.columns] == ["id", "name", "country"]
