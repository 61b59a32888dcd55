"""How long `/usage` takes over a million ledger rows, and what counting them costs a turn.

    /path/to/python -m bench.usage [ROWS]

Prints and asserts nothing: a machine that is busy with other work measures that work.
"""

import asyncio
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench.machine import load, machine
from core.records import Billing, LedgerEntry, PersonId, ThreadId, TurnId, Usage
from core.storage import entries, usage
from core.storage.database import Database, Transaction, open_database
from core.storage.usage import DAY, Filter

ROWS = 1_000_000
PEOPLE, PLACES, DAYS = 500, 80, 90
BATCH = 5_000
NOW = 1_764_590_400.0


def entry(number: int, chance: random.Random) -> LedgerEntry:
    person = chance.randrange(PEOPLE)
    place = chance.randrange(PLACES)
    tool = chance.choice(["", "", "", "sql/query", "documents/search"])
    return LedgerEntry(
        billing=Billing(
            turn=TurnId(f"t_{number // 4:016x}"),
            thread=ThreadId(f"slack:T1/C{place}/{number // 40}"),
            person=PersonId(f"slack:T1/U{person:04d}"),
            place=f"slack:T1/C{place:03d}",
            purpose=chance.choice(["answer", "answer", "retrieve", "tool", "last_call"]),
            tool=tool,
        ),
        kind="chat",
        provider="openai",
        model=chance.choice(["gpt-5.5", "gpt-5.5-mini", "text-embedding-3-small"]),
        usage=Usage(input_tokens=chance.randrange(9_000), output_tokens=chance.randrange(900)),
        price=f"0.0{chance.randrange(10_000, 99_999)}" if chance.random() > 0.02 else None,
        price_table="bench",
        outcome="ok",
        started_at=NOW - chance.random() * DAYS * DAY,
        seconds=1.0,
    )


async def fill(db: Database, rows: int) -> float:
    """Seconds for a thousand entries, each counted as in a turn, several to a commit."""
    chance = random.Random(1)
    began = time.perf_counter()
    for start in range(0, rows, BATCH):
        made = [entry(number, chance) for number in range(start, min(start + BATCH, rows))]

        async def add(tx: Transaction, made: list[LedgerEntry] = made) -> None:
            for one in made:
                await entries.write(tx, one)

        await db.write(add, is_durable=False)
    return (time.perf_counter() - began) / rows * 1_000


async def measure(db: Database) -> None:
    zone_edge = 5.5 * 3_600
    for name, days, by, only in (
        ("today, by person", 0, "person", Filter()),
        ("7 days, by person", 7, "person", Filter()),
        ("30 days, by person", 30, "person", Filter()),
        ("30 days, by channel", 30, "place", Filter()),
        ("30 days, by model, of one person", 30, "model", Filter(person="slack:T1/U0007")),
        ("90 days, by purpose", 90, "purpose", Filter()),
        ("90 days, by day", 90, "day", Filter()),
    ):
        taken: list[float] = []
        for _ in range(5):
            began = time.perf_counter()
            # As somebody asks whose midnight is not that of UTC: two days come from the ledger.
            since = NOW // DAY * DAY - days * DAY - zone_edge
            await usage.sums(db, by, since, None, only)  # pyright: ignore[reportArgumentType]
            taken.append(time.perf_counter() - began)
        print(f"{name:36} {statistics.median(taken) * 1_000:8.1f} ms  (worst {max(taken):.3f} s)")


async def main(rows: int) -> None:
    print(f"{machine()}; load {load():.1f}")
    with tempfile.TemporaryDirectory() as folder:
        db = await open_database(f"sqlite:///{Path(folder) / 'usage.db'}")
        try:
            each = await fill(db, rows)
            kept = await db.fetch_one("SELECT count(*) AS n FROM usage_days")
            count = kept["n"] if kept else 0
            print(f"{rows:,} ledger rows, {count:,} sums; {each:.3f} ms to add and count one")
            await measure(db)
        finally:
            await db.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS))
