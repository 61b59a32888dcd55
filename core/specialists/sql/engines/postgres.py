"""Asks a Postgres database, in read-only transactions of a role that may only read."""

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, LiteralString

from core.specialists.sql.engine import Failure, QueryFailed
from core.specialists.sql.engines.driver import CATALOG_WITHIN, CONNECT_WITHIN, Answer, answer
from core.specialists.sql.engines.threads import too_slow
from core.specialists.sql.guard import Admitted
from core.specialists.sql.schema import Column, Relation, Schema
from core.specialists.sql.source import Source

if TYPE_CHECKING:
    import psycopg

_PINNED: LiteralString = """
    SELECT set_config('statement_timeout', %s, true), set_config('lock_timeout', '2s', true),
        set_config('idle_in_transaction_session_timeout', '30s', true),
        set_config('standard_conforming_strings', 'on', true),
        set_config('search_path', 'pg_catalog', true), set_config('work_mem', '16MB', true),
        set_config('DateStyle', 'ISO, YMD', true)
"""
_POWERS: LiteralString = """
    SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls
        OR pg_has_role(rolname, 'pg_read_server_files', 'MEMBER')
        OR pg_has_role(rolname, 'pg_write_server_files', 'MEMBER')
        OR pg_has_role(rolname, 'pg_execute_server_program', 'MEMBER')
    FROM pg_catalog.pg_roles WHERE rolname = current_user
"""
_COLUMNS: LiteralString = """
    SELECT n.nspname, c.relname, c.relkind IN ('v', 'm'), c.reltuples::bigint,
        obj_description(c.oid, 'pg_class'), a.attname, format_type(a.atttypid, a.atttypmod),
        col_description(c.oid, a.attnum),
        EXISTS (
            SELECT FROM pg_constraint k
            WHERE k.conrelid = c.oid AND k.contype = 'p' AND a.attnum = ANY (k.conkey)
        ),
        (
            SELECT r.relname || '.' || f.attname
            FROM pg_constraint k
            JOIN pg_class r ON r.oid = k.confrelid
            JOIN pg_attribute f ON f.attrelid = r.oid
                AND f.attnum = k.confkey[array_position(k.conkey, a.attnum)]
            WHERE k.conrelid = c.oid AND k.contype = 'f' AND a.attnum = ANY (k.conkey)
            LIMIT 1
        )
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p', 'v', 'm')
        AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
        AND has_schema_privilege(n.oid, 'USAGE')
        AND has_column_privilege(c.oid, a.attnum, 'SELECT')
    ORDER BY n.nspname, c.relname, a.attnum
"""


class Postgres:
    """`connection`: `host`, `port`, `database`, `user`, `password`, `sslmode`, `sslrootcert`. Where
    no password is set, the asking person's token is the password."""

    def __init__(self, source: Source) -> None:
        self._connection = source.connection

    async def ask(self, admitted: Admitted, token: str, deadline: float) -> Answer:
        async def read(cursor: "psycopg.AsyncCursor[Any]") -> Answer:
            # Prepared: by the protocol that takes one statement and no second.
            await cursor.execute(admitted.sql.encode(), prepare=True)
            rows = await cursor.fetchmany(admitted.row_cap + 1)
            columns = [one.name for one in cursor.description or ()]
            return answer(columns, rows)

        return await self._within(read, token, deadline)

    async def catalog(self, token: str) -> Schema:
        async def read(cursor: "psycopg.AsyncCursor[Any]") -> Schema:
            await cursor.execute(_COLUMNS)
            return _schema(await cursor.fetchall())

        return await self._within(read, token, CATALOG_WITHIN)

    async def close(self) -> None: ...

    async def _within(self, read: Any, token: str, deadline: float) -> Any:
        import psycopg

        try:
            async with asyncio.timeout(deadline + 2):
                connection = await self._connect(token)
                try:
                    async with connection.cursor() as cursor:
                        await _pin(cursor, deadline)
                        return await read(cursor)
                finally:
                    await _leave(connection)
        except TimeoutError:
            raise too_slow(deadline) from None
        except psycopg.Error as error:
            raise _failed(error, deadline) from error

    async def _connect(self, token: str) -> "psycopg.AsyncConnection[Any]":
        import psycopg

        given = self._connection
        has_password = bool(given.get("password")) or not token
        try:
            connection = await psycopg.AsyncConnection.connect(
                host=given.get("host"),
                port=given.get("port", "5432"),
                dbname=given.get("database"),
                user=given.get("user"),
                password=given.get("password") or token or None,
                # A token may be asked for in clear: it goes to the named server alone.
                sslmode=given.get("sslmode") or ("prefer" if has_password else "verify-full"),
                sslrootcert=given.get("sslrootcert"),
                connect_timeout=CONNECT_WITHIN,
                application_name="countersign",
                client_encoding="utf8",
            )
        except psycopg.OperationalError as error:
            raise _not_connected(str(error)) from error
        await connection.set_read_only(True)
        return connection


