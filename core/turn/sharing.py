"""Shows a place what one person was told there privately, because that person says so."""

from dataclasses import replace

from core.records import PersonId, TurnId
from core.storage import outbox
from core.storage.database import Database
from core.telemetry import logs

NOTHING = "There is nothing of yours here that could be shared."
SHARED = "It stands in the thread now, for all to read."
ALREADY = "It has been shared already."
LEAD = "_Shared by the person who asked, from documents that not everybody here may read._"

log = logs.get(__name__)


async def share(db: Database, person: PersonId, turn: TurnId) -> str:
    """The sentence for the person. What is shared names its sources and opens none of them: who
    reads it here may not read those. Committed when this returns. Raises `Unavailable`."""
    told = await outbox.private_answer(db, turn)
    if told is None or told.person != person or not told.can_share:
        return NOTHING
    words = told.answer.text.partition("\n\n")[2]
    chips = tuple(replace(chip, url="") for chip in told.answer.chips)
    shared = replace(
        told,
        id=f"{turn}.shared",
        kind="answer",
        answer=replace(told.answer, text=f"{LEAD}\n\n{words}", chips=chips),
        can_share=False,
    )
    is_new = await db.write(lambda tx: outbox.put(tx, shared))
    if not is_new:
        return ALREADY
    await db.notify(outbox.channel(shared.surface))
    log.info("answer.shared", turn=turn)
    return SHARED
