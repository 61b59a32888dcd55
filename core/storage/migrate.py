"""The numbered migrations: which there are, and which are still to be applied."""

import sqlite3
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import NamedTuple

from core.errors import Misconfigured
from core.storage.database import Dialect


class Migration(NamedTuple):
    number: int
    name: str
    sql: str


def migrations(dialect: Dialect) -> list[Migration]:
    """All migrations of the dialect, in order. A file is named `0001_first.sqlite.sql`."""
    suffix = f".{dialect}.sql"
    found = [
        Migration(int(file.name[:4]), file.name.removesuffix(suffix), file.read_text("utf-8"))
        for file in files("core.storage.migrations").iterdir()
        if file.name.endswith(suffix)
    ]
    return sorted(found)


BREAKS = "_breaks"
"""What the name of a script ends with that older versions cannot run beside. All others only add:
tables, indexes, columns with a default."""


def lived_with(dialect: Dialect, applied: Mapping[int, str]) -> set[int]:
    """The numbers of what was applied, without those scripts of newer versions beside which this
    one runs: so that versions can be changed one process after the other, and back."""
    known = {migration.number for migration in migrations(dialect)}
    return {number for number, name in applied.items() if number in known or name.endswith(BREAKS)}


def pending(dialect: Dialect, applied: set[int]) -> list[Migration]:
    """What is to be applied to a database that has `applied`.

    Raises `Misconfigured` when the database was written by a newer version.
    """
    known = migrations(dialect)
    if unknown := applied - {migration.number for migration in known}:
        raise Misconfigured(
            f"The database was written by a newer version (migration {max(unknown):04d}). "
            "Start that version, or restore a backup from before it."
        )
    return [migration for migration in known if migration.number not in applied]


def statements(sql: str) -> Iterator[str]:
    """The statements of a script, one by one; a trigger's body stays whole."""
    collected = ""
    for line in sql.splitlines(keepends=True):
        if not collected and (not line.strip() or line.lstrip().startswith("--")):
            continue
        collected += line
        if sqlite3.complete_statement(collected):
            yield collected
            collected = ""
    if collected.strip():
        yield collected
