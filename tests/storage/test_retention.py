"""What is past its time is forgotten, and nothing before."""

from core.records import Answer
from core.storage import inbox, threads
from core.storage.database import Database
from core.storage.retention import DAY, Retention, sweep
from tests.storage import examples

RETENTION = Retention(inbox=7, outbox=7, evidence=30, turns=90)


async def finished(db: Database, delivery: str, at: float) -> None:
    await examples.put(db, examples.question(delivery), at)
    [claim] = await inbox.claim(db, "o", now=at, lease=at + 30)
    answer = Answer(text="Done.")
    assert await inbox.finish(
        db, claim.turn, "done", answer, [examples.post("p" + delivery)], now=at
    )


async def test_a_sweep_forgets_finished_rows_of_their_age_alone(database: Database) -> None:
    for day in (0, 50, 95):
        await finished(database, f"d{day}", day * DAY)
    await examples.put(database, examples.question("open"), 0.0)

    gone = await sweep(database, RETENTION, now=100 * DAY)

    assert (gone["inbox"], gone["turns"]) == (2, 1)
    assert len(await threads.finished(database, examples.thread())) == 2
    rows = await database.fetch("SELECT delivery FROM inbox ORDER BY seq")
    assert [row["delivery"] for row in rows] == ["d95", "open"]


async def test_delivery_keys_are_kept_for_three_days_whatever_is_asked(database: Database) -> None:
    await finished(database, "d", 0.0)

    gone = await sweep(database, Retention(inbox=0), now=2.9 * DAY)

    assert gone["inbox"] == 0
