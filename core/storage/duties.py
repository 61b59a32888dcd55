"""Duties: what one process at a time does for all that work on one database."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from core.errors import Unavailable
from core.ports import Clock
from core.storage.database import Database, Transaction

LEASE = 30.0
"""Seconds for which a duty outlives the last sign of its owner."""


async def hold(db: Database, name: str, *, now: float, lease: float) -> bool:
    """Take the duty or keep it, until `lease`; False while another process has it."""
    if db.is_exclusive:
        return True

    async def held(tx: Transaction) -> int:
        return await tx.execute(
            """
            INSERT INTO duties (name, owner, lease) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, lease = excluded.lease
            WHERE duties.owner = excluded.owner OR duties.lease <= ?
            """,
            (name, db.owner, lease, now),
        )

    return await db.write(held, is_durable=False) == 1


@asynccontextmanager
async def held(
    db: Database, name: str, *, clock: Clock, every: float = 0.0
) -> AsyncGenerator[bool]:
    """Whether the duty is this process's inside the block, which keeps it alive; nobody else
    begins with it before `every` seconds have passed since.

    A database that is away for longer than the lease may let another one begin as well: what is
    done as a duty must be harmless twice. Raises `Unavailable`.
    """
    begun = clock()
    if db.is_exclusive:
        yield True
        return
    if not await hold(db, name, now=begun, lease=begun + LEASE):
        yield False
        return
    beating = asyncio.create_task(_beat(db, name, clock), name=f"duty {name}")
    try:
        yield True
    finally:
        beating.cancel()
        await asyncio.wait([beating])
        with suppress(Unavailable):
            await hold(db, name, now=clock(), lease=begun + every)


async def _beat(db: Database, name: str, clock: Clock) -> None:
    while True:
        await asyncio.sleep(LEASE / 3)
        now = clock()
        with suppress(Unavailable):
            await hold(db, name, now=now, lease=now + LEASE)
