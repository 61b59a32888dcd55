"""Carries the state between a Postgres database and a copy of it in a SQLite file."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from core.errors import Misconfigured
from core.storage import copies
from core.storage.amounts import Amount, Amounts, Table, Value, amount, differences
from core.storage.migrate import pending

Connection = psycopg.Connection[tuple[Any, ...]]
_AT_ONCE = 2000
"""Rows that a cursor fetches together."""


@contextmanager
def opened(url: str) -> Generator[Connection]:
    """A connection for one transaction. Raises `Misconfigured`."""
    try:
        with psycopg.connect(url, connect_timeout=5) as connection:
            yield connection
    except psycopg.Error as failure:
        raise Misconfigured(f"Postgres cannot do it: {str(failure).strip()}.") from failure


def into_file(url: str, path: Path) -> None:
    """Fill a new file with everything as of one moment, also while bots write. The database is
    not changed, not even migrated. Raises `Misconfigured`."""
    with opened(url) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        applied = {number for (number,) in connection.execute("SELECT number FROM migrations")}
        pending("postgres", applied)
        copies.prepare(path, applied)
        with copies.opened(path) as held:
            held.execute("BEGIN")
            read: dict[str, Amount] = {}
            for table in copies.tables(held):
                read[table.name] = Amount()
                copies.put(held, table, _counted(_rows(connection, table), read[table.name]))
            for name in copies.numbers(held).keys() | _numbered(connection):
                copies.set_number(held, name, _last_number(connection, name))
            held.execute("COMMIT")
    if wrong := differences(read, copies.amounts(path)):
        raise Misconfigured(f"The copy does not hold what was read: {', '.join(wrong)}.")


def from_file(path: Path, url: str) -> Amounts:
    """Fill an empty, migrated database with everything that the file holds, all or nothing: what
    was written is read again and compared before it is committed. Raises `Misconfigured`."""
    with copies.opened(path) as held, opened(url) as connection:
        found = copies.tables(held)
        if full := [table.name for table in found if _has_rows(connection, table)]:
            raise Misconfigured(
                f"The Postgres database is not empty ({', '.join(full)}). Give an empty one."
            )
        read: dict[str, Amount] = {}
        for table in found:
            read[table.name] = Amount()
            _put(connection, table, _counted(copies.rows(held, table), read[table.name]))
        for name, last in copies.numbers(held).items():
            connection.execute(
                "SELECT setval(pg_get_serial_sequence(%s, 'seq'), %s, %s)",
                (name, max(last, 1), last > 0),
            )
        written = {table.name: amount(_rows(connection, table)) for table in found}
        if wrong := differences(read, written):
            raise Misconfigured(
                f"Postgres does not hold what was written ({', '.join(wrong)}); nothing was kept."
            )
        return written


@contextmanager
def aside(url: str) -> Generator[str]:
    """The address of an empty schema of its own in the same database; it is dropped in the end."""
    schema = sql.Identifier("countersign_drill")
    with opened(url) as connection:
        connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(schema))
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(schema))
    try:
        yield f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3Dcountersign_drill"
    finally:
        with opened(url) as connection:
            connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(schema))


def _rows(connection: Connection, table: Table) -> Iterator[tuple[Value, ...]]:
    with connection.cursor(name="copied") as cursor:
        cursor.itersize = _AT_ONCE
        cursor.execute(_statement("SELECT {columns} FROM {table}", table))
        yield from cursor


def _put(connection: Connection, table: Table, given: Iterator[tuple[Value, ...]]) -> None:
    with (
        connection.cursor() as cursor,
        cursor.copy(_statement("COPY {table} ({columns}) FROM STDIN", table)) as into,
    ):
        for row in given:
            into.write_row(row)


def _has_rows(connection: Connection, table: Table) -> bool:
    return bool(connection.execute(_statement("SELECT FROM {table} LIMIT 1", table)).fetchall())


def _statement(text: Any, table: Table) -> sql.Composed:
    """Names of our own migrations, which cannot be parameters."""
    columns = sql.SQL(", ").join(map(sql.Identifier, table.columns))
    return sql.SQL(text).format(table=sql.Identifier(table.name), columns=columns)


def _numbered(connection: Connection) -> set[str]:
    """The tables that number their rows."""
    found = connection.execute(
        "SELECT table_name FROM information_schema.columns"
        " WHERE table_schema = current_schema() AND is_identity = 'YES'"
    )
    return {name for (name,) in found}


def _last_number(connection: Connection, table: str) -> int:
    question = "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence(%s, 'seq')), 0)"
    row = connection.execute(question, (table,)).fetchone()
    return row[0] if row else 0


def _counted(given: Iterator[tuple[Value, ...]], into: Amount) -> Iterator[tuple[Value, ...]]:
    for row in given:
        into.add(row)
        yield row
