"""Asks a DuckDB file by way of a process that can be killed."""

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from core.specialists.sql.engine import Failure, QueryFailed, Value
from core.specialists.sql.engines.driver import CATALOG_WITHIN, Answer
from core.specialists.sql.engines.threads import too_slow
from core.specialists.sql.guard import Admitted
from core.specialists.sql.schema import Column, Relation, Schema
from core.specialists.sql.source import Source

MEMORY = 512
"""MiB for a query, where the source names no `memory`."""
LONGEST_ANSWER = 64 * 1024 * 1024
"""Bytes."""

_CHILD = Path(__file__).with_name("duckdb_child.py")


class DuckDb:
    """`connection`: `path`, `memory` in MiB. One process, started when it is first needed, opens
    the file for each query and closes it again; it is killed where it does not answer in time."""

    def __init__(self, source: Source) -> None:
        self._path = source.connection.get("path", "")
        self._memory = source.connection.get("memory", "") or str(MEMORY)
        self._child: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def ask(self, admitted: Admitted, token: str, deadline: float) -> Answer:
        del token
        asked = {
            "sql": admitted.sql,
            "rows": admitted.row_cap + 1,
            "tables": list(admitted.tables),
            "columns": list(admitted.columns),
        }
        told = await self._tell(asked, deadline)
        rows = tuple(tuple(_value(cell) for cell in row) for row in told["rows"])
        return Answer(tuple(told["columns"]), rows)

    async def catalog(self, token: str) -> Schema:
        del token
        return _schema(await self._tell({"catalog": True}, CATALOG_WITHIN))

    async def close(self) -> None:
        async with self._turn:
            await self._kill()

    async def _tell(self, asked: Mapping[str, object], seconds: float) -> dict[str, Any]:
        try:
            async with asyncio.timeout(seconds), self._turn:
                is_over = False
                try:
                    line = await self._line(json.dumps(asked))
                    is_over = bool(line)
                finally:
                    # Also when the time is over or nobody waits any more: it is still at work.
                    if not is_over:
                        await self._kill()
        except TimeoutError:
            raise too_slow(seconds) from None
        if not line:
            raise QueryFailed("too_large", "The query needed more memory than it may have.")
        told: dict[str, Any] = json.loads(line)
        if "failed" in told:
            raise _failed(str(told["failed"]), str(told["text"]))
        return told

    async def _line(self, asked: str) -> bytes:
        """What the process answers; empty where it died."""
        child = self._child
        if child is None or child.returncode is not None:
            child = self._child = await asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                str(_CHILD),
                self._path,
                self._memory,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                cwd="/",
                env={"LC_ALL": "C.UTF-8"},
                limit=LONGEST_ANSWER,
            )
        if child.stdin is None or child.stdout is None:
            return b""
        try:
            child.stdin.write(asked.encode() + b"\n")
            await child.stdin.drain()
            return await child.stdout.readline()
        except (ConnectionError, ValueError):
            return b""

    async def _kill(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        if child.returncode is None:
            child.kill()
        await child.wait()


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


_READ: Mapping[str, Callable[[str], Value]] = {
    "decimal": Decimal,
    "float": float,
    "moment": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "bytes": bytes.fromhex,
    "json": str,
}


def _value(cell: Any) -> Value:
    if not isinstance(cell, list):
        return cell
    kind, text = cast("list[str]", cell)
    return _READ[kind](text)


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
