"""A delivery that comes again is one question, however close on the first one it comes."""

import asyncio

import pytest

from core.records import Receipt, TurnId
from core.turn.repeats import REMEMBERED, Repeats


async def test_a_repeat_waits_for_the_delivery_that_is_being_recorded() -> None:
    repeats, recorded, asked = Repeats(), asyncio.Event(), 0

    async def accept() -> Receipt:
        nonlocal asked
        asked += 1
        await recorded.wait()
        return Receipt(kind="accepted", turn=TurnId("t_1"))

    async with asyncio.TaskGroup() as group:
        tries = [group.create_task(repeats.once("d1", accept)) for _ in range(3)]
        await asyncio.sleep(0)
        assert [one.done() for one in tries] == [False] * 3
        recorded.set()
    assert [one.result().kind for one in tries] == ["accepted", "duplicate", "duplicate"]
    assert {one.result().turn for one in tries} == {"t_1"}
    assert asked == 1


async def test_where_the_first_one_failed_the_repeat_is_accepted() -> None:
    repeats, failed = Repeats(), asyncio.Event()

    async def fail() -> Receipt:
        await failed.wait()
        raise OSError

    async def accept() -> Receipt:
        return Receipt(kind="accepted", turn=TurnId("t_1"))

    first = asyncio.create_task(repeats.once("d1", fail))
    await asyncio.sleep(0)
    second = asyncio.create_task(repeats.once("d1", accept))
    failed.set()
    with pytest.raises(OSError):
        await first
    assert (await second).kind == "accepted"


async def test_what_was_forgotten_is_asked_of_the_inbox_again() -> None:
    repeats, asked = Repeats(), 0

    async def accept() -> Receipt:
        nonlocal asked
        asked += 1
        return Receipt(kind="accepted", turn=TurnId(f"t_{asked}"))

    for number in range(REMEMBERED + 1):
        await repeats.once(f"d{number}", accept)
    assert (await repeats.once("d1", accept)).kind == "duplicate"
    assert (await repeats.once("d0", accept)).kind == "accepted"
