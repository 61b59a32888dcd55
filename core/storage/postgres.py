"""The Postgres engine: a pool for statements, and one kept connection for the lock and wake-ups."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import lru_cache
from typing import Any, Literal, LiteralString, TypeVar
from uuid import uuid4

import psycopg
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from core.errors import Misconfigured, Unavailable
from core.storage.bells import Bells
from core.storage.database import Conflict, Row, Transaction
from core.storage.migrate import lived_with, pending

log = logging.getLogger(__name__)

Connection = psycopg.AsyncConnection[DictRow]
Result = TypeVar("Result")

POOL_SIZE = 10
PATIENCE = 10.0
"""Seconds to wait for a connection of the pool."""
Lock = Literal["none", "together", "alone"]
"""Bots hold it together; whoever fills a database holds it alone."""
_LOCK = 0x636F756E74657273
"""The advisory lock of those who run on a database; such locks are per database."""
_MIGRATING = _LOCK + 1
_OPTIONS = "-c statement_timeout=30000 -c idle_in_transaction_session_timeout=60000"


@lru_cache(maxsize=512)
def _native(sql: LiteralString) -> LiteralString:
    return sql.replace("%", "%%").replace("?", "%s")


@contextmanager
def translated() -> Generator[None]:
    """Raise Postgres' failures as ours."""
    try:
        yield
    except psycopg.IntegrityError as failure:
        raise Conflict(str(failure)) from failure
    except (
        psycopg.OperationalError,
        psycopg.InterfaceError,
        psycopg.errors.ReadOnlySqlTransaction,
        PoolTimeout,
        PoolClosed,
    ) as failure:
        raise Unavailable(f"The database could not do its work: {failure}.") from failure


class PostgresTransaction:
    """The statements of one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def fetch(self, sql: LiteralString, params: Sequence[object] = ()) -> list[Row]:
        with translated():
            cursor = await self._connection.execute(_native(sql), params)
            return list(await cursor.fetchall())

    async def fetch_one(self, sql: LiteralString, params: Sequence[object] = ()) -> Row | None:
        rows = await self.fetch(sql, params)
        return rows[0] if rows else None

    async def execute(self, sql: LiteralString, params: Sequence[object] = ()) -> int:
        with translated():
            return (await self._connection.execute(_native(sql), params)).rowcount


class Postgres:
    """An open Postgres database; see `core.storage.database.Database`."""

    def __init__(
        self, url: str, pool: AsyncConnectionPool[Connection], kept: Connection, lock: Lock
    ) -> None:
        self._url = url
        self._pool = pool
        self._kept = kept
        self._lock: Lock = lock
        self._owner = uuid4().hex
        """Marks our own wake-ups too, which are heard without the server."""
        self._is_displaced = False
        self._bells = Bells()
        self._unrung: set[str] = set()
        self._has_unrung = asyncio.Event()
        self._listening = asyncio.create_task(self._listen(), name="postgres wake-ups")
        self._ringing = asyncio.create_task(self._ring(), name="postgres bells")

    @property
    def dialect(self) -> Literal["postgres"]:
        return "postgres"

    @property
    def is_exclusive(self) -> bool:
        return False

    @property
    def owner(self) -> str:
        return self._owner

    @property
    def path(self) -> None:
        return None

    @asynccontextmanager
    async def _statements(self) -> AsyncGenerator[PostgresTransaction]:
        if self._is_displaced:
            raise Unavailable("Another process has taken this database over.")
        with translated():
            async with self._pool.connection() as connection:
                yield PostgresTransaction(connection)

    async def fetch(self, sql: LiteralString, params: Sequence[object] = ()) -> list[Row]:
        async with self._statements() as statements:
            return await statements.fetch(sql, params)

    async def fetch_one(self, sql: LiteralString, params: Sequence[object] = ()) -> Row | None:
        async with self._statements() as statements:
            return await statements.fetch_one(sql, params)

    async def execute(self, sql: LiteralString, params: Sequence[object] = ()) -> int:
        async with self._statements() as statements:
            return await statements.execute(sql, params)

    @asynccontextmanager
    async def transaction(self, *, is_durable: bool = True) -> AsyncGenerator[PostgresTransaction]:
        if self._is_displaced:
            raise Unavailable("Another process has taken this database over.")
        with translated():
            async with self._pool.connection() as connection, connection.transaction():
                if not is_durable:
                    await connection.execute("SET LOCAL synchronous_commit = off")
                yield PostgresTransaction(connection)

    async def write(
        self,
        body: Callable[[Transaction], Coroutine[Any, Any, Result]],
        *,
        is_durable: bool = True,
    ) -> Result:
        async with self.transaction(is_durable=is_durable) as tx:
            return await body(tx)

    async def notify(self, channel: str) -> None:
        # The own process hears at once; others over the server, where a lost wake-up costs no
        # more than one period of their polling.
        self._bells.ring(channel)
        self._unrung.add(channel)
        self._has_unrung.set()

    async def wait(self, channel: str, seconds: float) -> bool:
        return await self._bells.wait(channel, seconds)

    async def close(self) -> None:
        with suppress(Unavailable, TimeoutError):
            async with asyncio.timeout(1.0):
                await self._ring_others()
        for task in (self._listening, self._ringing):
            task.cancel()
        await asyncio.wait([self._listening, self._ringing])
        await self._kept.close()
        await self._pool.close()

    async def _ring(self) -> None:
        """Wake the others, once for all that was to be told while the last time was under way: each
        time is a commit, for which the server lets everybody else's wait."""
        while True:
            await self._has_unrung.wait()
            self._has_unrung.clear()
            with suppress(Unavailable):
                await self._ring_others()

    async def _ring_others(self) -> None:
        notes, self._unrung = [f"{self._owner} {one}" for one in self._unrung], set()
        if not notes:
            return
        async with self.transaction(is_durable=False) as tx:
            await tx.execute(
                "SELECT pg_notify('countersign', note) FROM unnest(?::text[]) AS note", (notes,)
            )

    async def _listen(self) -> None:
        while True:
            try:
                async for note in self._kept.notifies():
                    sender, _, channel = note.payload.partition(" ")
                    if sender != self._owner:
                        self._bells.ring(channel)
            except psycopg.Error as failure:
                log.warning(
                    "the connection for wake-ups was lost: %s",
                    failure,
                    extra={"action": "database.lost"},
                )
            await self._return()

    async def _return(self) -> None:
        """Connect again and take the lock again. Without the lock this process must not write:
        another one may be filling the database meanwhile."""
        await self._kept.close()
        while True:
            try:
                self._kept = await _keep(self._url, self._lock)
            except Misconfigured:
                self._is_displaced = True
            except psycopg.Error:
                pass
            else:
                self._is_displaced = False
                self._bells.ring_all()
                return
            await asyncio.sleep(1.0)


