"""How long things are kept, and the sweep that forgets what is older."""

from dataclasses import dataclass

from core.storage import (
    decisions,
    evidence,
    files,
    inbox,
    kept,
    notes,
    outbox,
    parked,
    posted,
    ratings,
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


async def sweep(db: Database, retention: Retention, *, now: float) -> dict[str, int]:
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
        "turns": await threads.prune(db, before(retention.turns)),
        "ratings": await ratings.prune(db, before(retention.turns)),
        "parked": await parked.prune(db, before(retention.turns)),
        "decisions": await decisions.prune(db, before(retention.decisions)),
    }
