"""A person's queries go out at the pace of the service: in order, or with a sentence."""

import asyncio

import pytest

from core.records import PersonId
from core.specialists.dax.failures import DaxFailed
from core.specialists.dax.pace import PATIENCE, Pace

ANN, BO = PersonId("ann"), PersonId("bo")


class Clock:
    """Time passes when somebody sleeps, and not otherwise."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)
        self.now += seconds


async def test_the_hundred_and_twenty_first_query_of_a_minute_waits_for_its_turn() -> None:
    clock = Clock()
    pace = Pace(clock, clock.sleep)
    for _ in range(120):
        await pace.turn(ANN)
        clock.now += 0.4
    assert clock.now == pytest.approx(1_048.0)
    await pace.turn(ANN)
    assert clock.now == pytest.approx(1_060.0)


async def test_a_person_who_used_up_the_minute_holds_nobody_else_up() -> None:
    clock = Clock()
    pace = Pace(clock, clock.sleep, most=2)
    for _ in range(2):
        await pace.turn(ANN)
    await pace.turn(BO)
    assert clock.now == 1_000.0


async def test_a_wait_that_is_longer_than_anybodys_patience_is_a_sentence() -> None:
    clock = Clock()
    pace = Pace(clock, clock.sleep, most=1)
    await pace.turn(ANN)
    with pytest.raises(DaxFailed) as failed:
        await pace.turn(ANN)
    assert failed.value.kind == "throttled"
    assert "ask again in 60 s" in failed.value.sentence
    assert clock.now == 1_000.0


async def test_when_the_service_asks_for_a_pause_the_next_query_keeps_it() -> None:
    clock = Clock()
    pace = Pace(clock, clock.sleep)
    await pace.hold(ANN, PATIENCE)
    await pace.turn(ANN)
    assert clock.now == 1_000.0 + PATIENCE


async def test_those_who_wait_together_go_one_after_the_other() -> None:
    clock = Clock()
    pace = Pace(clock, clock.sleep, most=10)
    went: list[float] = []

    async def one() -> None:
        await pace.turn(ANN)
        went.append(clock.now)
        clock.now += 5.0

    async with asyncio.TaskGroup() as group:
        for _ in range(14):
            group.create_task(one())
    assert all(len([at for at in went if start <= at < start + 60.0]) <= 10 for start in went)
    assert len(went) == 14
