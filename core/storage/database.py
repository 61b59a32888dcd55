"""The database port: three verbs, transactions and wake-ups, the same on SQLite and on Postgres.

Statements are written with `?` placeholders and run on both engines unless a function asks for
the dialect. A statement is never built from a value.
"""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Literal, LiteralString, Protocol, TypeVar

from core.errors import CountersignError, Misconfigured

Row = Mapping[str, Any]
Dialect = Literal["sqlite", "postgres"]
Result = TypeVar("Result")


class Conflict(CountersignError):
    """A rule of the schema (unique, foreign key, append-only) refused the write."""


class Statements(Protocol):
    """What both a database and an open transaction can do.

    Raises `Conflict` when the schema refuses a write and `Unavailable` when the engine cannot
    do its work (disk full, locked, connection lost).
    """

    async def fetch(self, sql: LiteralString, params: Sequence[object] = ()) -> list[Row]:
        """All rows. On a database this only reads; a write that returns rows needs a
        transaction."""
        ...

    async def fetch_one(self, sql: LiteralString, params: Sequence[object] = ()) -> Row | None:
        """The first row, if there is one."""
        ...

    async def execute(self, sql: LiteralString, params: Sequence[object] = ()) -> int:
        """Run a write and return how many rows it touched. On a database it is committed when
        this returns."""
        ...


class Transaction(Statements, Protocol):
    """Statements that happen together or not at all. An exception that leaves the block, and any
    failed statement, undoes all of them; do not catch inside the block."""


class Database(Statements, Protocol):
    """An open database."""

    @property
    def dialect(self) -> Dialect: ...

    @property
    def is_exclusive(self) -> bool:
        """True where this process is known to be the only one that runs on the database."""
        ...

    @property
    def owner(self) -> str:
        """This opening of the database among all that ever were: what its process holds, it holds
        under this name."""
        ...

    @property
    def path(self) -> Path | None:
        """The database file; None on Postgres."""
        ...

    async def write(
        self,
        body: Callable[[Transaction], Coroutine[Any, Any, Result]],
        *,
        is_durable: bool = True,
    ) -> Result:
        """Run the body as one transaction and return what it returned; committed then. The body
        may wait for its own statements and for nothing else: on SQLite it runs from start to end
        in the writing thread, where those that wait at the same time share a commit.

        With `is_durable=False` a commit survives the death of the process, but a power loss may
        undo it as long as no durable commit has followed: for what can be made again until then.
        """
        ...

    def transaction(self, *, is_durable: bool = True) -> AbstractAsyncContextManager[Transaction]:
        """The same step by step, for a block that does more than its statements. Committed when
        the block has been left without an exception.

        The block must be short, hold no network call, and write through the transaction alone:
        on SQLite it holds the one writer, and a write through the database from inside waits
        for itself until it runs into the deadline.
        """
        ...

    async def notify(self, channel: str) -> None:
        """Wake whoever waits for the channel. Call it after the commit."""
        ...

    async def wait(self, channel: str, seconds: float) -> bool:
        """Wait for a wake-up, at most that long; True if one came. A wake-up that came since the
        last wait counts. One waiter per channel."""
        ...

    async def close(self) -> None: ...


async def open_database(
    url: str,
    *,
    state: Path | None = None,
    is_shared: bool = False,
    is_alone: bool = False,
) -> Database:
    """Open the database of `url` and bring its schema up to date.

    `sqlite:///name.db` lies in `state` (else in the working directory), `sqlite:////a/b.db` is
    absolute; `postgresql://…` is handed to psycopg as it is. On SQLite a second process is refused
    unless it `is_shared` (administrators' commands beside a running bot). On Postgres any number
    of bots work side by side; one that `is_alone` (it fills the database) is refused beside them,
    and they beside it.
    Raises `Misconfigured` with a sentence for the operator.
    """
    # One engine is loaded, never both: psycopg alone takes a fifth of a second to import.
    if url.startswith("sqlite:///") and len(url) > len("sqlite:///"):
        from core.storage.sqlite import open_sqlite

        path = (state or Path()) / url.removeprefix("sqlite:///")
        return await open_sqlite(path, is_shared=is_shared)
    if url.startswith(("postgresql://", "postgres://")):
        from core.storage.postgres import open_postgres

        return await open_postgres(url, is_shared=is_shared, is_alone=is_alone)
    raise Misconfigured(
        "The database address must start with sqlite:/// (and name a file) or postgresql://."
    )
