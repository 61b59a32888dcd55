"""Both engines have the same tables, and each script is applied once, statement by statement."""

import sqlite3

from core.storage.database import Database
from core.storage.migrate import migrations, pending, statements


def test_both_engines_have_the_same_migrations_and_columns() -> None:
    sqlite, postgres = migrations("sqlite"), migrations("postgres")
    assert [(m.number, m.name) for m in sqlite] == [(m.number, m.name) for m in postgres]
    numbers = [m.number for m in sqlite]
    assert numbers == sorted(set(numbers))


def test_only_what_is_missing_is_applied() -> None:
    assert pending("sqlite", {m.number for m in migrations("sqlite")}) == []
    assert pending("sqlite", set()) == migrations("sqlite")


def test_a_script_is_cut_into_statements_that_are_each_complete() -> None:
    for migration in migrations("sqlite"):
        parts = list(statements(migration.sql))
        assert parts
        assert all(sqlite3.complete_statement(part) for part in parts)
        triggers = migration.sql.count("CREATE TRIGGER")
        assert sum("CREATE TRIGGER" in part for part in parts) == triggers


ADDED = {
    "turns": ["taken_back_at"],
    "inbox": ["stopped_at"],
    "outbox": ["replaces"],
    "pins": ["listing"],
    "entries": ["is_partial", "likely_tokens", "likely_price"],
}
"""Columns that a later script added."""


async def test_both_engines_have_the_same_tables(database: Database) -> None:
    for table in ("inbox", "turns", "outbox", "evidence", "files", "entries", "pins",
                  "checkpoints", "embeddings"):  # fmt: skip
        if database.dialect == "sqlite":
            rows = await database.fetch("SELECT name FROM pragma_table_info(?)", (table,))
        else:
            rows = await database.fetch(
                "SELECT column_name AS name FROM information_schema.columns"
                " WHERE table_name = ? ORDER BY ordinal_position",
                (table,),
            )
        other = "postgres" if database.dialect == "sqlite" else "sqlite"
        script = migrations(other)[0].sql
        body = script[script.index(f"CREATE TABLE {table} (") :]
        body = body[body.index("(") + 1 : body.index("\n);")]
        columns = [line.split()[0] for line in body.strip().splitlines()]
        assert [row["name"] for row in rows] == [
            *(c for c in columns if c.islower()),
            *ADDED.get(table, []),
        ]
