"""Decisions: who agreed to what, for ever."""

from dataclasses import dataclass

from core.cards import Button, CallId
from core.parked import ParkedCall
from core.records import Json, PersonId
from core.storage.bodies import storable
from core.storage.database import Statements, Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One click that moved a parked call."""

    person: PersonId
    button: Button
    verdict: str
    """`agreed` (others have to as well), `approved`, `edited`, `cancelled`, `said_sent`,
    `prepared_again`."""
    policy_version: str
    """Of the rules that allowed it."""
    reason: str = ""
    delivery: str = ""
    at: float


async def add(tx: Transaction, before: ParkedCall, after: ParkedCall, decision: Decision) -> None:
    """Write the decision that moved `before` to `after`, in the transaction of that move. The
    digest is that of what was decided about: after an edit, of the new revision."""
    await tx.execute(
        """
        INSERT INTO decisions (call, moves, number, revision, tool, person, button, verdict, digest,
                               policy_version, reason, delivery, decided_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            before.id,
            before.moves + 1,
            before.number,
            after.revision,
            before.tool,
            decision.person,
            decision.button,
            decision.verdict,
            after.digest,
            decision.policy_version,
            storable(decision.reason),
            decision.delivery,
            decision.at,
        ),
    )


async def of_call(db: Statements, call: CallId) -> list[Json]:
    rows = await db.fetch("SELECT * FROM decisions WHERE call = ? ORDER BY seq", (call,))
    return [dict(row) for row in rows]


async def settle(tx: Transaction, call: ParkedCall, *, now: float) -> None:
    """What came of the call; the last word counts."""
    await tx.execute(
        """
        INSERT INTO outcomes (call, state, request_id, ended_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (call) DO UPDATE SET state = excluded.state, ended_at = excluded.ended_at
        """,
        (call.id, call.state, storable(call.request_id), now),
    )


async def export(db: Statements, since: float = 0.0) -> list[Json]:
    """Every decision since then, the oldest first, for `countersign export decisions`.

    The decision that a call was carried out on also says what came of it: `outcome` is `done`,
    `failed` or `unknown`, `request_id` the provider's; both are empty elsewhere.
    """
    rows = await db.fetch(
        """
        SELECT d.*, o.state AS outcome, o.request_id AS request_id,
               (SELECT max(last.moves) FROM decisions AS last
                WHERE last.call = d.call AND last.verdict = 'approved') AS carried_out_on
        FROM decisions AS d LEFT JOIN outcomes AS o ON o.call = d.call
        WHERE d.decided_at >= ? ORDER BY d.seq
        """,
        (since,),
    )
    return [_exported(dict(row)) for row in rows]


async def prune(db: Statements, before: float) -> int:
    """Forget decisions that are older, and what came of them."""
    await db.execute("DELETE FROM outcomes WHERE ended_at < ?", (before,))
    return await db.execute("DELETE FROM decisions WHERE decided_at < ?", (before,))


def _exported(row: Json) -> Json:
    is_last = row["verdict"] == "approved" and row["moves"] == row["carried_out_on"]
    told = {key: row[key] if is_last and row[key] else "" for key in ("outcome", "request_id")}
    kept = {k: v for k, v in row.items() if k not in ("seq", "moves", "carried_out_on")}
    return {**kept, **told}
