"""Sums of the ledger: kept for each UTC day by the write that adds an entry, read for any span."""

from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Literal, LiteralString, NamedTuple

from core.records import LedgerEntry
from core.storage.database import Row, Statements

PICOS = Decimal(10) ** 12
"""Picodollars of a dollar."""
DAY = 86_400.0

Dimension = Literal["person", "place", "model", "tool", "purpose", "day"]


class Sum(NamedTuple):
    """What was used under one name of a dimension."""

    name: str
    uses: int = 0
    """Ledger entries: chat calls, embeddings, pages, images, each attempt."""
    calls: int = 0
    """Chat calls."""
    tokens: int = 0
    picos: int = 0
    unpriced: int = 0
    """Uses without a known price."""


class Filter(NamedTuple):
    """What is counted; an empty word counts everything."""

    person: str = ""
    place: str = ""
    model: str = ""
    tool: str = ""
    purpose: str = ""


def picos(price: str | None) -> int:
    """A price in dollars as whole picodollars; 0 where there is none."""
    if price is None:
        return 0
    return int((Decimal(price) * PICOS).to_integral_value(ROUND_HALF_EVEN))


def day_of(moment: float) -> str:
    """The UTC day: `2026-12-01`."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d")


async def count(tx: Statements, entry: LedgerEntry) -> None:
    """Add the entry to the sums, in the transaction that adds it to the ledger."""
    billing, usage = entry.billing, entry.usage
    day, amount = day_of(entry.started_at), picos(entry.price)
    tokens = usage.input_tokens + usage.output_tokens
    await tx.execute(
        """
        INSERT INTO usage_days (day, person, place, model, tool, purpose,
                                uses, calls, tokens, picos, unpriced)
        VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?)
        ON CONFLICT (day, person, place, model, tool, purpose) DO UPDATE SET
          uses = usage_days.uses + 1,
          calls = usage_days.calls + excluded.calls,
          tokens = usage_days.tokens + excluded.tokens,
          picos = usage_days.picos + excluded.picos,
          unpriced = usage_days.unpriced + excluded.unpriced
        """,
        (
            *(day, billing.person, billing.place, entry.model, billing.tool, billing.purpose),
            *(int(entry.kind == "chat"), tokens, amount, int(entry.price is None)),
        ),
    )
    # One statement, and the last: on Postgres every writer waits here for the row of everyone.
    month, more = day[:7], (amount, tokens)
    await tx.execute(
        """
        INSERT INTO spent (scope, span, picos, tokens)
        VALUES ('everyone', ?, ?, ?), ('everyone', ?, ?, ?), (?, ?, ?, ?), (?, ?, ?, ?),
               (?, ?, ?, ?), (?, ?, ?, ?)
        ON CONFLICT (scope, span) DO UPDATE SET
          picos = spent.picos + excluded.picos, tokens = spent.tokens + excluded.tokens
        """,
        (
            *(day, *more, month, *more),
            *(billing.person, day, *more, billing.person, month, *more),
            *(billing.place or "nowhere", day, *more, billing.place or "nowhere", month, *more),
        ),
    )


_WHOLE_DAYS: LiteralString = """
    SELECT CASE ? WHEN 'person' THEN person WHEN 'place' THEN place WHEN 'model' THEN model
                  WHEN 'tool' THEN tool WHEN 'purpose' THEN purpose ELSE day END AS name,
           sum(uses) AS uses, sum(calls) AS calls, sum(tokens) AS tokens,
           sum(picos / 1000000) AS micros, sum(picos % 1000000) AS rest, sum(unpriced) AS unpriced
    FROM usage_days
    WHERE day >= ? AND day < ? AND (? = '' OR person = ?) AND (? = '' OR place = ?)
      AND (? = '' OR model = ?) AND (? = '' OR tool = ?) AND (? = '' OR purpose = ?)
    GROUP BY 1
"""
"""Picodollars are summed in two parts: a sum of a few million dollars does not fit into 64 bits."""
_EDGE: LiteralString = """
    SELECT CASE ? WHEN 'person' THEN person WHEN 'place' THEN place WHEN 'model' THEN model
                  WHEN 'tool' THEN tool WHEN 'purpose' THEN purpose ELSE '' END AS name,
           kind, input_tokens + output_tokens AS tokens, price, started_at
    FROM entries
    WHERE started_at >= ? AND started_at < ? AND (? = '' OR person = ?) AND (? = '' OR place = ?)
      AND (? = '' OR model = ?) AND (? = '' OR tool = ?) AND (? = '' OR purpose = ?)
"""


async def sums(
    db: Statements,
    by: Dimension,
    since: float,
    until: float | None = None,
    only: Filter | None = None,
) -> list[Sum]:
    """The sums of a span in seconds since the epoch (open at the end: until now), the dearest
    first. Whole UTC days come from the kept sums, the pieces beside them from the ledger."""
    first, last = _next_midnight(since), _midnight(until) if until is not None else None
    wanted = tuple(word for name in (only or Filter()) for word in (name, name))
    if last is not None and first >= last:
        return merged(await _edge(db, by, since, until or since, wanted))
    found = await _edge(db, by, since, first, wanted) if since < first else []
    after = day_of(last) if last is not None else "9999"
    rows = await db.fetch(_WHOLE_DAYS, (by, day_of(first), after, *wanted))
    found += [_sum(row) for row in rows]
    if last is not None and until is not None and until > last:
        found += await _edge(db, by, last, until, wanted)
    return merged(found)


def total(found: list[Sum], name: str = "") -> Sum:
    """All of them as one."""
    return Sum(
        name,
        uses=sum(one.uses for one in found),
        calls=sum(one.calls for one in found),
        tokens=sum(one.tokens for one in found),
        picos=sum(one.picos for one in found),
        unpriced=sum(one.unpriced for one in found),
    )


async def _edge(
    db: Statements, by: Dimension, since: float, until: float, wanted: tuple[str, ...]
) -> list[Sum]:
    rows = await db.fetch(_EDGE, (by, since, until, *wanted))
    return [
        Sum(
            day_of(row["started_at"]) if by == "day" else row["name"],
            uses=1,
            calls=int(row["kind"] == "chat"),
            tokens=row["tokens"],
            picos=picos(row["price"]),
            unpriced=int(row["price"] is None),
        )
        for row in rows
    ]


def _sum(row: Row) -> Sum:
    return Sum(
        row["name"],
        uses=int(row["uses"]),
        calls=int(row["calls"]),
        tokens=int(row["tokens"]),
        picos=int(row["micros"]) * 1_000_000 + int(row["rest"]),
        unpriced=int(row["unpriced"]),
    )


def merged(found: list[Sum]) -> list[Sum]:
    """One for each name, the dearest first."""
    by_name: dict[str, list[Sum]] = {}
    for one in found:
        by_name.setdefault(one.name, []).append(one)
    merged = [total(parts, name) for name, parts in by_name.items()]
    return sorted(merged, key=lambda one: (-one.picos, -one.tokens, one.name))


def _midnight(moment: float) -> float:
    return moment // DAY * DAY


def _next_midnight(moment: float) -> float:
    return -(-moment // DAY) * DAY
