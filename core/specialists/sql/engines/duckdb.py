"""Asks a DuckDB file by way of a process that can be killed."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.specialists.sql.engine import Failure, QueryFailed
from core.specialists.sql.engines.child import Child
from core.specialists.sql.engines.driver import CATALOG_WITHIN, Answer, value
from core.specialists.sql.guard import Admitted
from core.specialists.sql.schema import Column, Relation, Schema
from core.specialists.sql.source import Source

MEMORY = 512
"""MiB for a query, where the source names no `memory`."""
_CHILD = Path(__file__).with_name("duckdb_child.py")


class DuckDb:
    """`connection`: `path`, `memory` in MiB. One process, started when it is first needed, opens
    the file for each query and closes it again; it is killed where it does not answer in time."""

    def __init__(self, source: Source) -> None:
        memory = source.connection.get("memory", "") or str(MEMORY)
        self._child = Child(_CHILD, source.connection.get("path", ""), memory)

    async def ask(self, admitted: Admitted, token: str, deadline: float) -> Answer:
        del token
        asked = {
            "sql": admitted.sql,
            "rows": admitted.row_cap + 1,
            "tables": list(admitted.tables),
            "columns": list(admitted.columns),
        }
        told = await self._tell(asked, deadline)
        rows = tuple(tuple(value(cell) for cell in row) for row in told["rows"])
        return Answer(tuple(told["columns"]), rows)

    async def catalog(self, token: str) -> Schema:
        del token
        return _schema(await self._tell({"catalog": True}, CATALOG_WITHIN))

    async def close(self) -> None:
        await self._child.close()

    async def _tell(self, asked: Mapping[str, object], seconds: float) -> dict[str, Any]:
        told = await self._child.ask(asked, seconds)
        if told is None:
            raise QueryFailed("too_large", "The query needed more memory than it may have.")
        if "failed" in told:
            raise _failed(str(told["failed"]), str(told["text"]))
        return told


def _schema(told: Mapping[str, Any]) -> Schema:
    keys: set[tuple[str, str, str]] = set()
    references: dict[tuple[str, str, str], str] = {}
    for schema, table, kind, columns, other, others in told["keys"]:
        theirs: list[str] = json.loads(others[1]) if others else []
        for place, column in enumerate(json.loads(columns[1])):
            if kind == "PRIMARY KEY":
                keys.add((schema, table, column))
            elif place < len(theirs):
                references[schema, table, column] = f"{other}.{theirs[place]}"
    columns_of: dict[tuple[str, str], list[Column]] = {}
    for schema, table, name, kind, comment in told["columns"]:
        column = Column(
            name=name,
            type=kind,
            comment=comment or "",
            is_key=(schema, table, name) in keys,
            references=references.get((schema, table, name), ""),
        )
        columns_of.setdefault((schema, table), []).append(column)
    relations = tuple(
        Relation(
            name=name,
            schema=schema,
            columns=tuple(columns_of.get((schema, name), ())),
            comment=comment or "",
            rows=rows,
            is_view=is_view,
        )
        for schema, name, rows, is_view, comment in told["tables"]
    )
    return Schema(relations, "main")


_KINDS: Mapping[str, Failure] = {
    "ParserException": "syntax",
    "BinderException": "type",
    "ConversionException": "type",
    "InvalidInputException": "type",
    "PermissionException": "permission",
    "OutOfMemoryException": "too_large",
    "OutOfRangeException": "type",
    "IOException": "unreachable",
}


def _failed(name: str, text: str) -> QueryFailed:
    kind = _KINDS.get(name, "other")
    if name == "CatalogException":
        kind = "unknown_function" if "Function" in text else "unknown_table"
    if name == "BinderException" and "not found" in text:
        kind = "unknown_column"
    return QueryFailed(kind, text.partition("\n")[0][:300])
