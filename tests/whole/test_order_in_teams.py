"""A crowd in Teams is answered in order, each question once, and none waits for another thread."""

import asyncio
import re
from pathlib import Path

import pytest

from tests.fakes.model_script import Asked, Step, hang, say
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.sides import MENTION, text_of

LABEL = re.compile(r"label-\d+-\d+")


def played(asked: Asked) -> Step:
    """Answers the newest question with its own label."""
    if "never-ending" in asked.text:
        return hang()
    return say(f"Answer to {LABEL.findall(str(asked.messages[-1]))[-1]}.")


@pytest.mark.promise("O1", "adapters.teams")
@pytest.mark.promise("O2", "adapters.teams")
@pytest.mark.promise("O4", "adapters.teams")
@pytest.mark.promise("O5", "adapters.teams")
async def test_a_crowd_in_teams_is_answered_thread_by_thread_beside_one_that_hangs(
    tmp_path: Path,
) -> None:
    """Every delivery comes three times."""
    async with (
        ModelServer(dimensions=1536) as models,
        house(tmp_path, models=models, side="teams") as bot,
    ):
        models.answer(played)
        stuck = await bot.side.say("mara", "sales", f"{MENTION} never-ending")
        async with asyncio.timeout(20):
            await models.has_stalled.wait()

        async def talk(number: int) -> str:
            root = ""
            for count in range(4):
                words = f"{MENTION} label-{number}-{count}"
                root = root or await bot.side.say_often("mara", "sales", words)
                if count:
                    await bot.side.say_often("mara", "sales", words, root=root)
            return root

        async with asyncio.TaskGroup() as group:
            threads = [group.create_task(talk(number)) for number in range(8)]
        for number, task in enumerate(threads):
            replies = await bot.answers("sales", task.result(), 4, 60)
            told = [LABEL.findall(text_of(reply))[0] for reply in replies]
            assert told == [f"label-{number}-{count}" for count in range(4)]
        assert len(await bot.bot.rooms.db.fetch("SELECT id FROM inbox")) == 33
        assert bot.side.replies("sales", stuck) == []
        await bot.side.delete("mara", "sales", stuck)

        asked = len(models.asked)
        late = await bot.side.say_often("priya", "sales", f"{MENTION} label", seconds_ago=700)
        told = await bot.side.wait_for(
            lambda: [one for one in bot.side.told("priya", "sales") if "again" in one] or None, 20
        )
        assert len(told) == 1
        assert bot.side.replies("sales", late) == [] and len(models.asked) == asked
