"""Which documents the turns of a thread rest on."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from core.records import ThreadId, TurnId
from core.storage.database import Database, Statements, Transaction


async def note(db: Database, thread: ThreadId, turn: TurnId, documents: Iterable[str]) -> None:
    """From now on the turn rests on these. Durable with the end of the turn at the latest."""
    wanted = sorted(set(documents))

    async def body(tx: Transaction) -> None:
        for document in wanted:
            await tx.execute(
                "INSERT INTO spoken (turn, document, thread) VALUES (?, ?, ?)"
                " ON CONFLICT (turn, document) DO NOTHING",
                (turn, document, thread),
            )

    if wanted:
        await db.write(body, is_durable=False)


async def of_thread(db: Statements, thread: ThreadId) -> dict[TurnId, frozenset[str]]:
    """Turn → documents, for the turns that rest on any."""
    found: defaultdict[TurnId, set[str]] = defaultdict(set)
    for row in await db.fetch("SELECT turn, document FROM spoken WHERE thread = ?", (thread,)):
        found[row["turn"]].add(row["document"])
    return {turn: frozenset(held) for turn, held in found.items()}


async def forget(tx: Statements, turns: Collection[TurnId]) -> None:
    for turn in turns:
        await tx.execute("DELETE FROM spoken WHERE turn = ?", (turn,))
