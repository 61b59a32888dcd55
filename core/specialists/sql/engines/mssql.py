"""Asks SQL Server, Azure SQL and Fabric with Microsoft's driver, under the person's own token."""

import asyncio
import re
from pathlib import Path

from core.specialists.sql.engine import Failure, QueryFailed
from core.specialists.sql.engines.child import Child
from core.specialists.sql.engines.driver import CATALOG_WITHIN, CONNECT_WITHIN, Answer, value
from core.specialists.sql.engines.threads import too_slow
from core.specialists.sql.guard import Admitted
from core.specialists.sql.schema import Column, Relation, Schema
from core.specialists.sql.source import Source

_CHILD = Path(__file__).with_name("mssql_child.py")
AT_ONCE = 4
"""Queries of one source side by side."""

_PINNED = (
    "SET QUOTED_IDENTIFIER ON; SET ANSI_NULLS ON; SET ANSI_PADDING ON; SET ANSI_WARNINGS ON; "
    "SET XACT_ABORT ON; SET LOCK_TIMEOUT 2000; SET DATEFORMAT ymd"
)
_PINNED_FABRIC = "SET QUOTED_IDENTIFIER ON; SET ANSI_NULLS ON; SET XACT_ABORT ON"
"""Fabric knows neither lock timeouts nor row counts."""
_COLUMNS = """
    SELECT c.TABLE_SCHEMA, c.TABLE_NAME, t.TABLE_TYPE, c.COLUMN_NAME, c.DATA_TYPE,
        c.CHARACTER_MAXIMUM_LENGTH, c.NUMERIC_PRECISION, c.NUMERIC_SCALE
    FROM INFORMATION_SCHEMA.COLUMNS c
    JOIN INFORMATION_SCHEMA.TABLES t
        ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
    WHERE c.TABLE_SCHEMA NOT IN ('sys', 'INFORMATION_SCHEMA', 'queryinsights')
    ORDER BY c.TABLE_SCHEMA, c.TABLE_NAME, c.ORDINAL_POSITION
"""
_KEYS = """
    SELECT k.TABLE_SCHEMA, k.TABLE_NAME, k.COLUMN_NAME
    FROM INFORMATION_SCHEMA.KEY_COLUMN_USAGE k
    JOIN INFORMATION_SCHEMA.TABLE_CONSTRAINTS t
        ON t.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND t.TABLE_NAME = k.TABLE_NAME
    WHERE t.CONSTRAINT_TYPE = 'PRIMARY KEY'
"""


class Mssql:
    """`connection`: `server` (with `,port`), `database`, and either nothing more, for the asking
    person's Entra token, or `user` and `password`; `certificate` names a file with the server's
    certificate, `trust` takes any. Each query has a process, which is killed where it takes too
    long or nobody waits for it any more; the server then ends the query."""

    def __init__(self, source: Source) -> None:
        self._connection = source.connection
        self._is_fabric = source.kind == "fabric"
        self._room = asyncio.Semaphore(AT_ONCE)
        self._idle: list[Child] = []

    async def ask(self, admitted: Admitted, token: str, deadline: float) -> Answer:
        return await self._read(admitted.sql, admitted.row_cap + 1, token, deadline)

    async def catalog(self, token: str) -> Schema:
        columns = await self._read(_COLUMNS, 0, token, CATALOG_WITHIN)
        keys = Answer((), ())
        if not self._is_fabric:
            keys = await self._read(_KEYS, 0, token, CATALOG_WITHIN)
        return _schema(columns, keys)

    async def close(self) -> None:
        for child in self._idle:
            await child.close()

    async def _read(self, sql: str, most: int, token: str, seconds: float) -> Answer:
        """At most `most` rows, or all where that is 0."""
        asked = {
            **self._login(token),
            "timeout": CONNECT_WITHIN,
            "pinned": self._pinned(most),
            "sql": sql,
            "rows": most,
            "seconds": seconds,
        }
        ends = asyncio.get_running_loop().time() + seconds
        try:
            async with asyncio.timeout_at(ends):
                await self._room.acquire()
        except TimeoutError:
            raise too_slow(seconds) from None
        child = self._idle.pop() if self._idle else Child(_CHILD)
        try:
            told = await child.ask(asked, ends - asyncio.get_running_loop().time())
        finally:
            self._idle.append(child)
            self._room.release()
        if told is None:
            raise QueryFailed("unreachable", "The database's driver ended.")
        if "failed" in told:
            text = str(told["text"])
            is_query = told["failed"] == "query"
            raise _failed(text, seconds) if is_query else _not_connected(text)
        rows = tuple(tuple(value(cell) for cell in row) for row in told["rows"])
        return Answer(tuple(told["columns"]), rows)

    def _login(self, token: str) -> dict[str, object]:
        given = self._connection
        said = {
            "Server": given.get("server", ""),
            "Database": given.get("database", ""),
            "Encrypt": "yes",
            "TrustServerCertificate": "yes" if given.get("certificate") == "trust" else "no",
        }
        if given.get("certificate") not in (None, "", "trust"):
            said["ServerCertificate"] = given["certificate"]
        if given.get("password"):
            said |= {"UID": given.get("user", ""), "PWD": given["password"]}
            return {"said": said, "token": ""}
        if not token:
            raise QueryFailed("sign_in", "The source wants your own sign-in, and there is none.")
        return {"said": said, "token": token}

    def _pinned(self, most: int) -> str:
        if self._is_fabric:
            return _PINNED_FABRIC
        return f"{_PINNED}; SET ROWCOUNT {most:d}"


