"""Parked calls: the rows that wait for a person, moved by compare-and-set alone."""

import json
import logging
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from core.cards import CallId
from core.parked import ParkedCall
from core.records import Address, PersonId, ThreadId, TurnId
from core.storage.bodies import packed, storable, unpacked
from core.storage.database import Database, Row, Statements, Transaction

log = logging.getLogger(__name__)
CHANNEL = "parked"
"""The wake-up channel: rung when a call was approved."""


class Copy(NamedTuple):
    """One place where a card is shown."""

    name: str
    """`thread`, the person whose direct messages it stands in, or the wish of one to see it."""
    post: str
    """The outbox post that showed it first."""
    surface: str
    address: Address
    person: PersonId


class Placed(NamedTuple):
    call: ParkedCall
    is_new: bool
    """False: this call was parked before, and `call` is that one as it stands now."""


async def park(tx: Transaction, call: ParkedCall, ask: str) -> Placed:
    """Write the row and give it its number. A second call of the same id, or of the same `ask` in
    the same turn, writes nothing."""
    inserted = await tx.execute(
        """
        INSERT INTO parked (id, turn, ask, thread, requester, authority, state, revision, body,
                            parked_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """,
        (
            call.id,
            call.turn,
            ask,
            call.thread,
            call.requester,
            call.authority,
            call.state,
            call.revision,
            packed(ParkedCall, call),
            call.parked_at,
            call.expires_at,
        ),
    )
    row = await tx.fetch_one(
        "SELECT * FROM parked WHERE id = ? OR (turn = ? AND ask = ?) ORDER BY seq LIMIT 1",
        (call.id, call.turn, ask),
    )
    if row is None:
        raise LookupError("a parked call vanished between two statements")
    return Placed(_call(row), is_new=inserted == 1)


async def read(db: Statements, call: CallId) -> ParkedCall | None:
    row = await db.fetch_one("SELECT * FROM parked WHERE id = ?", (call,))
    return None if row is None else _call(row)


async def move(tx: Statements, before: ParkedCall, after: ParkedCall) -> bool:
    """Put `after` in the place of `before`; False, and nothing is written, when the row is no
    longer as `before` has it. Whether the move is legal is for `core.approvals.states`."""
    moved = await tx.execute(
        """
        UPDATE parked
        SET state = ?, revision = ?, expires_at = ?, body = ?, moves = moves + 1
        WHERE id = ? AND state = ? AND revision = ? AND moves = ?
        """,
        (
            after.state,
            after.revision,
            after.expires_at,
            packed(ParkedCall, replace(after, moves=before.moves + 1)),
            before.id,
            before.state,
            before.revision,
            before.moves,
        ),
    )
    return moved == 1


async def stands(tx: Transaction, call: ParkedCall) -> bool:
    """Whether the row is still as `call` has it."""
    row = await tx.fetch_one("SELECT moves FROM parked WHERE id = ?", (call.id,))
    return row is not None and row["moves"] == call.moves


class Due(NamedTuple):
    """A row that the executor has to look after."""

    id: CallId
    call: ParkedCall | None
    """None where the row cannot be read."""


async def to_carry_out(
    db: Statements, limit: int, *, besides: Collection[CallId] = ()
) -> list[Due]:
    """What the executor has to look after: first what was claimed and has no outcome, then what
    was approved, the oldest first. Those `besides` are not among them."""
    rows = await db.fetch(
        """
        SELECT * FROM parked WHERE state IN ('executing', 'approved')
        ORDER BY CASE state WHEN 'executing' THEN 0 ELSE 1 END, seq LIMIT ?
        """,
        (limit + len(besides),),
    )
    found = [row for row in rows if row["id"] not in besides]
    return [Due(CallId(row["id"]), _readable(row)) for row in found[:limit]]


async def undecided(db: Statements, limit: int = 500) -> list[ParkedCall]:
    """What waits for people, the oldest first."""
    rows = await db.fetch(
        "SELECT * FROM parked WHERE state IN ('parked', 'unknown') ORDER BY seq LIMIT ?", (limit,)
    )
    return [_call(row) for row in rows]


async def undecided_count(db: Statements) -> int:
    row = await db.fetch_one("SELECT count(*) AS n FROM parked WHERE state = 'parked'")
    return 0 if row is None else row["n"]


async def of_turn(db: Statements, turn: TurnId) -> list[ParkedCall]:
    rows = await db.fetch("SELECT * FROM parked WHERE turn = ? ORDER BY seq", (turn,))
    return [_call(row) for row in rows]


async def of_thread(db: Statements, thread: ThreadId, limit: int = 10) -> list[ParkedCall]:
    """The newest of the thread, the oldest of them first."""
    rows = await db.fetch(
        "SELECT * FROM parked WHERE thread = ? ORDER BY seq DESC LIMIT ?", (thread, limit)
    )
    return [_call(row) for row in reversed(rows)]


