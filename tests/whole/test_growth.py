"""A long life of the whole bot: it does not grow, and it loses nothing when it is restarted."""

import asyncio
import gc
import os
from pathlib import Path

import pytest

from bot.workspace.slack_server import SlackStandIn
from tests.fakes.model_script import call, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.turn.reading import MENTION
from tests.whole.process import running
from tests.whole.test_crash import answers, environment

TURNS = 100
AT_ONCE = 20
MEGABYTE = 1024 * 1024


def resident() -> int:
    """Bytes of this process in memory, 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


async def turns(bot: House, count: int) -> None:
    async with asyncio.TaskGroup() as group:
        for number in range(count):
            group.create_task(bot.ask(f"{MENTION} list the products, please ({number})"))


@pytest.mark.promise("X5", "bot")
@pytest.mark.timeout(180)
async def test_many_turns_leave_neither_memory_nor_log_nor_tasks_behind(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models:
        models.answer(
            lambda asked: (
                say("Twelve. [1]")
                if asked.messages[-1]["role"] == "tool"
                else call("sample_list_products")
            )
        )
        async with house(tmp_path, models=models) as bot:
            await turns(bot, AT_ONCE)
            # What the test's own servers remember is not the bot's.
            models.asked.clear()
            gc.collect()
            before, tasks = resident(), len(asyncio.all_tasks())
            for _ in range(TURNS // AT_ONCE):
                await turns(bot, AT_ONCE)
                models.asked.clear()
            gc.collect()

            assert resident() - before < 50 * MEGABYTE
            assert len(asyncio.all_tasks()) <= tasks + 8
            assert (tmp_path / ".state/countersign.db-wal").stat().st_size < 64 * MEGABYTE
            rows = await bot.bot.rooms.db.fetch("SELECT count(*) AS n FROM checkpoints")
            assert rows[0]["n"] == 0
            rows = await bot.bot.rooms.db.fetch("SELECT state FROM inbox WHERE state <> 'done'")
            assert rows == []


@pytest.mark.promise("X1", "bot")
@pytest.mark.timeout(180)
async def test_restarts_under_load_lose_and_double_nothing(tmp_path: Path) -> None:
    """Slack delivers again what found no bot; what was accepted is answered by the next one."""
    asked: list[str] = []
    async with (
        SlackStandIn(pauses=(0.5,) * 40) as slack,
        ModelServer(dimensions=1536) as models,
    ):
        models.answer(lambda _: say("Answered."))
        for _ in range(2):
            async with running(tmp_path, environment=environment(slack, models)) as bot:
                slack.connect(f"{bot.bot}/slack/events")
                asked += [
                    await slack.say("mara", "sales", f"{MENTION} number {len(asked) + n}")
                    for n in range(6)
                ]
                await slack.wait_for(lambda first=asked[-6]: answers(slack, first), 30)
                assert await bot.stop() == 0
        async with running(tmp_path, environment=environment(slack, models)) as bot:
            slack.connect(f"{bot.bot}/slack/events")
            await slack.wait_for(lambda: all(answers(slack, ts) for ts in asked), 60)
            assert await bot.stop() == 0

    assert [len(answers(slack, ts)) for ts in asked] == [1] * len(asked)
