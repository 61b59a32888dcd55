"""How long things are kept, and the sweep that forgets what is older."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from core.records import TurnId
from core.storage import (
    decisions,
    evidence,
    files,
    inbox,
    kept,
    moments,
    notes,
    outbox,
    parked,
    posted,
    ratings,
    reservations,
    threads,
)
from core.storage.database import Database

DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Days. Delivery keys are in the inbox: Slack repeats a delivery for up to a day, so its
    rows are kept for at least three."""

    inbox: float = 7
    outbox: float = 7
    evidence: float = 30
    """Also of what turns noted of themselves."""
    turns: float = 90
    """Also of parked calls that came to an end, and of what people thought of answers."""
    decisions: float = 400


Forget = Callable[[Sequence[TurnId]], Awaitable[object]]
"""Takes turns out of the search index, before they themselves are forgotten."""
BATCH = 500


async def unindexed(turns: Sequence[TurnId]) -> None:
    """There is no index."""


async def sweep(
    db: Database, retention: Retention, *, now: float, forget: Forget = unindexed
) -> dict[str, int]:
    """Forget what is past its time; how many rows of each kind went."""

    def before(days: float) -> float:
        return now - days * DAY

    return {
        "inbox": await inbox.prune(db, before(max(3.0, retention.inbox))),
        "outbox": await outbox.prune(db, before(retention.outbox)),
        "kept": await kept.prune(db, before(retention.outbox)),
        "evidence": await evidence.prune(db, before(retention.evidence)),
        "posted": await posted.prune(db, before(retention.evidence)),
        "files": await files.prune(db, before(retention.evidence)),
        "notes": await notes.prune(db, before(retention.evidence)),
        "turns": await _forget_turns(db, before(retention.turns), forget),
        "ratings": await ratings.prune(db, before(retention.turns)),
        "parked": await parked.prune(db, before(retention.turns)),
        "decisions": await decisions.prune(db, before(retention.decisions)),
        "reservations": await reservations.settle(db),
        "moments": await moments.prune(db, now=now),
    }


async def _forget_turns(db: Database, before: float, forget: Forget) -> int:
    """First in the index, whose rows have no age of their own: cut short, the next sweep finds
    both again."""
    count = 0
    while turns := await threads.past(db, before, BATCH):
        await forget(turns)
        count += await threads.forget(db, turns)
    return count
