"""Both engines have the same tables, and each script is applied once, statement by statement."""

import re
import sqlite3

import pytest

from core.errors import Misconfigured
from core.storage.database import Database, open_database
from core.storage.migrate import BREAKS, migrations, pending, statements


def test_both_engines_have_the_same_migrations_and_columns() -> None:
    sqlite, postgres = migrations("sqlite"), migrations("postgres")
    assert [(m.number, m.name) for m in sqlite] == [(m.number, m.name) for m in postgres]
    numbers = [m.number for m in sqlite]
    assert numbers == sorted(set(numbers))


def test_only_what_is_missing_is_applied() -> None:
    assert pending("sqlite", {m.number for m in migrations("sqlite")}) == []
    assert pending("sqlite", set()) == migrations("sqlite")


FIRST_TOGETHER = 80
"""From this script on versions run side by side."""
UNBEARABLE = re.compile(
    r"\b(DROP|RENAME|ALTER COLUMN|TRIGGER|UPDATE|DELETE)\b"
    r"|ADD COLUMN (?!.*\bDEFAULT\b).*\bNOT NULL\b|ADD CONSTRAINT|UNIQUE INDEX",
    re.IGNORECASE,
)


def test_older_versions_run_on_beside_a_newer_one_s_scripts() -> None:
    for dialect in ("sqlite", "postgres"):
        for migration in migrations(dialect):
            words = re.sub(r"--.*", "", migration.sql)
            breaks = UNBEARABLE.search(words)
            if migration.number >= FIRST_TOGETHER:
                assert not breaks or migration.name.endswith(BREAKS), (migration.name, breaks)
    assert UNBEARABLE.search("ALTER TABLE a ADD COLUMN b TEXT NOT NULL;")
    assert not UNBEARABLE.search("ALTER TABLE a ADD COLUMN b TEXT NOT NULL DEFAULT '';")


async def test_an_older_version_starts_beside_what_only_adds_and_refuses_what_breaks(
    database_url: str,
) -> None:
    newer = await open_database(database_url)
    add = "INSERT INTO migrations (number, name) VALUES (?, ?)"
    await newer.execute(add, (9_998, "9998_more"))
    await newer.close()
    older = await open_database(database_url)
    await older.execute(add, (9_999, "9999_other_breaks"))
    await older.close()
    with pytest.raises(Misconfigured, match=r"newer version .migration 9999"):
        await open_database(database_url)


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
    "outbox": ["replaces", "owner"],
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