def _schema(columns: Answer, keys: Answer) -> Schema:
    known = {(str(row[0]), str(row[1]), str(row[2])) for row in keys.rows}
    found: dict[tuple[str, str], list[Column]] = {}
    views: set[tuple[str, str]] = set()
    for schema, table, sort, name, kind, length, precision, scale in columns.rows:
        key = (str(schema), str(table))
        if sort == "VIEW":
            views.add(key)
        column = Column(
            name=str(name),
            type=_type(str(kind), length, precision, scale),
            is_key=(*key, str(name)) in known,
        )
        found.setdefault(key, []).append(column)
    relations = tuple(
        Relation(name=key[1], schema=key[0], columns=tuple(listed), is_view=key in views)
        for key, listed in found.items()
    )
    return Schema(relations, "dbo")


def _type(kind: str, length: object, precision: object, scale: object) -> str:
    if length is not None:
        return f"{kind}({'max' if length == -1 else length})"
    if kind in ("decimal", "numeric"):
        return f"{kind}({precision},{scale})"
    return kind


_NUMBERS: dict[str, Failure] = {
    "102": "syntax",
    "156": "syntax",
    "207": "unknown_column",
    "208": "unknown_table",
    "195": "unknown_function",
    "229": "permission",
    "230": "permission",
    "916": "permission",
    "245": "type",
    "8114": "type",
    "8115": "type",
    "8120": "type",
    "8134": "type",
    "1222": "timeout",
    "701": "too_large",
    "1105": "too_large",
}
_SENTENCES: tuple[tuple[str, Failure], ...] = (
    ("timeout expired", "timeout"),
    ("timed out", "timeout"),
    ("Invalid column name", "unknown_column"),
    ("Invalid object name", "unknown_table"),
    ("is not a recognized built-in function", "unknown_function"),
    ("Incorrect syntax", "syntax"),
    ("permission was denied", "permission"),
    ("Conversion failed", "type"),
    ("Divide by zero", "type"),
    ("overflow", "type"),
    ("Login failed", "sign_in"),
    ("Communication link", "unreachable"),
    ("Lock request time out", "timeout"),
)
"""The driver hands on the server's sentence and not its number."""


def _failed(text: str, seconds: float) -> QueryFailed:
    kind: Failure | None = next(
        (kind for words, kind in _SENTENCES if words.casefold() in text.casefold()), None
    )
    if kind is None:
        number = re.search(r"\b(\d{3,5})\b", text)
        kind = _NUMBERS.get(number[1], "other") if number else "other"
    if kind == "timeout":
        return too_slow(round(seconds))
    return QueryFailed(kind, _sentence(text))


def _not_connected(text: str) -> QueryFailed:
    if "login failed" in text.casefold() or "18456" in text:
        return QueryFailed("sign_in", "The database does not take this sign-in.")
    return QueryFailed("unreachable", "The database cannot be reached.")


def _sentence(text: str) -> str:
    """The server's words, without the names of drivers before them."""
    return re.sub(r"\[[^\]]*\]", "", text.rpartition("DDBC Error:")[2] or text).strip()[:300]
