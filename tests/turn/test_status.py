"""What a turn is doing is shown beside its work."""

import asyncio
from typing import Any

import pytest

from core.turn.status import Status

ADDRESS: dict[str, Any] = {"channel": "C1"}


class Board:
    """A platform that shows a word once it is let."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.asked = asyncio.Event()
        self.may = asyncio.Event()
        self.told: asyncio.Queue[str] = asyncio.Queue()

    async def progress(self, address: object, text: str) -> None:
        self.asked.set()
        await self.may.wait()
        self.shown.append(text)
        self.told.put_nowait(text)


class Broken(Board):
    async def progress(self, address: object, text: str) -> None:
        self.shown.append(text)
        self.told.put_nowait(text)
        raise RuntimeError("no such client")


async def test_no_step_waits_for_a_slow_platform_and_only_the_newest_word_is_said():
    board = Board()
    async with Status(board, ADDRESS) as status:  # type: ignore[arg-type]
        await status.say("is thinking…")
        await board.asked.wait()
        await status.say("is working: old…")
        await status.say("is working: new…")
        assert board.shown == []
        board.may.set()
        assert await board.told.get() == "is thinking…"
        assert await board.told.get() == "is working: new…"
    assert board.shown == ["is thinking…", "is working: new…"]


async def test_the_end_waits_for_the_word_that_is_under_way_and_says_no_other():
    board = Board()
    status = Status(board, ADDRESS)  # type: ignore[arg-type]
    await status.say("is thinking…")
    await board.asked.wait()
    await status.say("is working…")
    ending = asyncio.create_task(status.end())
    await asyncio.sleep(0)
    assert not ending.done()
    board.may.set()
    await ending
    assert board.shown == ["is thinking…"]


async def test_a_turn_that_fails_does_not_wait():
    board = Board()
    with pytest.raises(ValueError, match="the turn"):
        async with Status(board, ADDRESS) as status:  # type: ignore[arg-type]
            await status.say("is thinking…")
            await board.asked.wait()
            raise ValueError("the turn")
    assert board.shown == []


async def test_a_platform_client_that_breaks_costs_no_turn():
    board = Broken()
    async with Status(board, ADDRESS) as status:  # type: ignore[arg-type]
        await status.say("is thinking…")
        await board.told.get()
        await status.say("is working…")
        await board.told.get()
    assert board.shown == ["is thinking…", "is working…"]
