"""The one SQLite connection that writes: turns are taken in order and share their commits.

A durable commit waits for the disk (about 3 ms, 12 ms at worst, measured). Writers that queue up
while one works share the next commit, each inside a savepoint of its own, so that a burst costs a
few commits instead of one each and a failing write fails alone.
"""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from core.errors import Unavailable
from core.storage import batch
from core.storage.batch import Body, Failed
from core.storage.connection import Connection
from core.storage.database import Row
from core.storage.faults import translated, unavailable

Item = TypeVar("Item", "_Whole", "_Turn")

log = logging.getLogger(__name__)

LARGEST_GROUP = 64
"""Writes per commit: bounds how long the first of a group waits for the others."""
PATIENCE = 30.0
"""Seconds to wait for a turn, and for a holder to leave."""


def _future() -> asyncio.Future[Any]:
    return asyncio.get_running_loop().create_future()


@dataclass(slots=True, eq=False)
class _Whole:
    """A transaction that is handed over whole. The outcome is what its body returned, or a
    `Failed`."""

    body: Body
    is_durable: bool
    outcome: asyncio.Future[Any] = field(default_factory=_future)

    def settle(self, outcome: Any) -> None:
        if not self.outcome.done():
            self.outcome.set_result(outcome)


@dataclass(slots=True, eq=False)
class _Turn:
    """A turn of one who writes step by step. The futures carry failures as results: nobody may be
    left to read them."""

    is_durable: bool
    granted: asyncio.Future[Exception | None] = field(default_factory=_future)
    left: asyncio.Future[bool] = field(default_factory=_future)
    """True to keep what was written."""
    settled: asyncio.Future[Exception | None] = field(default_factory=_future)

    def settle(self, outcome: Exception | None) -> None:
        for future in (self.granted, self.settled):
            if not future.done():
                future.set_result(outcome)


class WriterTransaction:
    """The statements of one turn; unusable once the turn is over."""

    def __init__(self, connection: Connection, turn: _Turn) -> None:
        self._connection = connection
        self._turn = turn

    def _check(self) -> None:
        if self._turn.left.done():
            raise Unavailable("The transaction is over.")

    async def fetch(self, sql: str, params: Sequence[object] = ()) -> list[Row]:
        self._check()
        with translated():
            return await self._connection.fetch(sql, params)

    async def fetch_one(self, sql: str, params: Sequence[object] = ()) -> Row | None:
        rows = await self.fetch(sql, params)
        return rows[0] if rows else None

    async def execute(self, sql: str, params: Sequence[object] = ()) -> int:
        self._check()
        with translated():
            return await self._connection.execute(sql, params)