async def unconnected(db: Statements, people: Sequence[PersonId]) -> list[ParkedCall]:
    """Parked calls that are to run under the account of one of these (a person has an id on each
    surface)."""
    found: list[ParkedCall] = []
    for person in people:
        rows = await db.fetch(
            "SELECT * FROM parked WHERE state = 'parked' AND authority = ? ORDER BY seq", (person,)
        )
        found += [_call(row) for row in rows]
    return [call for call in found if call.waits_for]


async def past_expiry(db: Statements, now: float, limit: int = 64) -> list[ParkedCall]:
    rows = await db.fetch(
        "SELECT * FROM parked WHERE state IN ('parked', 'approved') AND expires_at <= ?"
        " ORDER BY seq LIMIT ?",
        (now, limit),
    )
    return [_call(row) for row in rows]


async def to_remind(db: Statements, now: float, ahead: float) -> list[ParkedCall]:
    """Parked calls that expire within `ahead` seconds, were parked for longer than that, and of
    which nobody was reminded."""
    rows = await db.fetch(
        "SELECT * FROM parked WHERE state = 'parked' AND reminded_at IS NULL"
        " AND expires_at <= ? AND expires_at > ? AND expires_at - parked_at > ? ORDER BY seq",
        (now + ahead, now, ahead),
    )
    return [_call(row) for row in rows]


async def mark_reminded(tx: Transaction, call: CallId, *, now: float) -> bool:
    """False when somebody was quicker."""
    marked = await tx.execute(
        "UPDATE parked SET reminded_at = ?"
        " WHERE id = ? AND state = 'parked' AND reminded_at IS NULL",
        (now, call),
    )
    return marked == 1


async def not_escalated(db: Statements) -> list[ParkedCall]:
    """Parked calls whose deputies were not asked yet; not all of them have any."""
    rows = await db.fetch(
        "SELECT * FROM parked WHERE state = 'parked' AND escalated_at IS NULL ORDER BY seq"
    )
    return [call for row in rows if (call := _call(row)).approval.deputy]


async def mark_escalated(tx: Transaction, call: CallId, *, now: float) -> bool:
    marked = await tx.execute(
        "UPDATE parked SET escalated_at = ?"
        " WHERE id = ? AND state = 'parked' AND escalated_at IS NULL",
        (now, call),
    )
    return marked == 1


async def add_copy(tx: Transaction, call: CallId, copy: Copy) -> bool:
    """Remember where the card is shown; False when that copy is known."""
    added = await tx.execute(
        """
        INSERT INTO card_copies (call, name, post, surface, address, person)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """,
        (
            call,
            copy.name,
            copy.post,
            copy.surface,
            storable(json.dumps(dict(copy.address), sort_keys=True)),
            copy.person,
        ),
    )
    return added == 1


async def copies(db: Statements, call: CallId) -> list[Copy]:
    rows = await db.fetch("SELECT * FROM card_copies WHERE call = ? ORDER BY name", (call,))
    return [
        Copy(
            name=row["name"],
            post=row["post"],
            surface=row["surface"],
            address=json.loads(row["address"]),
            person=PersonId(row["person"]),
        )
        for row in rows
    ]


async def mark_read(db: Statements, call: ParkedCall, person: PersonId, *, now: float) -> None:
    """This person has had the whole of this revision before their eyes."""
    await db.execute(
        "INSERT INTO card_readings (call, revision, person, read_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        (call.id, call.revision, person, now),
    )


async def has_read(db: Statements, call: ParkedCall, person: PersonId) -> bool:
    row = await db.fetch_one(
        "SELECT 1 AS seen FROM card_readings WHERE call = ? AND revision = ? AND person = ?",
        (call.id, call.revision, person),
    )
    return row is not None


async def prune(db: Database, before: float) -> int:
    """Forget calls that came to an end, with where they were shown, once their time was over
    before that."""
    async with db.transaction() as tx:
        count = await tx.execute(
            "DELETE FROM parked WHERE expires_at < ?"
            " AND state IN ('done', 'failed', 'unknown', 'cancelled', 'expired', 'void')",
            (before,),
        )
        await tx.execute("DELETE FROM card_copies WHERE call NOT IN (SELECT id FROM parked)")
        await tx.execute("DELETE FROM card_readings WHERE call NOT IN (SELECT id FROM parked)")
    return count


def _readable(row: Row) -> ParkedCall | None:
    try:
        return _call(row)
    except ValueError:
        log.exception(
            "a row cannot be read", extra={"action": "call.unreadable", "call": row["id"]}
        )
        return None


def _call(row: Row) -> ParkedCall:
    moved: dict[str, Any] = {
        "number": row["seq"],
        "state": row["state"],
        "revision": row["revision"],
        "moves": row["moves"],
        "expires_at": row["expires_at"],
    }
    return replace(unpacked(ParkedCall, row["body"]), **moved)
