"""Hostile statements against the guard and the real engines behind it."""

import asyncio
import json
import re
import time
from collections.abc import Iterator
from functools import cache
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
def test_the_few_hostile_statements_that_pass_are_written_anew_into_what_is_harmless(
    kind: Kind,
) -> None:
    """The star stands for the permitted columns, the limit is ours, the rest is text or comment."""
    texts = statements(kind, Path("/folder"))
    passed = {text: one.sql for text in texts if (one := _admitted(text, kind))}
    assert passed == written()[kind]
    assert not [one for one in passed.values() if "salaries" in _without_texts(one).casefold()]


@pytest.mark.parametrize("kind", [*REAL, *ONLY_WRITTEN])
def test_at_least_fifty_hostile_statements_of_a_dialect_are_our_own(kind: Kind) -> None:
    own = set(attacks(kind, "own_")) - set(attacks(kind))
    assert len(own) >= 100


@cache
def written() -> dict[str, dict[str, str]]:
    """By kind and hostile statement: what the guard makes of it. Somebody has looked at each."""
    file = Path(__file__).with_name("attacks") / "written.json"
    return json.loads(file.read_text("utf-8"))


def _without_texts(sql: str) -> str:
    """The statement without what stands in quotation marks: texts, and names of our own making."""
    return re.sub(r"'(?:[^'\\]|''|\\.)*'|`[^`]*`", "", sql)


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