async def _pin(cursor: "psycopg.AsyncCursor[Any]", deadline: float) -> None:
    """Raises `QueryFailed` where the role may do more than read: a read-only transaction does not
    keep a superuser from files and programs."""
    await cursor.execute(_POWERS)
    row = await cursor.fetchone()
    if row is None or row[0]:
        text = (
            "The source's role may do more than read; it needs a role of its own (docs/sources.md)."
        )
        raise QueryFailed("permission", text)
    await cursor.execute(_PINNED, (f"{max(int(deadline * 1000), 1)}ms",))


async def _leave(connection: "psycopg.AsyncConnection[Any]") -> None:
    import psycopg

    # A statement that still runs goes on after the connection is closed, until it is cancelled.
    if connection.info.transaction_status == psycopg.pq.TransactionStatus.ACTIVE:
        try:
            await connection.cancel_safe(timeout=1)
        except (psycopg.Error, TimeoutError):
            pass
    await connection.close()


def _schema(rows: list[Any]) -> Schema:
    relations: dict[tuple[str, str], Relation] = {}
    columns: dict[tuple[str, str], list[Column]] = {}
    for schema, name, is_view, count, comment, column, kind, said, is_key, references in rows:
        key = (schema, name)
        relations[key] = Relation(
            name=name,
            schema=schema,
            comment=comment or "",
            rows=count if count >= 0 else None,
            is_view=is_view,
        )
        columns.setdefault(key, []).append(
            Column(
                name=column,
                type=kind,
                comment=said or "",
                is_key=is_key,
                references=references or "",
            )
        )
    whole = tuple(_with(relations[key], tuple(columns[key])) for key in relations)
    return Schema(whole, "public")


def _with(relation: Relation, columns: tuple[Column, ...]) -> Relation:
    return replace(relation, columns=columns)


def _not_connected(text: str) -> QueryFailed:
    if "password authentication failed" in text or "does not exist" in text:
        return QueryFailed("sign_in", "The database does not take this sign-in.")
    return QueryFailed("unreachable", "The database cannot be reached.")


_STATES: dict[str, Failure] = {
    "42601": "syntax",
    "42P01": "unknown_table",
    "42703": "unknown_column",
    "42883": "unknown_function",
    "42501": "permission",
    "25006": "permission",
    "57014": "timeout",
    "55P03": "timeout",
    "53100": "too_large",
    "53200": "too_large",
    "53400": "too_large",
    "54000": "too_large",
}


def _failed(error: "psycopg.Error", deadline: float) -> QueryFailed:
    state = error.sqlstate or ""
    kind = _STATES.get(state, "other")
    if kind == "timeout":
        return too_slow(deadline)
    if kind == "other" and state[:2] in ("22", "42"):
        kind = "type"
    if kind == "other" and state[:2] in ("08", "57", ""):
        kind = "unreachable"
    return QueryFailed(kind, str(error).partition("\n")[0][:300])
