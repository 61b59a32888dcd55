"""Budgets: refused before the work, overspent by one call at most, warned of once."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from core.storage import entries
from core.storage.usage import PICOS
from tests.fakes.model_script import say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.sides import MENTION
from tests.storage.examples import entry
from tests.turn.reading import chat
from tests.turn.steering import ADMINS, ordered, words_of

BUDGETS = f"""
policy: {{{ADMINS}, rules: [{{offer: "server:sample"}}]}}
budgets:
  limits:
    - {{for: everyone, together: %s, per: day}}
"""


@pytest.fixture
async def bot(tmp_path: Path, models: ModelServer, side: str) -> AsyncIterator[House]:
    async with house(tmp_path, models=models, side=side, yaml=BUDGETS % "0.01") as running:
        yield running


async def spent(bot: House) -> Decimal:
    row = await bot.bot.rooms.db.fetch_one("SELECT sum(picos) AS n FROM usage_days")
    return Decimal(int(row["n"] or 0) if row else 0) / PICOS


async def dearest(bot: House) -> Decimal:
    rows = await bot.bot.rooms.db.fetch("SELECT price FROM entries WHERE price IS NOT NULL")
    return max(Decimal(row["price"]) for row in rows)


async def test_twenty_questions_at_once_overspend_a_cent_by_one_call_at_most(
    bot: House, models: ModelServer
) -> None:
    """Peers' case 39."""
    models.answer(lambda asked: say("word " * 600))
    async with asyncio.TaskGroup() as group:
        for number in range(20):
            text = f"{MENTION} question {number}, please answer at length"
            group.create_task(bot.side.say("tomas", "sales", text))
    await settled(bot)
    assert await spent(bot) <= Decimal("0.01") + await dearest(bot)
    rows = await bot.bot.rooms.db.fetch("SELECT state FROM inbox")
    states = [row["state"] for row in rows]
    assert len(states) == 20 and "refused" in states
    assert set(states) <= {"refused", "done", "failed"}


@pytest.mark.promise("L5", "core.ledger")
async def test_a_used_up_budget_refuses_in_words_before_anything_is_asked(
    bot: House, models: ModelServer
) -> None:
    models.answer(lambda asked: say("word " * 1_500))
    while await spent(bot) < Decimal("0.01"):
        await bot.ask(f"{MENTION} at length, please", answers=0)
    before = len(chat(models))
    await bot.side.say("tomas", "sales", f"{MENTION} one more?")
    await bot.side.wait_for(lambda: refusals(bot) or None, 10.0)
    assert "budget of everyone for the day is used up" in refusals(bot)[0]
    assert len(chat(models)) == before


async def test_admins_are_warned_once_and_can_raise_a_budget(
    tmp_path: Path, models: ModelServer, side: str
) -> None:
    """Peers' case 41."""
    models.answer(lambda asked: say("Yes."))
    async with house(tmp_path, models=models, side=side, yaml=BUDGETS % "5") as bot:
        # In Teams somebody can be written to once they were met.
        await ordered(bot, "mara", "budget all")
        spent_before = replace(entry("t_old", "4.1"), started_at=time.time())
        await entries.add(bot.bot.rooms.db, spent_before)
        db = bot.bot.rooms.db
        for _ in range(2):
            await bot.ask(f"{MENTION} is it so?", person="tomas")
        await bot.settled()
        assert len(await db.fetch("SELECT * FROM budget_warnings")) == 1
        [post] = await db.fetch("SELECT * FROM outbox WHERE id LIKE 'budget:%'")
        assert "is used to 8" in post["body"] and bot.side.person("mara") in post["body"]
        told = words_of(await ordered(bot, "mara", "budget everyone 100 a day"))
        assert "$100.00 a day for everyone" in told
        assert bot.bot.rooms.setup.budgets.limits[0].origin
        assert "$100.00" in words_of(await ordered(bot, "tomas", "budget"))


async def test_an_unpriced_model_is_refused_where_money_is_counted(
    tmp_path: Path, models: ModelServer, side: str
) -> None:
    """Peers' case 37."""
    named = {"COUNTERSIGN_MODEL": "openai:nobody-knows-its-price"}
    async with house(
        tmp_path, models=models, side=side, yaml=BUDGETS % "5", environment=named
    ) as bot:
        await bot.side.say("tomas", "sales", f"{MENTION} what did we sell?")
        await bot.side.wait_for(lambda: refusals(bot) or None, 10.0)
        assert "is not known here" in refusals(bot)[0]
        assert chat(models) == []
        rows = await bot.bot.rooms.db.fetch("SELECT kind FROM entries WHERE kind = 'chat'")
        assert rows == []


def refusals(bot: House) -> list[str]:
    return [one for one in bot.side.told("tomas", "sales") if "budget" in one or "price" in one]


async def settled(bot: House) -> None:
    async with asyncio.timeout(30):
        db = bot.bot.rooms.db
        while True:
            rows = await db.fetch("SELECT state FROM inbox")
            open_ones = [row for row in rows if row["state"] in ("new", "running")]
            if len(rows) == 20 and not open_ones:
                return
            await db.wait("test", 0.1)
