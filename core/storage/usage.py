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
    """Uses without a known price, or with one that is not all of it."""
    likely: int = 0
    """Picodollars that those of a provider who did not say it all probably add."""


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


def charged(entry: LedgerEntry) -> tuple[int, int]:
    """Picodollars and tokens that the use counts for in a budget: where the provider did not say
    them all, those that are likely."""
    if entry.is_partial:
        return max(picos(entry.likely_price), picos(entry.price)), entry.likely_tokens
    return picos(entry.price), entry.usage.input_tokens + entry.usage.output_tokens


def day_of(moment: float) -> str:
    """The UTC day: `2026-12-01`."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d")


async def count(tx: Statements, entry: LedgerEntry) -> None:
    """Add the entry to the sums, in the transaction that adds it to the ledger."""
    billing, usage = entry.billing, entry.usage
    day, amount = day_of(entry.started_at), picos(entry.price)
    tokens = usage.input_tokens + usage.output_tokens
    counted = charged(entry)
    likely = counted[0] - amount
    unpriced = int(entry.price is None or entry.is_partial)
    await tx.execute(
        """
        INSERT INTO usage_days (day, person, place, model, tool, purpose,
                                uses, calls, tokens, picos, unpriced, likely)
        VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?)
        ON CONFLICT (day, person, place, model, tool, purpose) DO UPDATE SET
          uses = usage_days.uses + 1,
          calls = usage_days.calls + excluded.calls,
          tokens = usage_days.tokens + excluded.tokens,
          picos = usage_days.picos + excluded.picos,
          unpriced = usage_days.unpriced + excluded.unpriced,
          likely = usage_days.likely + excluded.likely
        """,
        (
            *(day, billing.person, billing.place, entry.model, billing.tool, billing.purpose),
            *(int(entry.kind == "chat"), tokens, amount, unpriced, likely),
        ),
    )
    # One statement, and the last: on Postgres every writer waits here for the row of everyone.
    month, more = day[:7], counted
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
    names = (billing.person, billing.place, entry.model, billing.tool, billing.purpose)
    sums = (int(entry.kind == "chat"), tokens, amount, unpriced, likely)
    await tx.execute(_COUNT_NAMES, tuple(v for name in names for v in (day, name, *sums)))


_COUNT_NAMES: LiteralString = """
    INSERT INTO usage_names (dimension, day, name, uses, calls, tokens, picos, unpriced, likely)
    VALUES ('person', ?, ?, 1, ?, ?, ?, ?, ?), ('place', ?, ?, 1, ?, ?, ?, ?, ?),
           ('model', ?, ?, 1, ?, ?, ?, ?, ?), ('tool', ?, ?, 1, ?, ?, ?, ?, ?),
           ('purpose', ?, ?, 1, ?, ?, ?, ?, ?)
    ON CONFLICT (dimension, day, name) DO UPDATE SET
      uses = usage_names.uses + 1,
      calls = usage_names.calls + excluded.calls,
      tokens = usage_names.tokens + excluded.tokens,
      picos = usage_names.picos + excluded.picos,
      unpriced = usage_names.unpriced + excluded.unpriced,
      likely = usage_names.likely + excluded.likely
"""
_OF_NAMES: LiteralString = """
    SELECT CASE ? WHEN 'day' THEN day ELSE name END AS name,
           sum(uses) AS uses, sum(calls) AS calls, sum(tokens) AS tokens,
           sum(picos / 1000000) AS micros, sum(picos % 1000000) AS rest, sum(unpriced) AS unpriced,
           sum(likely) AS likely
    FROM usage_names WHERE dimension = ? AND day >= ? AND day < ? GROUP BY 1
"""
"""Picodollars are summed in two parts: a sum of a few million dollars does not fit into 64 bits."""
_WHOLE_DAYS: LiteralString = """
    SELECT CASE ? WHEN 'person' THEN person WHEN 'place' THEN place WHEN 'model' THEN model
                  WHEN 'tool' THEN tool WHEN 'purpose' THEN purpose ELSE day END AS name,
           sum(uses) AS uses, sum(calls) AS calls, sum(tokens) AS tokens,
           sum(picos / 1000000) AS micros, sum(picos % 1000000) AS rest, sum(unpriced) AS unpriced,
           sum(likely) AS likely
    FROM usage_days
    WHERE day >= ? AND day < ? AND (? = '' OR person = ?) AND (? = '' OR place = ?)
      AND (? = '' OR model = ?) AND (? = '' OR tool = ?) AND (? = '' OR purpose = ?)
    GROUP BY 1
"""
_EDGE: LiteralString = """
    SELECT CASE ? WHEN 'person' THEN person WHEN 'place' THEN place WHEN 'model' THEN model
                  WHEN 'tool' THEN tool WHEN 'purpose' THEN purpose ELSE '' END AS name,
           kind, input_tokens + output_tokens AS tokens, price, is_partial, likely_price, started_at
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
    span = (day_of(first), after)
    if any(wanted):
        rows = await db.fetch(_WHOLE_DAYS, (by, *span, *wanted))
    else:
        # Each use stands under one purpose, and they are few: the days are those of all of them.
        dimension = "purpose" if by == "day" else by
        rows = await db.fetch(_OF_NAMES, (by, dimension, *span))
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
        likely=sum(one.likely for one in found),
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
            unpriced=int(row["price"] is None or row["is_partial"]),
            likely=max(0, picos(row["likely_price"]) - picos(row["price"])),
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
        likely=int(row["likely"]),
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
