"""The public questions' right statements: the guard passes them, and what it writes gives the same
rows."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, time
from decimal import Decimal

import psycopg
import pytest
from psycopg import sql as names

from core.specialists.sql.guard import Refused, admit
from core.specialists.sql.source import DIALECTS, Kind, Source
from tests.databases import fresh_database
from tests.specialists.sql.golds import Gold, databases, golds, schema, script

ROWS = 10_000
MISSES: dict[Kind, int] = {"postgres": 0, "sqlite": 1, "mssql": 0}
"""Statements that the guard refuses. SQLite: LIMIT with a subtraction of a subquery, which sqlglot
does not read."""
HOME: dict[Kind, str] = {"postgres": "public", "sqlite": "", "mssql": "dbo"}

Run = Callable[[str], list[tuple[object, ...]]]


def admitted(gold: Gold, kind: Kind) -> str:
    """The text to run; empty where the guard refuses."""
    source = Source(id="gold", title="Gold", kind=kind)
    known = schema(gold.database, HOME[kind], is_folded=kind == "postgres")
    try:
        return admit(gold.sql, known, source, ROWS).sql
    except Refused:
        return ""


@pytest.mark.parametrize("kind", ["postgres", "sqlite", "mssql"])
def test_at_most_one_in_a_hundred_right_statements_is_refused(kind: Kind) -> None:
    every = golds(DIALECTS[kind])
    refused = [gold.sql for gold in every if not admitted(gold, kind)]
    assert len(every) > 170
    assert len(refused) <= MISSES[kind] <= len(every) / 100, refused


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_the_statements_that_the_guard_writes_give_the_rows_of_the_right_ones(
    postgres: str, every: int
) -> None:
    wrong: list[str] = []
    for name in databases()[::every]:
        with _in_postgres(postgres, name) as connection:
            wrong += _differing("postgres", name, _asking(connection))
            with _in_sqlite(connection) as copy:
                wrong += _differing("sqlite", name, _asking(copy))
    assert wrong == []


def _differing(kind: Kind, database: str, run: Run) -> list[str]:
    wrong: list[str] = []
    for gold in golds(DIALECTS[kind]):
        written = admitted(gold, kind) if gold.database == database else ""
        if written and Counter(map(repr, run(gold.sql))) != Counter(map(repr, run(written))):
            wrong.append(f"{kind}: {gold.sql}")
    return wrong


def _asking(connection: psycopg.Connection | sqlite3.Connection) -> Run:
    return lambda text: connection.execute(
        text.encode() if isinstance(connection, psycopg.Connection) else text
    ).fetchall()  # pyright: ignore[reportArgumentType]


@contextmanager
def _in_postgres(server: str, name: str) -> Iterator[psycopg.Connection]:
    with fresh_database(server) as url, psycopg.connect(url, autocommit=True) as connection:
        connection.execute(script(name).encode())
        yield connection


@contextmanager
def _in_sqlite(original: psycopg.Connection) -> Iterator[sqlite3.Connection]:
    """A copy of the tables in a database of SQLite's."""
    copy = sqlite3.connect(":memory:")
    for schema_name, table in original.execute(_TABLES).fetchall():
        found = original.execute(
            names.SQL("SELECT * FROM {}").format(names.Identifier(schema_name, table))
        )
        columns = [one.name for one in found.description or ()]
        listed = ", ".join(f'"{one}"' for one in columns)
        copy.execute(f'CREATE TABLE "{table}" ({listed})')
        marks = ", ".join("?" for _ in columns)
        copy.executemany(
            f'INSERT INTO "{table}" VALUES ({marks})',
            [[_plain(value) for value in row] for row in found.fetchall()],
        )
    yield copy
    copy.close()


_TABLES = """
    SELECT schemaname, tablename FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
"""


def _plain(value: object) -> object:
    match value:
        case bool():
            return int(value)
        case Decimal():
            return float(value)
        case date():
            return value.isoformat(*([" "] if hasattr(value, "hour") else []))
        case time():
            return value.isoformat()
        case list() | dict():
            return repr(value)
        case _:
            return value
