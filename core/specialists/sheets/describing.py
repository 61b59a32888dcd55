"""Describes a thread's tables as a source of the SQL specialist."""

import re
from collections.abc import Mapping, Sequence

from core.specialists.sheets.shelf import Shelved
from core.specialists.sheets.writing import ROW, Stored
from core.specialists.sql.source import Source, Table

_HIDDEN = re.compile(r"\b(?:hidden|versteckt\w*|skjult\w*|caché\w*)\b", re.IGNORECASE)


def whole(shelved: Shelved) -> Source:
    """Everything that was read, for an engine that stays from question to question."""
    return _source(shelved, shelved.tables)


def source_of(shelved: Shelved, question: str) -> Source:
    """What is hidden in a file is out of scope, unless the question asks for it."""
    return _source(
        shelved, [one for one in shelved.tables if not one.is_hidden or asks_for(one, question)]
    )


def _source(shelved: Shelved, tables: Sequence[Stored]) -> Source:
    return Source(
        id="sheets",
        title="the posted spreadsheets",
        kind="duckdb",
        connection={"path": str(shelved.database)},
        tables=tuple(map(_table, tables)),
    )


def asks_for(table: Stored, question: str) -> bool:
    """Whether the question names a hidden sheet, or speaks of hidden ones."""
    name = re.escape(table.sheet)
    is_named = re.search(rf"(?<!\w){name}(?!\w)", question, re.IGNORECASE) is not None
    return is_named or _HIDDEN.search(question) is not None


def remarks(
    shelved: Shelved, source: Source, faults: Sequence[str]
) -> Mapping[str, tuple[str, ...]]:
    """What is to be said of an answer, by the name of each table that it reads."""
    in_scope = {table.name for table in source.tables}
    hidden = [one for one in shelved.tables if one.name not in in_scope]
    left = [f"the hidden sheet {one.sheet} of {one.file} was left alone" for one in hidden]
    of_all = [*faults, *left]
    return {one.name: (*_judged(one), *of_all) for one in shelved.tables if one.name in in_scope}


def place(table: Stored) -> str:
    """`Salg 2026!A4:G9 of report.xlsx`"""
    return (
        f"{table.sheet}!{table.range} of {table.file}"
        if table.sheet != table.file
        else f"{table.file} ({table.range})"
    )


def _judged(table: Stored) -> list[str]:
    return [f"{place(table)}: {note}" for note in table.notes]


def _table(one: Stored) -> Table:
    said = [one.title] if one.title else []
    said.append(f"from {place(one)}, {one.rows} rows")
    said += one.notes
    columns = {name: heading for name, heading in one.columns if heading != name}
    return Table(
        name=one.name,
        description="; ".join(said),
        columns={**columns, ROW: "the row of the sheet"},
    )
