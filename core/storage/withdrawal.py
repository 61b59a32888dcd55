"""Ends a question that was taken back, and drops what was about to be said of it."""

from core.records import Turn, TurnId
from core.storage import checkpoints, inbox, outbox, threads
from core.storage.database import Database, Transaction


async def take_back(db: Database, delivery: str, *, now: float) -> Turn | None:
    """End the question of this delivery without a word, and drop what nobody has tried to post of
    it; cards stay, they say what becomes of their call. A turn that had ended before is no part of
    its thread's past any more. The turn; None when the delivery is not known."""

    async def end(tx: Transaction) -> Turn | None:
        row = await tx.fetch_one("SELECT id FROM inbox WHERE delivery = ?", (delivery,))
        if row is None:
            return None
        turn = TurnId(row["id"])
        await tx.execute(
            "UPDATE inbox SET state = 'refused', finished_at = ?, owner = NULL, lease = NULL"
            " WHERE id = ? AND state IN ('new', 'running')",
            (now, turn),
        )
        await checkpoints.forget(tx, turn)
        await outbox.drop(tx, turn)
        await threads.take_back(tx, turn, now=now)
        entry = await inbox.read(tx, turn)
        return entry.turn if entry else None

    found = await db.write(end)
    if found is not None:
        await db.notify(inbox.CHANNEL)
    return found
