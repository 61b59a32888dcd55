"""Writes typed tables into a DuckDB file, each with its comments."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.specialists.sheets.columns import Column
from core.specialists.sheets.headings import identifier
from core.specialists.sheets.tables import Table

ROW = "_row"
"""The column with the row of the sheet, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A table as it stands in the file."""

    name: str
    file: str
    """The name of the file that it was read from."""
    sheet: str
    range: str
    title: str
    is_hidden: bool
    rows: int
    columns: tuple[tuple[str, str], ...]
    """Name and heading."""
    notes: tuple[str, ...]


def write(
    tables: Sequence[Table], file: str, taken: set[str], old: Path | None, new: Path, spill: Path
) -> list[Stored]:
    """Write `new`: what `old` holds and the tables. A name in `taken` is not given again."""
    import duckdb

    if old is not None:
        shutil.copyfile(old, new)
    limits: dict[str, Any] = {
        "memory_limit": "512MB",
        "threads": 1,
        "temp_directory": str(spill),
        "max_temp_directory_size": "1GB",
        "enable_external_access": True,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    with duckdb.connect(str(new), config=limits) as connection:
        return [_written(connection, table, file, taken) for table in tables]


def _written(connection: Any, table: Table, file: str, taken: set[str]) -> Stored:
    pa = _library()
    fields: list[Any] = [pa.field(ROW, pa.int64())]
    arrays: list[Any] = [pa.array(table.numbers, pa.int64())]
    for column in table.columns:
        kind = _arrow(column)
        fields.append(pa.field(column.name, kind))
        arrays.append(pa.array(column.values, kind))
    name = identifier(_called(table, file), taken)
    connection.register("incoming", pa.table(arrays, schema=pa.schema(fields)))
    # The name is made of word characters alone, and is quoted.
    connection.execute(f"CREATE TABLE {_quoted(name)} AS SELECT * FROM incoming")  # noqa: S608
    connection.unregister("incoming")
    return Stored(
        name=name,
        file=file,
        sheet=table.sheet,
        range=table.range,
        title=table.title,
        is_hidden=table.is_hidden,
        rows=len(table.numbers),
        columns=tuple((column.name, _heading(column)) for column in table.columns),
        notes=table.notes,
    )


def _called(table: Table, file: str) -> str:
    stem = file.rpartition(".")[0] or file
    words = [stem] if table.sheet == file else [stem, table.sheet]
    return " ".join([*words, table.title[:24]]).strip()


def _heading(column: Column) -> str:
    return f"{column.heading} ({column.unit})" if column.unit else column.heading


def _arrow(column: Column) -> Any:
    pa = _library()
    if column.kind == "decimal":
        digits = max(
            (len(str(abs(int(v)))) for v in column.values if v is not None),
            default=1,
        )
        return pa.decimal128(18 if digits + column.scale <= 18 else 38, column.scale)
    return {
        "text": pa.string(),
        "integer": pa.int64(),
        "float": pa.float64(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us"),
        "boolean": pa.bool_(),
    }[column.kind]


def _library() -> Any:
    import pyarrow

    return pyarrow


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
