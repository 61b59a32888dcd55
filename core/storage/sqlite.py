"""The SQLite engine: one file, one writer, and readers that never wait for it."""

import asyncio
import itertools
import sqlite3
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Any, Literal, LiteralString, TypeVar
from uuid import uuid4

from core.errors import Misconfigured
from core.storage.bells import Bells
from core.storage.connection import Connection
from core.storage.database import Row, Transaction
from core.storage.faults import translated
from core.storage.lockfile import take_lock
from core.storage.migrate import Migration, lived_with, pending, statements
from core.storage.writer import Writer, WriterTransaction

Result = TypeVar("Result")

READERS = 2

_PRAGMAS = (
    # (statement, the answer that it must give when asked again)
    ("PRAGMA busy_timeout = 5000", "PRAGMA busy_timeout", 5000),
    ("PRAGMA journal_mode = WAL", "PRAGMA journal_mode", "wal"),
    # 2 is FULL: with NORMAL a committed answer may be gone after a power loss.
    ("PRAGMA synchronous = FULL", "PRAGMA synchronous", 2),
    ("PRAGMA foreign_keys = ON", "PRAGMA foreign_keys", 1),
    ("PRAGMA secure_delete = ON", "PRAGMA secure_delete", 1),
    ("PRAGMA journal_size_limit = 33554432", "PRAGMA journal_size_limit", 33_554_432),
)


class Sqlite:
    """An open SQLite database; see `core.storage.database.Database`."""

    def __init__(
        self,
        path: Path,
        lock: IO[str] | None,
        connections: Sequence[Connection],
    ) -> None:
        self._path = path
        self._owner = uuid4().hex
        self._lock = lock
        self._connections = connections
        self._readers = itertools.cycle(connections[1:])
        self._writer = Writer(connections[0])
        self._bells = Bells()
        self._writing = asyncio.create_task(self._writer.run(), name="sqlite writer")

    @property
    def dialect(self) -> Literal["sqlite"]:
        return "sqlite"

    @property
    def is_exclusive(self) -> bool:
        return self._lock is not None

    @property
    def owner(self) -> str:
        return self._owner

    @property
    def path(self) -> Path:
        return self._path

    async def fetch(self, sql: LiteralString, params: Sequence[object] = ()) -> list[Row]:
        with translated():
            return await next(self._readers).fetch(sql, params)

    async def fetch_one(self, sql: LiteralString, params: Sequence[object] = ()) -> Row | None:
        rows = await self.fetch(sql, params)
        return rows[0] if rows else None

    async def execute(self, sql: LiteralString, params: Sequence[object] = ()) -> int:
        return await self._writer.write(lambda tx: tx.execute(sql, params))

    async def write(
        self,
        body: Callable[[Transaction], Coroutine[Any, Any, Result]],
        *,
        is_durable: bool = True,
    ) -> Result:
        return await self._writer.write(body, is_durable=is_durable)

    @asynccontextmanager
    async def transaction(self, *, is_durable: bool = True) -> AsyncGenerator[WriterTransaction]:
        async with self._writer.turn(is_durable=is_durable) as turn:
            yield turn

    async def notify(self, channel: str) -> None:
        self._bells.ring(channel)

    async def wait(self, channel: str, seconds: float) -> bool:
        return await self._bells.wait(channel, seconds)

    async def close(self) -> None:
        """Finish the writes that wait, and let the next process in."""
        self._writer.close()
        try:
            await self._writing
        finally:
            for connection in reversed(self._connections):
                await connection.close()
            if self._lock is not None:
                self._lock.close()


async def connect(path: Path) -> Connection:
    """A connection with every pragma asserted.

    Raises `Misconfigured` when the file cannot be opened or does not take a pragma (a network
    file system may refuse WAL).
    """
    try:
        connection = await Connection.open(path)
    except sqlite3.Error as failure:
        raise _unusable(path, failure) from failure
    try:
        for setting, question, expected in _PRAGMAS:
            await connection.execute(setting)
            [answer] = (await connection.fetch(question))[0].values()
            if answer != expected:
                raise Misconfigured(
                    f"The database {path} does not take `{setting}` (it says {answer!r}). "
                    "Put it on a local disk."
                )
    except BaseException as failure:
        await connection.close()
        if isinstance(failure, sqlite3.Error):
            raise _unusable(path, failure) from failure
        raise
    return connection


def _unusable(path: Path, failure: sqlite3.Error) -> Misconfigured:
    return Misconfigured(f"The database {path} cannot be opened: {failure}.")


async def open_sqlite(path: Path, *, is_shared: bool) -> Sqlite:
    """Open or create the file. Raises `Misconfigured`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise Misconfigured(f"{path.parent} cannot be made: {failure.strerror}.") from failure
    lock = None if is_shared else take_lock(path)
    opened: list[Connection] = []
    try:
        opened.append(await connect(path))
        await _migrate(opened[0])
        for _ in range(READERS):
            opened.append(await connect(path))
            await opened[-1].execute("PRAGMA query_only = ON")
        return Sqlite(path, lock, opened)
    except BaseException:
        for connection in opened:
            await connection.close()
        if lock is not None:
            lock.close()
        raise


async def _migrate(connection: Connection) -> None:
    await connection.execute(
        "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL)"
    )
    rows = await connection.fetch("SELECT number, name FROM migrations")
    applied = {row["number"]: row["name"] for row in rows}
    for migration in pending("sqlite", lived_with("sqlite", applied)):
        await _apply(connection, migration)


async def _apply(connection: Connection, migration: Migration) -> None:
    await connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in statements(migration.sql):
            await connection.execute(statement)
        await connection.execute(
            "INSERT INTO migrations (number, name) VALUES (?, ?)",
            (migration.number, migration.name),
        )
        await connection.execute("COMMIT")
    except BaseException:
        await connection.execute("ROLLBACK")
        raise
