"""Everything that is kept of one person, as they may take it with them."""

from core.records import Json, PersonId
from core.storage.database import Statements
from core.storage.usage import PICOS


async def export(db: Statements, person: PersonId) -> Json:
    """Their questions and answers, evidence by name, decisions, ratings, and what they used. No
    token is in it."""
    turns = await db.fetch(
        "SELECT turn, place, question, answer, outcome, asked_at, finished_at FROM turns"
        " WHERE person = ? ORDER BY asked_at",
        (person,),
    )
    evidence = await db.fetch(
        "SELECT id, turn, tool, made_at FROM evidence WHERE person = ? ORDER BY made_at", (person,)
    )
    decisions = await db.fetch(
        "SELECT number, tool, button, verdict, reason, decided_at FROM decisions"
        " WHERE person = ? ORDER BY seq",
        (person,),
    )
    ratings = await db.fetch(
        "SELECT turn, is_good, rated_at FROM ratings WHERE person = ? ORDER BY rated_at", (person,)
    )
    used = await db.fetch(
        "SELECT day, place, model, tool, purpose, uses, calls, tokens, picos, unpriced"
        " FROM usage_days WHERE person = ? ORDER BY day",
        (person,),
    )
    linked = await db.fetch("SELECT linked_at FROM links WHERE person = ?", (person,))
    return {
        "person": person,
        "turns": [dict(row) for row in turns],
        "evidence": [dict(row) for row in evidence],
        "decisions": [dict(row) for row in decisions],
        "ratings": [dict(row) for row in ratings],
        "used": [{**row, "picos": None, "dollars": str(row["picos"] / PICOS)} for row in used],
        "accounts_linked_at": [row["linked_at"] for row in linked],
    }
