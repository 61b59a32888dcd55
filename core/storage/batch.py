"""Whole transactions, run one after another in the connection's thread under one commit.

Each has a savepoint: it fails alone. The bodies are coroutines that wait for nothing but their
statements, which are done when they return, so that one is run from start to end without a loop.
"""

import sqlite3
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from core.storage.connection import executed, fetched
from core.storage.database import Row
from core.storage.faults import translated

Body = Callable[["InThread"], Coroutine[Any, Any, Any]]


class InThread:
    """A `core.storage.database.Transaction` in the thread of its connection."""

    def __init__(self, held: sqlite3.Connection) -> None:
        self._held = held

    async def fetch(self, sql: str, params: Sequence[object] = ()) -> list[Row]:
        with translated():
            return fetched(self._held, sql, params)

    async def fetch_one(self, sql: str, params: Sequence[object] = ()) -> Row | None:
        rows = await self.fetch(sql, params)
        return rows[0] if rows else None

    async def execute(self, sql: str, params: Sequence[object] = ()) -> int:
        with translated():
            return executed(self._held, sql, params)


class Failed:
    """How a body ended that raised."""

    def __init__(self, reason: Exception) -> None:
        self.reason = reason


def perform(held: sqlite3.Connection, bodies: Sequence[Body], pragma: str) -> list[Any]:
    """The outcome of each body, `Failed` for one that was undone. `pragma` comes before the
    transaction. Raises the SQLite error that ended all of them."""
    if pragma:
        held.execute(pragma)
    held.execute("BEGIN IMMEDIATE")
    try:
        outcomes = [_one(held, body) for body in bodies]
        held.execute("COMMIT")
        return outcomes
    except BaseException:
        if held.in_transaction:
            held.execute("ROLLBACK")
        raise


def _one(held: sqlite3.Connection, body: Body) -> Any:
    held.execute("SAVEPOINT body")
    try:
        outcome = _run(body(InThread(held)))
    except Exception as reason:
        # Where a full disk made the engine end the whole transaction, this raises.
        held.execute("ROLLBACK TO body")
        outcome = Failed(reason)
    held.execute("RELEASE body")
    return outcome


def _run(body: Coroutine[Any, Any, Any]) -> Any:
    try:
        body.send(None)
    except StopIteration as end:
        return end.value
    body.close()
    raise RuntimeError("A transaction's body waits for nothing but its own statements.")
