"""Measures how long `/usage` takes over a million ledger rows, and what counting one costs."""

import random
import sqlite3
import statistics
import time
from contextlib import closing
from pathlib import Path

from core.records import Billing, LedgerEntry, PersonId, ThreadId, TurnId, Usage
from core.storage import entries, usage
from core.storage.database import Database, Transaction, open_database
from core.storage.usage import DAY, Dimension, Filter

ROWS = 1_000_000
COUNTED = 20_000
"""Of them, as many are added as a turn adds them; the others come at once, and so do their sums."""
PEOPLE, PLACES, DAYS = 500, 80, 90
BATCH = 500
NOW = 1_764_590_400.0


def entry(number: int, chance: random.Random) -> LedgerEntry:
    """One use: people write to the bot alone and in three channels of theirs, and a turn embeds,
    asks its model twice and now and then a specialist's."""
    person = chance.randrange(PEOPLE)
    is_alone = chance.random() < 0.5
    channel = (person * 7 + chance.randrange(3)) % PLACES
    purpose = chance.choice(["answer", "answer", "retrieve", "specialist", "last_call"])
    model = "gpt-5.5" if person % 3 else "gpt-5.5-mini"
    return LedgerEntry(
        billing=Billing(
            turn=TurnId(f"t_{number // 4:016x}"),
            thread=ThreadId(f"slack:T1/C{channel}/{number // 40}"),
            person=PersonId(f"slack:T1/U{person:04d}"),
            place=f"slack:T1/D{person:04d}" if is_alone else f"slack:T1/C{channel:03d}",
            purpose=purpose,
            tool=chance.choice(TOOLS) if purpose == "specialist" else "",
        ),
        kind="embedding" if purpose == "retrieve" else "chat",
        provider="openai",
        model="text-embedding-3-small" if purpose == "retrieve" else model,
        usage=Usage(input_tokens=chance.randrange(9_000), output_tokens=chance.randrange(900)),
        price=f"0.0{chance.randrange(10_000, 99_999)}" if chance.random() > 0.02 else None,
        price_table="bench",
        outcome="ok",
        started_at=NOW - chance.random() * DAYS * DAY,
        seconds=1.0,
    )


TOOLS = ("sources/ask_sales", "sources/ask_stock", "papers/search")


async def add(db: Database, rows: int) -> float:
    """Milliseconds for one entry, counted as in a turn, several to a commit."""
    chance = random.Random(1)
    began = time.perf_counter()
    for start in range(0, rows, BATCH):
        made = [entry(number, chance) for number in range(start, min(start + BATCH, rows))]

        async def write(tx: Transaction, made: list[LedgerEntry] = made) -> None:
            for one in made:
                await entries.write(tx, one)

        await db.write(write, is_durable=False)
    return (time.perf_counter() - began) / max(1, rows) * 1_000


def fill(path: Path, rows: int) -> None:
    """Entries and their sums, made by the database itself."""
    chance = random.Random(2)
    made = (_values(entry(number, chance)) for number in range(rows))
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany(_ENTRY, made)
        connection.execute("DELETE FROM usage_days")
        connection.execute("DELETE FROM usage_names")
        connection.execute(_SUMS)
        for name in ("person", "place", "model", "tool", "purpose"):
            connection.execute(_NAMES.format(name=name))
        connection.commit()


_ENTRY = """
    INSERT INTO entries (turn, thread, person, place, round, purpose, tool, kind, provider, model,
      input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, pages,
      images, price, price_table, outcome, is_reported, attempt, started_at, seconds)
    VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, 0, 0, ?, 0, 0, 0, ?, ?, ?, 0, 1, ?, ?)
"""
_SUMS = """
    INSERT INTO usage_days (day, person, place, model, tool, purpose, uses, calls, tokens, picos,
      unpriced)
    SELECT strftime('%Y-%m-%d', started_at, 'unixepoch'), person, place, model, tool, purpose,
      count(*), sum(kind = 'chat'), sum(input_tokens + output_tokens),
      sum(CAST(round(CAST(coalesce(price, '0') AS REAL) * 1e12) AS INTEGER)), sum(price IS NULL)
    FROM entries GROUP BY 1, 2, 3, 4, 5, 6
"""
_NAMES = """
    INSERT INTO usage_names
    SELECT '{name}', day, {name}, sum(uses), sum(calls), sum(tokens), sum(picos), sum(unpriced),
      sum(likely)
    FROM usage_days GROUP BY day, {name}
"""


def _values(one: LedgerEntry) -> tuple[object, ...]:
    whose, used = one.billing, one.usage
    return (
        *(whose.turn, whose.thread, whose.person, whose.place, whose.purpose, whose.tool),
        *(one.kind, one.provider, one.model, used.input_tokens, used.output_tokens),
        *(one.price, one.price_table, one.outcome, one.started_at, one.seconds),
    )


QUERIES: tuple[tuple[str, int, Dimension, Filter], ...] = (
    ("today, by person", 0, "person", Filter()),
    ("7 days, by person", 7, "person", Filter()),
    ("30 days, by person", 30, "person", Filter()),
    ("30 days, by channel", 30, "place", Filter()),
    ("30 days, by model, of one person", 30, "model", Filter(person="slack:T1/U0007")),
    ("30 days, by person, of one channel", 30, "person", Filter(place="slack:T1/C049")),
    ("30 days, by person, of one model", 30, "person", Filter(model="gpt-5.5")),
    ("90 days, by person, of one model", 90, "person", Filter(model="gpt-5.5")),
    ("90 days, by purpose", 90, "purpose", Filter()),
    ("90 days, by day", 90, "day", Filter()),
)


async def measure(subject: str, folder: Path) -> dict[str, float]:
    """Milliseconds; the median of five."""
    del subject
    folder.mkdir(parents=True)
    path = folder / "usage.db"
    db = await open_database(f"sqlite:///{path}")
    each = await add(db, COUNTED)
    await db.close()
    fill(path, ROWS - COUNTED)
    db = await open_database(f"sqlite:///{path}")
    try:
        asked = {name: await _asked(db, *query) for name, *query in QUERIES}
    finally:
        await db.close()
    return {"to add and count one use, in the turn's write": each} | asked


async def _asked(db: Database, days: int, by: Dimension, only: Filter) -> float:
    taken: list[float] = []
    for _ in range(5):
        began = time.perf_counter()
        # As somebody asks whose midnight is not that of UTC: a piece of a day is read from the
        # ledger itself.
        since = NOW // DAY * DAY - days * DAY - 5.5 * 3_600
        await usage.sums(db, by, since, None, only)
        taken.append(time.perf_counter() - began)
    return statistics.median(taken) * 1_000
