"""The bot whose power is cut: desk and inbox on SQLite, `DATABASE TOLD COUNT`.

What it has answered stands in the file TOLD, a line each, written after the answer and not synced.
"""

import asyncio
import os
import sys
import time
from itertools import count

from core.approvals.desk import Desk
from core.approvals.rooms import Rooms
from core.parked import Click
from core.records import Answer, Evidence, EvidenceId, Tool
from core.storage import evidence, inbox
from core.storage.database import Database, open_database
from tests.chaos.rooms import rooms, tools
from tests.chaos.storm import ASKER, parked_call
from tests.storage import examples

AT_ONCE = 6
NOWHERE = "http://127.0.0.1:9"


class Told:
    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def say(self, *words: str) -> None:
        os.write(self._file, " ".join(words).encode() + b"\n")


async def main(url: str, told: str, wanted: int) -> None:
    db, said, numbers = await open_database(url), Told(told), count(1)
    async with rooms(db, NOWHERE) as where:
        known = await tools(where)

        async def one() -> None:
            while (number := next(numbers)) <= wanted:
                await _decide(where, said, known, number)
                await _answer(db, said, number)

        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(one())
    await db.close()


async def _decide(where: Rooms, said: Told, known: dict[str, Tool], number: int) -> None:
    placed = await parked_call(where, known, number)
    is_sent = number % 3 > 0
    click = Click(
        delivery=f"d-{number}",
        person=ASKER,
        place="slack:T1/C1",
        call=placed.call.id,
        revision=1,
        button="send" if is_sent else "cancel",
    )
    if (await Desk(where).decide(click)).kind == "recorded":
        said.say("decided", placed.call.id, "approved" if is_sent else "cancelled")


async def _answer(db: Database, said: Told, number: int) -> None:
    """A question from its acceptance to its answer, with what may be written late in between."""
    asked = examples.question(f"q-{number}", in_thread=number)
    placed = await inbox.put(db, asked, examples.TurnId(f"q_{number}"), model="", agent="", now=1.0)
    said.say("accepted", placed.turn)
    claims = await inbox.claim(db, "one", now=2.0, lease=time.time() + 600)
    for turn in (claim.turn for claim in claims):
        await evidence.keep(db, _found(turn.id, turn.question.thread))
        if await inbox.finish(db, turn, "done", Answer(text="So much."), (), now=3.0):
            said.say("answered", turn.id)


def _found(turn: examples.TurnId, thread: examples.ThreadId) -> Evidence:
    return Evidence(
        id=EvidenceId(f"{turn}-1"),
        turn=turn,
        thread=thread,
        person=ASKER,
        tool="post/look",
        title="Found",
        arguments={},
        text="row " * 900,
        made_at=2.5,
    )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
