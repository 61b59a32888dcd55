"""The ledger's table: rows are added and summed, never changed."""

from collections.abc import Sequence
from dataclasses import fields
from decimal import Decimal

from core.records import Billing, Cost, LedgerEntry, ThreadId, TurnId, Usage
from core.storage import reservations, usage
from core.storage.database import Database, Row, Statements, Transaction

_ADD = """
    INSERT INTO entries (turn, thread, person, place, round, purpose, tool, kind, provider,
                         model, input_tokens, cached_tokens, cache_write_tokens,
                         output_tokens, reasoning_tokens, pages, images, price, price_table,
                         outcome, is_reported, attempt, started_at, seconds, is_partial,
                         likely_tokens, likely_price)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


async def add(db: Database, entry: LedgerEntry) -> None:
    """Append the entry and count it in the sums. Its price stays the decimal text that it is.

    It outlives the process. The disk has it with the next durable write: before anybody reads an
    answer that it paid for, and within a heartbeat of its turn.
    """

    await db.write(lambda tx: write(tx, entry), is_durable=False)


async def write(tx: Transaction, entry: LedgerEntry) -> None:
    """The same in a transaction of the caller's."""
    await tx.execute(_ADD, _values(entry))
    await reservations.use(tx, entry)
    await usage.count(tx, entry)


def _values(entry: LedgerEntry) -> tuple[object, ...]:
    billing, usage = entry.billing, entry.usage
    return (
        billing.turn,
        billing.thread,
        billing.person,
        billing.place,
        billing.round,
        billing.purpose,
        billing.tool,
        entry.kind,
        entry.provider,
        entry.model,
        usage.input_tokens,
        usage.cached_tokens,
        usage.cache_write_tokens,
        usage.output_tokens,
        usage.reasoning_tokens,
        usage.pages,
        usage.images,
        entry.price,
        entry.price_table,
        entry.outcome,
        int(entry.is_reported),
        entry.attempt,
        entry.started_at,
        entry.seconds,
        int(entry.is_partial),
        entry.likely_tokens,
        entry.likely_price,
    )


async def of_turn(db: Statements, turn: TurnId) -> list[LedgerEntry]:
    """The turn's entries, in the order they were added."""
    rows = await db.fetch("SELECT * FROM entries WHERE turn = ? ORDER BY seq", (turn,))
    return [_entry(row) for row in rows]


def _entry(row: Row) -> LedgerEntry:
    billing = ("turn", "thread", "person", "place", "round", "purpose", "tool")
    usage = [field.name for field in fields(Usage)]
    own = ("kind", "provider", "model", "price", "price_table", "outcome", "attempt")
    likely = ("likely_tokens", "likely_price")
    return LedgerEntry(
        billing=Billing(**{name: row[name] for name in billing}),
        usage=Usage(**{name: row[name] for name in usage}),
        is_reported=bool(row["is_reported"]),
        is_partial=bool(row["is_partial"]),
        started_at=row["started_at"],
        seconds=row["seconds"],
        **{name: row[name] for name in (*own, *likely)},
    )


async def cost_of_turn(db: Statements, turn: TurnId) -> Cost:
    """What the turn has used so far. `models` are those that were asked, in the order of their
    first use; `seconds` is the time spent in metered uses, side by side ones counted each."""
    rows = await db.fetch(
        "SELECT kind, model, input_tokens + output_tokens AS tokens, price, is_partial, seconds"
        " FROM entries WHERE turn = ? ORDER BY seq",
        (turn,),
    )
    return _sum(rows)


async def cost_of_thread(db: Statements, thread: ThreadId) -> Cost:
    """The same for everything that was used in a thread."""
    rows = await db.fetch(
        "SELECT kind, model, input_tokens + output_tokens AS tokens, price, is_partial, seconds"
        " FROM entries WHERE thread = ? ORDER BY seq",
        (thread,),
    )
    return _sum(rows)


def _sum(rows: Sequence[Row]) -> Cost:
    chats = [row for row in rows if row["kind"] == "chat"]
    prices = [Decimal(row["price"]) for row in rows if row["price"] is not None]
    return Cost(
        models=tuple(dict.fromkeys(row["model"] for row in chats)),
        calls=len(chats),
        tokens=sum(row["tokens"] for row in rows),
        price=format(sum(prices, Decimal(0)).normalize(), "f"),
        unpriced=sum(row["price"] is None or row["is_partial"] for row in rows),
        seconds=sum(row["seconds"] for row in rows),
    )
