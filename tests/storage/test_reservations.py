"""A budget is overspent by one call at most, whoever asks at once, on either engine."""

import asyncio
import random

import pytest

from core.errors import OverBudget
from core.records import Billing, LedgerEntry, PersonId, TurnId, Usage
from core.storage import admitting, entries, reservations
from core.storage.database import Database, Transaction
from core.storage.reservations import Amount, Cap, Standing
from tests.storage.examples import question

DAY = "2026-12-01"
NOW = 1_796_083_200.0
"""2026-12-01, midnight UTC."""
EVERYONE = Cap(key="everyone", span=DAY, unit="picos", limit=1_000, scopes=("everyone",))


async def asked(db: Database, number: int, want: int, cap: Cap = EVERYONE) -> bool:
    """Whether the question was let in."""
    turn = TurnId(f"t_{number}")

    async def admit(tx: Transaction) -> None:
        who = (PersonId(f"slack:T1/U{number % 3}"), "slack:T1/C1")
        found = await reservations.admit(tx, db.dialect, turn, who, Amount(want, 0), [cap], now=NOW)
        if found is not None:
            raise OverBudget("no")

    try:
        asking = question(f"d{number}", number)
        await admitting.put(db, asking, turn, admit, model="m", agent="", now=NOW)
    except OverBudget:
        return False
    return True


async def held(db: Database, number: int, want: int) -> Standing | None:
    who = (PersonId(f"slack:T1/U{number % 3}"), "slack:T1/C1")
    return await db.write(
        lambda tx: reservations.hold(
            tx, db.dialect, TurnId(f"t_{number}"), who, Amount(want, 0), [EVERYONE], now=NOW
        )
    )


async def spend(db: Database, number: int, picos: int, want: int, *, is_cut: bool = False) -> None:
    """`is_cut`: the provider never said what it counted, and the amount is an estimate."""
    price = f"0.{picos:012d}"
    turn = TurnId(f"t_{number}")
    await entries.add(
        db,
        LedgerEntry(
            billing=Billing(
                turn=turn,
                thread=question("d").thread,
                person=PersonId(f"slack:T1/U{number % 3}"),
                place="slack:T1/C1",
            ),
            kind="chat",
            provider="openai",
            model="m",
            usage=Usage(),
            price=None if is_cut else price,
            is_partial=is_cut,
            likely_price=price if is_cut else None,
            price_table="t",
            outcome="ok",
            started_at=NOW,
            seconds=0.0,
        ),
    )
    await db.write(lambda tx: reservations.let_go(tx, turn, Amount(want, 0)))


async def test_a_question_gets_all_it_wants_or_the_rest_and_the_next_is_refused(
    database: Database,
) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(asked(database, number, 400)) for number in range(20)]
    assert sum(task.result() for task in tasks) == 3
    rows = await database.fetch("SELECT picos, clipped FROM reservations ORDER BY picos")
    assert [(row["picos"], row["clipped"]) for row in rows] == [
        (200, "everyone"),
        (400, ""),
        (400, ""),
    ]
    refused = await database.fetch("SELECT id FROM inbox")
    assert len(refused) == 3


@pytest.mark.parametrize("seed", range(3))
async def test_calls_side_by_side_overspend_by_one_at_most(database: Database, seed: int) -> None:
    dice = random.Random(seed)
    most = 150

    async def turn(number: int) -> None:
        if not await asked(database, number, 5 * most):
            return
        for _ in range(5):
            if await held(database, number, most) is not None:
                break
            await asyncio.sleep(0)
            is_cut = dice.random() < 0.3
            await spend(database, number, dice.randint(1, most), most, is_cut=is_cut)
        await database.execute("UPDATE inbox SET state = 'done' WHERE id = ?", (f"t_{number}",))

    async with asyncio.TaskGroup() as group:
        for number in range(20):
            group.create_task(turn(number))
    [row] = await database.fetch("SELECT picos FROM spent WHERE scope = 'everyone' AND span = ?",
                                 (DAY,))  # fmt: skip
    assert row["picos"] <= EVERYONE.limit + most


async def test_what_an_ended_turn_reserved_is_free_again_also_after_a_crash(
    database: Database,
) -> None:
    assert await asked(database, 1, 1_000)
    assert not await asked(database, 2, 10)
    await database.execute("UPDATE inbox SET state = 'dead' WHERE id = 't_1'")
    assert await asked(database, 2, 10)
    assert await reservations.settle(database) == 1


async def test_a_group_spends_together_and_others_do_not_count(database: Database) -> None:
    cap = Cap(key="g", span=DAY, unit="picos", limit=100, members=lambda id: id.endswith("/U1"))
    assert await asked(database, 1, 60, cap)
    await spend(database, 1, 30, 0)
    await spend(database, 2, 999, 0)
    [found] = await reservations.standings(database, [cap])
    assert (found.spent, found.reserved, found.left) == (30, 30, 40)


async def test_a_warning_is_given_once_in_a_span(database: Database) -> None:
    assert await database.write(lambda tx: reservations.warn(tx, "k", DAY, now=NOW))
    assert not await database.write(lambda tx: reservations.warn(tx, "k", DAY, now=NOW))
    assert await database.write(lambda tx: reservations.warn(tx, "k", "2026-12-02", now=NOW))
