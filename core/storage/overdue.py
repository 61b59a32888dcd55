"""Measures what somebody has to look at: outcomes nobody knows, calls nobody begins, budgets."""

from dataclasses import dataclass

from core.storage.database import Statements


@dataclass(frozen=True, slots=True, kw_only=True)
class Overdue:
    """Times are seconds since the epoch; None where there is nothing."""

    unknown: int = 0
    """Calls whose outcome nobody knows and nobody has looked up."""
    oldest_unknown: float | None = None
    oldest_approved: float | None = None
    """Since when a call has been approved without being begun."""
    warned: int = 0
    """Budgets of which four fifths were used up within the last day."""


async def overdue(db: Statements, *, now: float) -> Overdue:
    row = await db.fetch_one(
        """
        SELECT (SELECT count(*) FROM outcomes AS o JOIN parked AS p ON p.id = o.call
                WHERE o.state = 'unknown' AND p.state = 'unknown') AS unknown,
               (SELECT min(o.ended_at) FROM outcomes AS o JOIN parked AS p ON p.id = o.call
                WHERE o.state = 'unknown' AND p.state = 'unknown') AS oldest_unknown,
               (SELECT min(d.decided_at) FROM parked AS p JOIN decisions AS d ON d.call = p.id
                WHERE p.state = 'approved' AND d.verdict = 'approved') AS oldest_approved,
               (SELECT count(*) FROM budget_warnings WHERE warned_at > ?) AS warned
        """,
        (now - 86_400,),
    )
    return Overdue(**row) if row else Overdue()