class Writer:
    """Does what is queued on the writing connection. `run` does the work until `close`."""

    def __init__(self, connection: Connection, patience: float = PATIENCE) -> None:
        self._connection = connection
        self._patience = patience
        self._queue: asyncio.Queue[_Whole | _Turn | None] = asyncio.Queue()
        self._is_closed = False
        self._next: _Whole | _Turn | None = None
        """Taken from the queue, to begin the next group."""
        self._syncs: bool | None = True
        """How the connection commits now, where that is known: it is opened with
        `synchronous=FULL`."""

    def close(self) -> None:
        """Let `run` return after what is already waiting."""
        self._is_closed = True
        self._queue.put_nowait(None)

    async def write(self, body: Body, *, is_durable: bool = True) -> Any:
        """Run the body as a transaction; committed when this returns what it returned.

        Raises what the body raised (then nothing of it is kept), and `Unavailable` when its turn
        did not come in time or the commit failed.
        """
        mine = _Whole(body, is_durable)
        self._queued(mine)
        try:
            async with asyncio.timeout(self._patience):
                outcome = await mine.outcome
        except TimeoutError:
            raise Unavailable("The database is too busy to write.") from None
        if isinstance(outcome, Failed):
            raise outcome.reason
        return outcome

    @asynccontextmanager
    async def turn(self, *, is_durable: bool = True) -> AsyncGenerator[WriterTransaction]:
        """Write step by step; committed when the block was left without an exception.

        Raises `Unavailable` when no turn came in time or the commit failed.
        """
        mine = _Turn(is_durable)
        self._queued(mine)
        try:
            await self._await_grant(mine)
            yield WriterTransaction(self._connection, mine)
            if not mine.left.done():
                mine.left.set_result(True)
        finally:
            if not mine.left.done():
                mine.left.set_result(False)
        if failure := await mine.settled:
            raise failure

    def _queued(self, item: _Whole | _Turn) -> None:
        if self._is_closed:
            raise Unavailable("The database is closed.")
        self._queue.put_nowait(item)

    async def _await_grant(self, mine: _Turn) -> None:
        try:
            async with asyncio.timeout(self._patience):
                failure = await mine.granted
        except TimeoutError:
            raise Unavailable("The database is too busy to write.") from None
        if failure is not None:
            raise failure

    async def run(self) -> None:
        """Serve until `close`, group by group."""
        while (first := self._next or await self._queue.get()) is not None:
            self._next = None
            if isinstance(first, _Whole):
                await self._do_together(first)
            else:
                await self._serve_group(first)

    async def _do_together(self, first: _Whole) -> None:
        group = [first]
        while (more := self._next_of_group(first, len(group))) is not None:
            group.append(more)
        # Whoever gave up while waiting is not served.
        group = [whole for whole in group if not whole.outcome.done()]
        if not group:
            return
        bodies, pragma = [whole.body for whole in group], self._pragma(first.is_durable)
        self._syncs = None if pragma else self._syncs
        try:
            outcomes = await self._connection.do(lambda held: batch.perform(held, bodies, pragma))
        # Nobody was told yet that anything is recorded. Whatever goes wrong fails this group: the
        # only writer must live on, or nothing is written any more until the next start.
        except Exception as failure:
            outcomes = [Failed(_reason(failure)) for _ in group]
        else:
            self._syncs = first.is_durable
        for whole, outcome in zip(group, outcomes, strict=True):
            whole.settle(outcome)

    async def _serve_group(self, first: _Turn) -> None:
        kept: list[_Turn] = []
        try:
            await self._begin(first.is_durable)
        # The only writer must live on whatever it was.
        except Exception as failure:
            first.settle(_reason(failure))
            return
        try:
            turn: _Turn | None = first
            while turn is not None:
                await self._serve(turn, kept)
                turn = self._next_of_group(first, len(kept))
            await self._connection.execute("COMMIT")
        # The whole group is undone: nobody was told yet that anything is recorded. The only writer
        # must live on whatever it was.
        except Exception as failure:
            with suppress(sqlite3.Error):
                await self._connection.execute("ROLLBACK")
            for member in kept:
                member.settle(_reason(failure))
        else:
            for member in kept:
                member.settle(None)

    async def _begin(self, syncs: bool) -> None:
        if pragma := self._pragma(syncs):
            self._syncs = None
            await self._connection.execute(pragma)
            self._syncs = syncs
        await self._connection.execute("BEGIN IMMEDIATE")

    def _pragma(self, syncs: bool) -> str:
        """What makes the next commit sync the log, or leave that to a later one: a sync covers all
        that was committed before. SQLite takes it outside a transaction alone."""
        if syncs == self._syncs:
            return ""
        return "PRAGMA synchronous = FULL" if syncs else "PRAGMA synchronous = NORMAL"

    def _next_of_group(self, first: Item, size: int) -> Item | None:
        """The next in the queue where it may share the commit of `first`: it is of the same kind,
        and a commit that does not wait for the disk is not joined by a write that does."""
        if size >= LARGEST_GROUP or self._queue.empty():
            return None
        item = self._queue.get_nowait()
        if item is None:
            self._queue.put_nowait(None)
            return None
        if isinstance(item, type(first)) and first.is_durable >= item.is_durable:
            return item
        self._next = item
        return None

    async def _serve(self, turn: _Turn, kept: list[_Turn]) -> None:
        """Let the holder work; add it to `kept` when its writes stay. Raises the SQLite error
        that ended the shared transaction."""
        if turn.granted.done() or turn.left.done():  # gave up while waiting
            return
        try:
            await self._connection.execute("SAVEPOINT turn")
            # Whoever gave up just now has left without having written.
            if not turn.granted.done():
                turn.granted.set_result(None)
            is_kept = await self._wait_until_left(turn)
            # A full disk may make SQLite end the whole transaction under us: then this raises,
            # and the group fails together.
            if not is_kept:
                await self._connection.execute("ROLLBACK TO turn")
            await self._connection.execute("RELEASE turn")
        except sqlite3.Error as failure:
            turn.settle(unavailable(failure))
            raise
        if is_kept:
            kept.append(turn)
        else:
            turn.settle(Unavailable("The transaction was not finished in time."))

    async def _wait_until_left(self, turn: _Turn) -> bool:
        try:
            async with asyncio.timeout(self._patience):
                return await asyncio.shield(turn.left)
        except TimeoutError:
            if not turn.left.done():
                turn.left.set_result(False)
            return turn.left.result()


def _reason(failure: Exception) -> Unavailable:
    """What those are told whose writes were undone with it."""
    if isinstance(failure, sqlite3.Error):
        return unavailable(failure)
    log.error("The writer met a fault of ours.", exc_info=failure)
    return Unavailable("The database could not do its work: a fault on our side.")
