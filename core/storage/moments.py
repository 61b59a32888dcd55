"""Moments: when calls may go out that a platform counts over all processes of the bot."""

import hashlib
import json
from collections.abc import Sequence
from typing import LiteralString, cast

from core.ports import Window
from core.storage.database import Database, Dialect, Transaction

# The server's clock, so that processes with clocks of their own agree.
_NOW: dict[Dialect, LiteralString] = {
    "postgres": "SELECT extract(epoch FROM clock_timestamp())::double precision AS now",
    "sqlite": "SELECT (julianday('now') - 2440587.5) * 86400.0 AS now",
}


class Moments:
    """`core.ports.Moments` in the database. A moment that was taken is not given back."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def take(self, line: str, windows: Sequence[Window], *, patience: float) -> float:
        key = _key(line)

        async def taken(tx: Transaction) -> float:
            now = await self._alone(tx, key)
            past, held = await _read(tx, key)
            free = [past[-count] + seconds for count, seconds in windows if len(past) >= count]
            start = max(now, held, *free)
            if windows and start - now <= patience:
                most = max(count for count, _ in windows)
                longest = max(seconds for _, seconds in windows)
                await _write(tx, key, [*past, start][-most:], held, start + longest)
            return start - now

        # A power loss gives a few moments back; nothing else depends on them.
        return await self._db.write(taken, is_durable=False)

    async def hold(self, line: str, seconds: float) -> None:
        key = _key(line)

        async def held(tx: Transaction) -> None:
            until = await self._alone(tx, key) + seconds
            past, before = await _read(tx, key)
            longest = max(until, before)
            await _write(tx, key, past, longest, longest)

        await self._db.write(held, is_durable=False)

    async def _alone(self, tx: Transaction, key: str) -> float:
        """The time, from which on nobody else changes the line in this transaction."""
        if self._db.dialect == "postgres":
            await tx.execute("SELECT pg_advisory_xact_lock(2, hashtext(?))", (key,))
        row = await tx.fetch_one(_NOW[self._db.dialect])
        return 0.0 if row is None else cast(float, row["now"])


async def prune(db: Database, *, now: float) -> int:
    """Forget lines of which nothing is counted any more."""
    return await db.execute("DELETE FROM moments WHERE until < ?", (now,))


async def _read(tx: Transaction, key: str) -> tuple[list[float], float]:
    row = await tx.fetch_one("SELECT taken, held FROM moments WHERE line = ?", (key,))
    return ([], 0.0) if row is None else (json.loads(row["taken"]), row["held"])


async def _write(
    tx: Transaction, key: str, past: Sequence[float], held: float, until: float
) -> None:
    await tx.execute(
        """
        INSERT INTO moments (line, taken, held, until) VALUES (?, ?, ?, ?)
        ON CONFLICT (line) DO UPDATE
        SET taken = excluded.taken, held = excluded.held,
            until = CASE WHEN moments.until > excluded.until THEN moments.until
                         ELSE excluded.until END
        """,
        (key, json.dumps([round(at, 4) for at in past]), held, until),
    )


def _key(line: str) -> str:
    """A line may name a person or a conversation, and nothing about people is to be kept here."""
    return hashlib.sha256(line.encode()).hexdigest()
