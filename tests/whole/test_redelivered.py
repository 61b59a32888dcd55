"""Slack delivers again, at once or hours later, and nothing is answered twice."""

import time
from pathlib import Path

import pytest

from tests.fakes.model_script import hang, say
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.turn.reading import MENTION


@pytest.mark.promise("O2", "adapters.slack")
async def test_case_1_four_deliveries_while_the_model_thinks_are_one_answer(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        models.script([hang()])
        blocker = await bot.slack.say("mara", "sales", f"{MENTION} first")
        await models.has_stalled.wait()
        models.script([say("Four.")])
        ts = await bot.slack.say("mara", "sales", f"{MENTION} how many?", blocker)
        await bot.slack.settled()
        event = next(d for d in bot.slack.deliveries if ts in str(d.payload) and d.kind == "event")
        for retry in (1, 2, 3):
            assert (await bot.slack.deliver(event.payload, retry=retry)).status == 200
        await bot.slack.delete("sales", blocker)
        await bot.slack.wait_for(lambda: "Four." in str(bot.slack.replies("sales", blocker)), 20)
        chats = [one for one in models.asked if one.route != "embeddings"]
        assert len([one for one in chats if "how many?" in one.text]) == 1
        assert str(bot.slack.replies("sales", blocker)).count("'text': 'Four.") <= 2
        rows = await bot.bot.rooms.db.fetch("SELECT id FROM inbox")
        assert len(rows) == 2


@pytest.mark.promise("O2", "adapters.slack")
async def test_case_4_the_same_message_hours_later_and_after_a_restart(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models:
        async with house(tmp_path, models=models) as bot:
            models.script([say("Four.")])
            await bot.ask(f"{MENTION} how many?")
            await bot.slack.settled()
            event = next(d for d in bot.slack.deliveries if d.kind == "event").payload
        for hours in (5, 23):

            def later(hours: int = hours) -> float:
                return time.time() + hours * 3600

            async with house(tmp_path, models=models, clock=later) as bot:
                bot.slack.world.clock = later
                asked = len(models.asked)
                assert (await bot.slack.deliver(event, retry=1)).status == 200
                rows = await bot.bot.rooms.db.fetch("SELECT id FROM inbox")
                waiting = await bot.bot.rooms.db.fetch(
                    "SELECT id FROM outbox WHERE state = 'waiting'"
                )
                assert (len(rows), waiting, len(models.asked)) == (1, [], asked)
