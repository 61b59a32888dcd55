"""Asks a Databricks SQL warehouse with Databricks' connector, as the person whose token it is."""

import re
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

from core.specialists.sql.engine import Failure, QueryFailed
from core.specialists.sql.engines.driver import CATALOG_WITHIN, CONNECT_WITHIN, Answer, answer
from core.specialists.sql.engines.threads import Stop, Threads, too_slow
from core.specialists.sql.guard import Admitted
from core.specialists.sql.schema import Column, Relation, Schema
from core.specialists.sql.source import Source

_ESCAPES = r"SELECT length('\\') AS n"
"""1 where a backslash escapes, as the guard reads and writes it; 2 where it does not."""
_COLUMNS = """
    SELECT c.table_schema, c.table_name, t.table_type, t.comment, c.column_name, c.full_data_type,
        c.comment
    FROM {catalog}.information_schema.columns c
    JOIN {catalog}.information_schema.tables t
        ON t.table_schema = c.table_schema AND t.table_name = c.table_name
    WHERE c.table_schema <> 'information_schema'
    ORDER BY c.table_schema, c.table_name, c.ordinal_position
"""


class Databricks:
    """`connection`: `host`, `http_path`, `catalog`, `schema`; `token` where the source has a login
    of its own; `url` in the place of the address that these give, `ca_file` for its certificate."""

    def __init__(self, source: Source) -> None:
        self._connection = source.connection
        self._threads = Threads()

    async def ask(self, admitted: Admitted, token: str, deadline: float) -> Answer:
        def work(stop: Stop) -> Answer:
            return self._read(admitted.sql, admitted.row_cap + 1, token, stop)

        return await self._threads.run(work, deadline)

    async def catalog(self, token: str) -> Schema:
        catalog = self._connection.get("catalog", "")
        sql = _COLUMNS.format(catalog="`" + catalog.replace("`", "``") + "`")

        def work(stop: Stop) -> Schema:
            return self._schema(self._read(sql, 0, token, stop))

        return await self._threads.run(work, CATALOG_WITHIN)

    async def close(self) -> None:
        self._threads.close()

    def _read(self, sql: str, most: int, token: str, stop: Stop) -> Answer:
        """At most `most` rows, or all where that is 0."""
        from databricks.sql import exc

        try:
            connection = self._connect(token, stop)
        except (exc.Error, OSError, ValueError) as error:
            raise _not_connected(error) from error
        try:
            with connection.cursor(arraysize=most or 10_000) as cursor:
                stop.by(lambda: _cancel(cursor))
                _execute(cursor, _ESCAPES, stop)
                if cursor.fetchone()[0] != 1:
                    text = "The warehouse reads backslashes otherwise than the guard does."
                    raise QueryFailed("permission", text)
                _execute(cursor, sql, stop)
                rows = cursor.fetchmany(most) if most else cursor.fetchall()
                return answer([str(one[0]) for one in cursor.description], rows)
        except exc.Error as error:
            raise _failed(str(error), stop) from error
        finally:
            with suppress(exc.Error, OSError):
                connection.close()

    def _connect(self, token: str, stop: Stop) -> Any:
        from databricks import sql

        given = self._connection
        bearer = given.get("token") or token
        if not bearer:
            raise QueryFailed("sign_in", "The source wants your own sign-in, and there is none.")
        more: dict[str, Any] = {}
        if given.get("url"):
            more["_connection_uri"] = given["url"]
        if given.get("ca_file"):
            more["_tls_trusted_ca_file"] = given["ca_file"]
        return cast("Any", sql).connect(
            server_hostname=given.get("host", ""),
            http_path=given.get("http_path", ""),
            access_token=bearer,
            catalog=given.get("catalog"),
            schema=given.get("schema"),
            session_configuration={
                "STATEMENT_TIMEOUT": str(max(1, round(stop.seconds))),
                "ANSI_MODE": "true",
                "TIMEZONE": "UTC",
            },
            user_agent_entry="countersign",
            enable_telemetry=False,
            use_cloud_fetch=False,
            _socket_timeout=CONNECT_WITHIN + round(stop.seconds),
            _retry_stop_after_attempts_count=2,
            _retry_stop_after_attempts_duration=CONNECT_WITHIN,
            **more,
        )

    def _schema(self, found: Answer) -> Schema:
        catalog = self._connection.get("catalog", "")
        columns: dict[str, list[Column]] = {}
        relations: dict[str, Relation] = {}
        for schema, table, sort, comment, name, kind, said in found.rows:
            relation = Relation(
                name=str(table),
                schema=str(schema),
                catalog=catalog,
                comment=str(comment or ""),
                is_view=sort == "VIEW",
            )
            relations[relation.key] = relation
            column = Column(name=str(name), type=str(kind), comment=str(said or ""))
            columns.setdefault(relation.key, []).append(column)
        whole = tuple(with_columns(one, columns[key]) for key, one in relations.items())
        return Schema(whole, self._connection.get("schema", "default"))


def with_columns(relation: Relation, columns: list[Column]) -> Relation:
    return replace(relation, columns=tuple(columns))


def _execute(cursor: Any, sql: str, stop: Stop) -> None:
    """A statement that was cancelled returns like one that is done, with nothing in it."""
    if stop.is_due:
        raise too_slow(round(stop.given))
    cursor.execute(sql)
    if not cursor.description or stop.is_due:
        raise too_slow(round(stop.given))


def _cancel(cursor: Any) -> None:
    from databricks.sql import exc

    with suppress(exc.Error, OSError):
        cursor.cancel()


_CLASSES: tuple[tuple[str, Failure], ...] = (
    ("PARSE_SYNTAX_ERROR", "syntax"),
    ("TABLE_OR_VIEW_NOT_FOUND", "unknown_table"),
    ("UNRESOLVED_COLUMN", "unknown_column"),
    ("UNRESOLVED_ROUTINE", "unknown_function"),
    ("INSUFFICIENT_PERMISSIONS", "permission"),
    ("PERMISSION_DENIED", "permission"),
    ("DATATYPE_MISMATCH", "type"),
    ("CAST_INVALID_INPUT", "type"),
    ("DIVIDE_BY_ZERO", "type"),
    ("ARITHMETIC_OVERFLOW", "type"),
    ("MISSING_AGGREGATION", "type"),
    ("QUERY_EXECUTION_CANCELLED", "timeout"),
    ("STATEMENT_TIMEOUT", "timeout"),
    ("timed out", "timeout"),
    ("Invalid access token", "sign_in"),
    ("403", "sign_in"),
    ("401", "sign_in"),
)


def _failed(text: str, stop: Stop) -> QueryFailed:
    known: list[Failure] = [kind for word, kind in _CLASSES if word in text]
    kind: Failure = known[0] if known else "other"
    if kind == "timeout" or stop.is_due:
        return too_slow(round(stop.given))
    named = text.partition("one of the following? [")[2].partition("]")[0]
    candidates = tuple(re.findall(r"`([^`]+)`", named))[:5]
    return QueryFailed(kind, text.partition("\n")[0][:300], candidates)


def _not_connected(error: Exception) -> QueryFailed:
    context: dict[str, object] = getattr(error, "context", None) or {}
    if context.get("http-code") in (401, 403):
        return QueryFailed("sign_in", "The warehouse does not take this sign-in.")
    return QueryFailed("unreachable", "The warehouse cannot be reached.")
