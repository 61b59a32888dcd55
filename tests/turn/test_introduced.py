"""The model knows who asks and which day it is there, as far as the platform says."""

import asyncio
import time
from pathlib import Path

import pytest

from core.policy.guards import Choice
from core.records import Person, Turn, TurnId
from core.storage.database import Database
from core.turn import run
from core.turn.setup import Setup
from core.turn.steering import Steering
from tests.fakes.model_script import say
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.storage.examples import question
from tests.turn.reading import MENTION, chat

NEW_YEARS_EVE = 1_798_756_200.0
"""31 December 2026, 22:30 in UTC: 1 January 2027 in Auckland."""


async def test_today_is_the_day_of_the_one_who_asks(tmp_path: Path, models: ModelServer) -> None:
    models.script([say("Happy new year.")])
    shift = NEW_YEARS_EVE - time.time()
    async with house(tmp_path, models=models, clock=lambda: time.time() + shift) as bot:
        bot.slack.world.clock = bot.bot.rooms.clock
        bot.slack.member("mara").tz = "Pacific/Auckland"
        await bot.ask(f"{MENTION} which day is it?")
    system = chat(models)[0].messages[0]["content"]
    assert "Friday, 01 January 2027" in system
    assert "You are asked by Mara Lindqvist in" in system


class Silent:
    """A platform that does not say who somebody is."""

    async def profile(self, person: Person) -> Person:
        await asyncio.Event().wait()
        return person


async def test_a_platform_that_does_not_say_who_asks_holds_no_answer_up(
    monkeypatch: pytest.MonkeyPatch, sqlite: Database
) -> None:
    monkeypatch.setattr(run, "PROFILE_SECONDS", 0.0)
    turn = Turn(
        id=TurnId("t_1"),
        question=question("1"),
        model="demo",
        agent="",
        attempt=1,
        accepted_at=1.0,
    )
    steering = Steering(sqlite, Setup(models=("demo",), default=Choice(model="demo", agent="")))
    assert await run._introduced(turn, Silent(), steering) == turn  # type: ignore[arg-type]
