"""A person stops a turn: it ends at once, nothing is posted, and the thread goes on."""

import asyncio
import time
from collections.abc import Callable

import pytest
from mcp.server.mcpserver import MCPServer

from bot.workspace.slack.thread_methods import react
from core.storage import ratings
from tests.fakes.mcp_modern import modern_server
from tests.fakes.model_script import call, say, stall
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.turn.reading import MENTION, text_of, turn_ids


async def over(seconds: float = 10.0) -> None:
    """Once no turn runs any more."""
    running = [task for task in asyncio.all_tasks() if task.get_name().startswith("turn ")]
    if running:
        _, late = await asyncio.wait(running, timeout=seconds)
        assert not late


@pytest.mark.parametrize("side", ["slack"])
async def test_case_33_the_word_ends_a_running_turn_and_nothing_is_posted(
    bot: House, models: ModelServer
) -> None:
    models.script([stall("So far so good.\n\n" * 60), say("Next.")])
    ts = await bot.slack.say("mara", "sales", f"{MENTION} tell me everything")
    async with asyncio.timeout(20):
        await models.has_stalled.wait()
    await bot.slack.wait_for(lambda: bot.slack.replies("sales", ts), 10)

    await bot.slack.say("mara", "sales", f"{MENTION} stop", ts)
    await over()

    (left,) = bot.slack.replies("sales", ts)
    assert "streaming_state" not in left
    assert "_Stopped here._" in str(left["blocks"][-1])
    sent = len(bot.slack.calls("chat.postMessage"))
    *_, answer = await bot.ask(f"{MENTION} and now?", thread_ts=ts, answers=1)
    assert "Next." in answer["text"]
    assert len(bot.slack.calls("chat.postMessage")) == sent + 1


def by_slacks_button(bot: House, ts: str) -> None:
    bot.slack.stop_session("mara", "sales", ts)


def by_a_cross(bot: House, ts: str) -> None:
    place = bot.slack.channel("sales")
    react(bot.slack.world, place, bot.slack.world.message(place, ts), "U0MARA", "x")


@pytest.mark.parametrize("stop", [by_slacks_button, by_a_cross])
@pytest.mark.parametrize("side", ["slack"])
async def test_case_33_within_a_second_all_is_over(
    bot: House, models: ModelServer, stop: Callable[[House, str], None]
) -> None:
    """The quickest of three counts: a busy machine may take longer, waiting for something else
    would always."""
    took: list[float] = []
    for _ in range(3):
        models.has_stalled.clear()
        models.script([stall("So far so good.\n\n" * 60), call("sample_list_products")])
        ts = await bot.slack.say("mara", "sales", f"{MENTION} tell me everything")
        async with asyncio.timeout(20):
            await models.has_stalled.wait()
        await bot.slack.wait_for(lambda ts=ts: bot.slack.replies("sales", ts), 10)
        asked, began = len(models.asked), time.monotonic()
        stop(bot, ts)
        await over()
        took.append(time.monotonic() - began)
        (left,) = bot.slack.replies("sales", ts)
        assert "streaming_state" not in left
        assert bot.slack.world.sessions["C0SALES", ts]["status"] == "active"
        assert len(models.asked) == asked
        written = [call.method for call in bot.slack.world.calls[-1:]]
        assert "chat.postMessage" not in written
        assert await bot.bot.rooms.db.fetch("SELECT id FROM outbox WHERE state = 'waiting'") == []
    assert min(took) < 1.0


@pytest.mark.parametrize("side", ["teams"])
async def test_in_teams_the_word_ends_a_turn_and_its_sign_of_work_goes(
    bot: House, models: ModelServer
) -> None:
    models.script([call("sample_list_products"), stall("So far so good.\n\n" * 60), say("Next.")])
    root = await bot.side.say("mara", "sales", f"{MENTION} tell me everything")
    async with asyncio.timeout(20):
        await models.has_stalled.wait()
    await bot.side.wait_for(lambda: bot.side.public("sales") or None, 10)

    await bot.side.say("mara", "sales", f"{MENTION} stop", thread_ts=root)
    await over()
    assert bot.side.public("sales") == []
    told = await bot.side.wait_for(lambda: bot.side.told("mara", "sales") or None, 10)
    assert "Stopped" in " ".join(told)
    [answer] = await bot.ask(f"{MENTION} and now?", thread_ts=root)
    assert text_of(answer) == "Next."


async def test_case_33_a_tool_that_runs_is_cut_off_and_none_comes_after_it(
    tmp_path, models
) -> None:
    began, calls = asyncio.Event(), []
    server = MCPServer("slow")

    @server.tool()
    async def wait(name: str) -> str:
        calls.append(name)
        began.set()
        await asyncio.sleep(600)
        return "never"

    models.script([call("slow_wait", name="one"), call("slow_wait", name="two"), say("Done.")])
    async with modern_server(server) as url:
        yaml = f"servers: {{slow: {{url: '{url}', accept: first}}}}\n"
        async with house(tmp_path, models=models, yaml=yaml) as bot:
            ts = await bot.slack.say("mara", "sales", f"{MENTION} wait")
            async with asyncio.timeout(20):
                await began.wait()
            bot.slack.stop_session("mara", "sales", ts)
            await over()
            assert calls == ["one"]
            assert bot.slack.replies("sales", ts) == []
            assert bot.slack.world.sessions["C0SALES", ts]["status"] == "active"
            assert ("C0SALES", ts) not in bot.slack.world.statuses


@pytest.mark.parametrize("side", ["slack"])
async def test_a_rating_is_kept_with_its_turn(bot: House, models: ModelServer) -> None:
    models.script([say("**17** orders.")])
    [answer] = await bot.ask(f"{MENTION} how many?")
    await bot.slack.click("tomas", answer, "answer.rate", "negative")
    [turn] = await turn_ids(bot)
    [rated] = await ratings.of_turn(bot.bot.rooms.db, turn)
    assert (rated.person, rated.is_good) == ("slack:T00000001/U0TOMAS", False)
