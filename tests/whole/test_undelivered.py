"""What Slack does not take, whatever way it was to go out, the one who asked hears of."""

import asyncio
from pathlib import Path

from bot.workspace.slack.records import Fault
from tests.fakes.model_script import Asked, Step, call, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.turn.reading import MENTION

LINES = "".join(f"In week {week} the Nordics sold {week * 17} bicycles.\n\n" for week in range(40))


async def test_case_6_ok_false_is_a_failure_that_the_one_who_asked_hears_of(
    tmp_path: Path,
) -> None:
    read = asyncio.Event()

    def played(asked: Asked) -> Step:
        if "weeks" in asked.last:
            return say(LINES, held=read)
        if "sample_export_sheet" in asked.tools and asked.messages[-1]["role"] != "tool":
            return call("sample_export_sheet", group_by="region")
        return say("Four.")

    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        models.answer(played)
        # Whoever asks for the first time is greeted, and that is over.
        await bot.ask(f"{MENTION} how many products?")
        await bot.settled(20)
        await an_answer(bot)
        await a_file(bot)
        await a_direct_answer(bot)
        await a_command(bot)
        await a_stream(bot, read)
        failed = await bot.bot.rooms.db.fetch("SELECT kind FROM outbox WHERE state = 'failed'")
        assert sorted(row["kind"] for row in failed) == ["answer", "answer", "answer", "file"]


async def an_answer(bot: House) -> None:
    """Nor can the person be told beside the question."""
    bot.slack.fail("chat.postMessage", Fault(error="channel_not_found"))
    bot.slack.fail("chat.postEphemeral", Fault(error="no_permission"))
    ts = await bot.slack.say("mara", "sales", f"{MENTION} how many?")
    told = await newest_direct(bot, "could not post my answer in that channel: `channel_not_found`")
    assert "Four." in told
    assert bot.slack.replies("sales", ts) == []


async def a_file(bot: House) -> None:
    bot.slack.fail("files.completeUploadExternal", Fault(error="not_in_channel"))
    before = len(bot.slack.ephemerals("mara", "sales"))
    await bot.ask(f"{MENTION} put the sales per region into a spreadsheet")
    seen = await bot.slack.wait_for(lambda: bot.slack.ephemerals("mara", "sales")[before:], 20)
    assert ".xlsx into that channel: `not_in_channel`" in seen[-1]["text"]


async def a_direct_answer(bot: House) -> None:
    bot.slack.fail("chat.postMessage", Fault(error="channel_not_found"))
    await bot.slack.say("mara", bot.slack.direct("mara"), "how many, between us?")
    assert "Four." in await newest_direct(bot, "could not post my answer")


async def a_command(bot: House) -> None:
    bot.slack.fail("chat.postEphemeral", Fault(error="user_not_in_channel"))
    await bot.slack.say("mara", "sales", f"{MENTION} usage")
    await newest_direct(bot, "tokens")


async def a_stream(bot: House, read: asyncio.Event) -> None:
    """The channel is archived while the answer is being written there."""
    ts = await bot.slack.say("mara", "sales", f"{MENTION} tell me of all the weeks")
    await bot.slack.wait_for(lambda: bot.slack.replies("sales", ts), 20)
    bot.slack.channel("sales").is_archived = True
    read.set()
    told = await newest_direct(bot, "could not post my answer")
    assert told.count("In week 39 ") == 1


async def newest_direct(bot: House, words: str) -> str:
    """The direct message to Mara that says this, since those that were asked for before."""
    said_there = bot.slack.channel(bot.slack.direct("mara")).messages

    def said() -> str:
        shown = [f"{one.get('blocks')}" for one in said_there.values()]
        return next((one for one in shown if words in one), "")

    found = await bot.slack.wait_for(said, 20)
    await bot.settled(20)
    said_there.clear()
    return found
