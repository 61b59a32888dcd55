"""Reads and makes the SQLite files that a database's state is copied to."""

import os
import sqlite3
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import Misconfigured
from core.storage.amounts import Amounts, Table, Value, amount
from core.storage.migrate import migrations, pending, statements

OURS = frozenset({"migrations", "probe", "duties", "moments"})
"""Tables that say something about the database and its processes and hold no state."""


@contextmanager
def opened(path: Path) -> Generator[sqlite3.Connection]:
    """The file as it stands; it is not made. Raises `Misconfigured` where it cannot be read."""
    try:
        held = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None
        )
    except sqlite3.Error as failure:
        raise Misconfigured(f"{path} cannot be opened: {failure}.") from failure
    try:
        held.execute("PRAGMA busy_timeout = 5000")
        yield held
    except sqlite3.DatabaseError as failure:
        raise Misconfigured(f"{path} cannot be read: {failure}.") from failure
    finally:
        held.close()


def copy(source: Path, target: Path) -> None:
    """The whole state of one moment, also while a bot writes to the source. The target must not
    be there yet. Raises `Misconfigured`."""
    with opened(source) as held:
        # Readable by its owner alone from its first byte on; VACUUM fills an empty file.
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        held.execute("VACUUM INTO ?", (str(target),))


def judge(path: Path) -> None:
    """Raises `Misconfigured` unless the file is a whole copy that this version can read."""
    with opened(path) as held:
        [verdict] = held.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise Misconfigured(f"{path} is damaged: {verdict}.")
        if "migrations" not in _names(held):
            raise Misconfigured(f"{path} is no copy of Countersign's database.")
        pending("sqlite", {number for (number,) in held.execute("SELECT number FROM migrations")})


def prepare(path: Path, applied: set[int]) -> None:
    """Make an empty file with the tables of these migrations."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with opened(path) as held:
        held.execute("CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        for migration in migrations("sqlite"):
            if migration.number in applied:
                for statement in statements(migration.sql):
                    held.execute(statement)
                row = (migration.number, migration.name)
                held.execute("INSERT INTO migrations (number, name) VALUES (?, ?)", row)


def tables(held: sqlite3.Connection) -> list[Table]:
    """Those that hold state."""
    return [
        Table(
            name,
            tuple(c for (c,) in held.execute("SELECT name FROM pragma_table_info(?)", (name,))),
        )
        for name in _names(held)
        if name not in OURS
    ]


def rows(held: sqlite3.Connection, table: Table) -> Iterator[tuple[Value, ...]]:
    # Names of our own migrations, which cannot be parameters.
    return held.execute(f"SELECT {_listed(table)} FROM {_quoted(table.name)}")  # noqa: S608


def put(held: sqlite3.Connection, table: Table, given: Iterator[tuple[Value, ...]]) -> None:
    marks = ", ".join("?" for _ in table.columns)
    into = f"INSERT INTO {_quoted(table.name)} ({_listed(table)}) VALUES ({marks})"  # noqa: S608
    held.executemany(into, given)


def numbers(held: sqlite3.Connection) -> dict[str, int]:
    """The highest number that each numbered table ever gave, by its name."""
    return dict(held.execute("SELECT name, seq FROM sqlite_sequence"))


def set_number(held: sqlite3.Connection, table: str, last: int) -> None:
    """Let the table go on after this number."""
    held.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
    held.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, last))


def amounts(path: Path, of: list[Table] | None = None) -> Amounts:
    """What the file holds, in these tables and columns or in all."""
    with opened(path) as held:
        return {table.name: amount(rows(held, table)) for table in of or tables(held)}


def tables_of(path: Path) -> list[Table]:
    with opened(path) as held:
        return tables(held)


def _names(held: sqlite3.Connection) -> list[str]:
    found = held.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%'"
        " ESCAPE '~' ORDER BY name"
    )
    return [name for (name,) in found]


def _listed(table: Table) -> str:
    return ", ".join(_quoted(column) for column in table.columns)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
