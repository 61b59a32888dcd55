"""Asks SQL Server, Azure SQL and Fabric with Microsoft's driver, under the person's own token."""

import math
import re
import struct
from typing import Any, cast

from core.specialists.sql.engine import Failure, QueryFailed
from core.specialists.sql.engines.driver import CATALOG_WITHIN, CONNECT_WITHIN, Answer, answer
from core.specialists.sql.engines.threads import Stop, Threads, too_slow
from core.specialists.sql.guard import Admitted
from core.specialists.sql.schema import Column, Relation, Schema
from core.specialists.sql.source import Source

ACCESS_TOKEN = 1256
"""SQL_COPT_SS_ACCESS_TOKEN of Microsoft's ODBC driver: the Entra token that stands for a login."""

PROVIDER = "mssql-odbc"
"""The driver in the package that needs no library of the system."""

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
    certificate, `trust` takes any."""

    def __init__(self, source: Source) -> None:
        self._connection = source.connection
        self._is_fabric = source.kind == "fabric"
        self._threads = Threads()

    async def ask(self, admitted: Admitted, token: str, deadline: float) -> Answer:
        def work(stop: Stop) -> Answer:
            return self._read(admitted.sql, admitted.row_cap + 1, token, stop)

        return await self._threads.run(work, deadline)

    async def catalog(self, token: str) -> Schema:
        def work(stop: Stop) -> Schema:
            columns = self._read(_COLUMNS, 0, token, stop)
            keys = self._read(_KEYS, 0, token, stop) if not self._is_fabric else Answer((), ())
            return _schema(columns, keys)

        return await self._threads.run(work, CATALOG_WITHIN)

    async def close(self) -> None:
        self._threads.close()

    def _read(self, sql: str, most: int, token: str, stop: Stop) -> Answer:
        """At most `most` rows, or all where that is 0."""
        import mssql_python

        try:
            connection = self._connect(token)
        except mssql_python.Error as error:
            raise _not_connected(str(error)) from error
        try:
            connection.timeout = max(1, math.ceil(stop.seconds))
            cursor = connection.cursor()
            cursor.execute(self._pinned(most))
            stop.by(lambda: _cancel(cursor))
            cursor.execute(sql)
            rows = cursor.fetchmany(most) if most else cursor.fetchall()
            return answer([str(one[0]) for one in cursor.description or ()], rows)
        except mssql_python.Error as error:
            raise _failed(str(error), stop) from error
        finally:
            _leave(connection)

    def _connect(self, token: str) -> Any:
        import mssql_python

        # Its settings are properties of the module, which its types do not say.
        driver = cast("Any", mssql_python)
        if driver.native_provider != PROVIDER:
            driver.native_provider = PROVIDER
        # The driver's own pool knows connections by their address, not by whose they are.
        driver.pooling(enabled=False)
        given = self._connection
        said = {
            "Server": given.get("server", ""),
            "Database": given.get("database", ""),
            "Encrypt": "yes",
            "TrustServerCertificate": "yes" if given.get("certificate") == "trust" else "no",
        }
        if given.get("certificate") not in (None, "", "trust"):
            said["ServerCertificate"] = given["certificate"]
        before: dict[int, bytes | int] = {}
        if given.get("password"):
            said |= {"UID": given.get("user", ""), "PWD": given["password"]}
        elif token:
            before[ACCESS_TOKEN] = token_struct(token)
        else:
            raise QueryFailed("sign_in", "The source wants your own sign-in, and there is none.")
        address = ";".join(f"{name}={_braced(value)}" for name, value in said.items())
        # Nothing is ever committed: a statement that slipped through would be undone.
        return driver.connect(
            address, autocommit=False, attrs_before=before, timeout=CONNECT_WITHIN
        )

    def _pinned(self, most: int) -> str:
        if self._is_fabric:
            return _PINNED_FABRIC
        return f"{_PINNED}; SET ROWCOUNT {most:d}"


def token_struct(token: str) -> bytes:
    """A token as the driver takes it: its length in bytes, then UTF-16."""
    raw = token.encode("utf-16-le")
    return struct.pack("<I", len(raw)) + raw


def _braced(value: str) -> str:
    return "{" + value.replace("}", "}}") + "}" if re.search(r"[;{}=\s]", value) else value


def _cancel(cursor: Any) -> None:
    """Tell the server to stop; nothing where the statement is over. Called from another thread.

    The driver has SQLCancel for itself alone: it names no public way to it.
    """
    if not cursor.closed and cursor.hstmt is not None:
        cursor.hstmt._cancel()


def _leave(connection: Any) -> None:
    import mssql_python

    try:
        connection.rollback()
        connection.close()
    except mssql_python.Error:
        # It is gone already, and with it whatever was to be undone.
        return


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
    ("operation canceled", "timeout"),
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


def _failed(text: str, stop: Stop) -> QueryFailed:
    kind: Failure | None = next(
        (kind for words, kind in _SENTENCES if words.casefold() in text.casefold()), None
    )
    if kind is None:
        number = re.search(r"\b(\d{3,5})\b", text)
        kind = _NUMBERS.get(number[1], "other") if number else "other"
    if kind == "timeout":
        return too_slow(round(stop.given))
    return QueryFailed(kind, _sentence(text))


def _not_connected(text: str) -> QueryFailed:
    if "login failed" in text.casefold() or "18456" in text:
        return QueryFailed("sign_in", "The database does not take this sign-in.")
    return QueryFailed("unreachable", "The database cannot be reached.")


def _sentence(text: str) -> str:
    """The server's words, without the names of drivers before them."""
    return re.sub(r"\[[^\]]*\]", "", text.rpartition("DDBC Error:")[2] or text).strip()[:300]