async def _connect(url: str) -> Connection:
    return await psycopg.AsyncConnection[DictRow].connect(
        url, autocommit=True, row_factory=dict_row, connect_timeout=5
    )


_TAKING: dict[Lock, tuple[LiteralString, str]] = {
    "together": (
        "SELECT pg_try_advisory_lock_shared(%s) AS held",
        "Another process is filling this Postgres database. Start again when it is done.",
    ),
    "alone": (
        "SELECT pg_try_advisory_lock(%s) AS held",
        "Another process already runs on this Postgres database. Stop it first, or give this one "
        "a database of its own.",
    ),
}


async def _keep(url: str, lock: Lock) -> Connection:
    """The connection that holds the lock for as long as it lives."""
    connection = await _connect(url)
    try:
        if lock != "none":
            sql, refusal = _TAKING[lock]
            cursor = await connection.execute(sql, (_LOCK,))
            row = await cursor.fetchone()
            if row is None or not row["held"]:
                raise Misconfigured(refusal)
        await connection.execute("LISTEN countersign")
    except BaseException:
        await connection.close()
        raise
    return connection


async def _configure(connection: Connection) -> None:
    await connection.execute(
        "SELECT set_config('synchronous_commit', 'on', false)"
        " WHERE current_setting('synchronous_commit') = 'off'"
    )


async def open_postgres(url: str, *, is_shared: bool, is_alone: bool) -> Postgres:
    """Connect, take the lock and migrate. Raises `Misconfigured`."""
    lock: Lock = "none" if is_shared else "alone" if is_alone else "together"
    try:
        kept = await _keep(url, lock)
    except psycopg.Error as failure:
        # psycopg's text names host and user, never the password.
        raise Misconfigured(f"Postgres cannot be reached: {failure}.") from None
    pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
        url,
        connection_class=psycopg.AsyncConnection[DictRow],
        kwargs={
            "autocommit": True,
            "row_factory": dict_row,
            "options": _OPTIONS,
            # A prepared `SELECT *` fails as soon as a newer version has added a column, and this
            # process is to live on beside it.
            "prepare_threshold": None,
        },
        configure=_configure,
        min_size=2,
        max_size=POOL_SIZE,
        timeout=PATIENCE,
        open=False,
        name="countersign",
    )
    try:
        await _migrate(kept)
        await pool.open(wait=True, timeout=PATIENCE)
        return Postgres(url, pool, kept, lock)
    except BaseException as failure:
        await pool.close()
        await kept.close()
        if isinstance(failure, (psycopg.Error, PoolTimeout)):
            raise Misconfigured(f"Postgres is not usable: {failure}.") from failure
        raise


async def _migrate(connection: Connection) -> None:
    cursor = await connection.execute("SHOW fsync")
    if (row := await cursor.fetchone()) and row["fsync"] != "on":
        raise Misconfigured("Postgres runs with fsync off: a recorded answer could be lost.")
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL)"
        )
        cursor = await connection.execute("SELECT number, name FROM migrations")
        applied = {row["number"]: row["name"] for row in await cursor.fetchall()}
        for migration in pending("postgres", lived_with("postgres", applied)):
            await connection.execute(migration.sql.encode())
            await connection.execute(
                "INSERT INTO migrations (number, name) VALUES (%s, %s)",
                (migration.number, migration.name),
            )
