"""The sums of the ledger are what its entries add up to, exactly, for every span and name."""

import random
from decimal import Decimal

import pytest

from core.records import Billing, LedgerEntry, PersonId, ThreadId, TurnId, Usage
from core.storage import entries, usage
from core.storage.database import Conflict, Database
from core.storage.usage import DAY, Filter, Sum, picos

NOON = 1_764_590_400.0
"""2025-12-01 12:00 UTC."""


def entry(number: int, at: float, chance: random.Random) -> LedgerEntry:
    price = chance.choice([None, "0", "0.000000000001", "0.0213", "12.3456789", "0.1"])
    likely = chance.choice([None, None, None, "20.5"])
    return LedgerEntry(
        billing=Billing(
            turn=TurnId(f"t{number}"),
            thread=ThreadId(f"slack:T1/C{number % 3}/1"),
            person=PersonId(f"slack:T1/U{number % 4}"),
            place=f"slack:T1/C{number % 3}",
            purpose=chance.choice(["answer", "retrieve"]),
            tool=chance.choice(["", "crm/deals"]),
        ),
        kind=chance.choice(["chat", "embedding", "vision"]),
        provider="openai",
        model=chance.choice(["gpt-5.5", "small"]),
        usage=Usage(input_tokens=chance.randrange(5_000), output_tokens=chance.randrange(900)),
        price=price,
        price_table="test",
        outcome="ok",
        started_at=at,
        seconds=0.1,
        is_partial=likely is not None,
        likely_tokens=0 if likely is None else 7_000,
        likely_price=likely,
    )


async def filled(db: Database, count: int = 60) -> list[LedgerEntry]:
    chance = random.Random(7)
    made = [entry(n, NOON + chance.uniform(-4 * DAY, 4 * DAY), chance) for n in range(count)]
    for one in made:
        await entries.add(db, one)
    return made


def expected(made: list[LedgerEntry], name: str) -> Sum:
    return Sum(
        name,
        uses=len(made),
        calls=sum(one.kind == "chat" for one in made),
        tokens=sum(one.usage.input_tokens + one.usage.output_tokens for one in made),
        picos=sum(picos(one.price) for one in made),
        unpriced=sum(one.price is None or one.is_partial for one in made),
        likely=sum(picos(one.likely_price) - picos(one.price) for one in made if one.is_partial),
    )


@pytest.mark.parametrize(
    ("since", "until"),
    [
        (NOON - 10 * DAY, None),
        (NOON - DAY * 1.3, NOON + DAY * 2.2),
        (NOON - 3_600, NOON + 7_200),
        (NOON - DAY / 2, NOON + DAY / 2),
    ],
)
async def test_every_span_adds_up_to_its_entries(
    database: Database, since: float, until: float | None
) -> None:
    made = await filled(database)
    inside = [
        one for one in made if one.started_at >= since and (not until or one.started_at < until)
    ]
    for by, of in (
        ("person", lambda one: one.billing.person),
        ("place", lambda one: one.billing.place),
        ("model", lambda one: one.model),
        ("tool", lambda one: one.billing.tool),
        ("purpose", lambda one: one.billing.purpose),
        ("day", lambda one: usage.day_of(one.started_at)),
    ):
        found = await usage.sums(database, by, since, until)
        names = {of(one) for one in inside}
        assert {one.name for one in found} == names
        for one in found:
            assert one == expected([e for e in inside if of(e) == one.name], one.name)


async def test_a_filter_counts_nothing_else(database: Database) -> None:
    made = await filled(database)
    only = Filter(person="slack:T1/U1", model="small")
    found = await usage.sums(database, "place", NOON - 10 * DAY, None, only)
    mine = [e for e in made if e.billing.person == "slack:T1/U1" and e.model == "small"]
    assert usage.total(found) == expected(mine, "")


async def test_a_sum_is_exact_to_the_last_digit(database: Database) -> None:
    made = await filled(database)
    exact = sum((Decimal(one.price) for one in made if one.price), Decimal(0))
    found = usage.total(await usage.sums(database, "model", 0.0))
    assert Decimal(found.picos) / 10**12 == exact


async def test_an_entry_is_never_changed_but_for_whom_it_was(database: Database) -> None:
    await filled(database, 3)
    for change in (
        "price = '0'",
        "likely_price = '0'",
        "model = 'free'",
        "turn = 'other'",
        "started_at = 0",
    ):
        with pytest.raises(Conflict):
            await database.execute(f"UPDATE entries SET {change}")
    with pytest.raises(Conflict):
        await database.execute("DELETE FROM entries")
    assert await database.execute("UPDATE entries SET person = 'erased:1'") == 3
