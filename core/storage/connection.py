"""A SQLite connection and the one thread that it is used from.

A trip to the thread costs about thirty times what a small statement does (85 µs against 3), and
much more while the loop is busy; so work is handed over whole where it can be.
"""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from core.storage.database import Row

Result = TypeVar("Result")

_ROWS_AT_ONCE = 64


class Connection:
    """Open from `open` to `close`. Raises SQLite's own errors."""

    def __init__(self, queue: aiosqlite.Connection, held: sqlite3.Connection) -> None:
        self._queue = queue
        self._held = held

    @classmethod
    async def open(cls, path: Path) -> "Connection":
        """Without implicit transactions; rows are mappings."""
        opened: list[sqlite3.Connection] = []

        def connect() -> sqlite3.Connection:
            opened.append(_opened(path))
            return opened[0]

        queue = await aiosqlite.Connection(connect, _ROWS_AT_ONCE)
        return cls(queue, opened[0])

    async def do(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run the function in the connection's thread. It is carried out even when the caller is
        cancelled meanwhile."""
        # aiosqlite's own verbs each make this trip; it has no public one for a function of ours.
        return await self._queue._execute(work, self._held)  # pyright: ignore[reportPrivateUsage, reportUnknownMemberType, reportUnknownVariableType]

    async def fetch(self, sql: str, params: Sequence[object] = ()) -> list[Row]:
        return await self.do(lambda held: fetched(held, sql, params))

    async def execute(self, sql: str, params: Sequence[object] = ()) -> int:
        """Return how many rows were touched."""
        return await self.do(lambda held: executed(held, sql, params))

    async def close(self) -> None:
        await self._queue.close()


def fetched(held: sqlite3.Connection, sql: str, params: Sequence[object]) -> list[Row]:
    return held.execute(sql, params).fetchall()  # pyright: ignore[reportArgumentType]


def executed(held: sqlite3.Connection, sql: str, params: Sequence[object]) -> int:
    return held.execute(sql, params).rowcount  # pyright: ignore[reportArgumentType]


def _opened(path: Path) -> sqlite3.Connection:
    held = sqlite3.connect(path, isolation_level=None)
    held.row_factory = _as_mapping
    return held


def _as_mapping(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> Row:
    return {column[0]: value for column, value in zip(cursor.description, row, strict=True)}
