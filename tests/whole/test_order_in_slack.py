"""Questions from many threads at once are answered in order, once, and none waits for another."""

import asyncio
import re
import time
from pathlib import Path

import pytest

from tests.fakes.model_script import Asked, Step, hang, say
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.turn.reading import MENTION

LABEL = re.compile(r"label-\d+-\d+")


def played(asked: Asked) -> Step:
    """Answers the newest question with its own label."""
    if "never-ending" in asked.text:
        return hang()
    return say(f"Answer to {LABEL.findall(str(asked.messages[-1]))[-1]}.")


@pytest.mark.promise("O1", "adapters.slack")
@pytest.mark.promise("O2", "adapters.slack")
async def test_a_crowd_in_slack_is_answered_thread_by_thread_in_order(tmp_path: Path) -> None:
    """Every delivery comes three times."""
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        models.answer(played)

        async def talk(number: int) -> str:
            root = ""
            for count in range(4):
                words = f"{MENTION} label-{number}-{count}"
                ts = await bot.slack.say("mara", "sales", words, root or None, is_told=False)
                root = root or ts
                envelope = bot.slack.envelope_for("sales", ts)
                async with asyncio.TaskGroup() as group:
                    for retry in range(3):
                        group.create_task(bot.slack.deliver(envelope, retry=retry))
            return root

        async with asyncio.TaskGroup() as group:
            threads = [group.create_task(talk(number)) for number in range(12)]
        for number, task in enumerate(threads):
            replies = await bot.answers("sales", task.result(), 4, 60)
            told = [LABEL.findall(reply["text"])[0] for reply in replies]
            assert told == [f"label-{number}-{count}" for count in range(4)]
        assert len(await bot.bot.rooms.db.fetch("SELECT id FROM inbox")) == 48


@pytest.mark.promise("O4", "adapters.slack")
async def test_a_thread_in_slack_that_hangs_holds_up_no_other(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        models.answer(played)
        stuck = await bot.slack.say("mara", "sales", f"{MENTION} never-ending")
        async with asyncio.timeout(20):
            await models.has_stalled.wait()
        for number in range(1, 6):
            [reply] = await bot.ask(f"{MENTION} label-{number}-0")
            assert f"label-{number}-0" in reply["text"]
        assert bot.slack.replies("sales", stuck) == []
        await bot.slack.delete("sales", stuck)


@pytest.mark.promise("O5", "adapters.slack")
async def test_a_question_that_slack_brings_too_late_is_not_answered_unasked(
    tmp_path: Path,
) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        models.answer(played)
        bot.slack.world.clock = lambda: time.time() - 700.0
        ts = await bot.slack.say("mara", "sales", f"{MENTION} label-0-0", is_told=False)
        envelope = bot.slack.envelope_for("sales", ts)
        bot.slack.world.clock = time.time
        assert (await bot.slack.deliver(envelope, retry=3)).status == 200
        [told] = await bot.slack.wait_for(lambda: bot.slack.ephemerals("mara", "sales"), 20)
        assert "again" in told["text"]
        assert bot.slack.replies("sales", ts) == [] and models.asked == []
