"""A question that its person deletes is answered no more, and nothing of it is carried out."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.parked import ParkedCall
from core.records import TurnId
from core.storage import evidence, inbox, parked
from tests.fakes.model_script import call, hang, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.turn.reading import MENTION
from tests.whole.test_approval import buttons, cards

MAIL = call("office_send_mail", to=["priya@larkspur.example"], subject="Q3", body="Nordics lead.")


def hears_deletions(bot: House) -> None:
    """As an app that has subscribed to what is said in channels; direct messages come anyway."""
    app = bot.slack.world.app
    bot.slack.world.app = replace(app, subscriptions=app.subscriptions | {"message.channels"})


async def the_turn(bot: House) -> inbox.Entry:
    [row, *_] = await bot.bot.rooms.db.fetch("SELECT id FROM inbox")
    entry = await inbox.read(bot.bot.rooms.db, TurnId(row["id"]))
    assert entry is not None
    return entry


async def the_call(bot: House) -> ParkedCall:
    [found] = await parked.of_turn(bot.bot.rooms.db, (await the_turn(bot)).turn.id)
    return found


async def waiting_posts(bot: House) -> list[Any]:
    sql = "SELECT kind FROM outbox WHERE state = 'waiting' AND kind <> 'card'"
    return await bot.bot.rooms.db.fetch(sql)


@pytest.mark.parametrize("is_dm", [False, True])
async def test_case_28_a_turn_that_runs_is_stopped_and_nothing_is_said(
    tmp_path: Path, is_dm: bool
) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        hears_deletions(bot)
        where = bot.slack.direct("mara") if is_dm else "sales"
        models.script([MAIL, hang()])
        ts = await bot.slack.say("mara", where, f"{MENTION} mail the Q3 to Priya")
        await models.has_stalled.wait()
        assert (await the_call(bot)).state == "parked"
        await bot.slack.delete(where, ts)
        await bot.slack.settled()
        assert ((await the_turn(bot)).state, bot.bot.lanes.running) == ("refused", 0)
        assert (await the_call(bot)).state == "void"
        assert await waiting_posts(bot) == []
        assert await bot.bot.rooms.db.fetch("SELECT * FROM turns") == []
        models.script([say("Another answer.")])
        await bot.ask(f"{MENTION} what else?", channel=where)


async def test_case_28_an_answered_question_takes_its_cards_with_it(tmp_path: Path) -> None:
    """Its message has replies by then, and leaves a tombstone."""
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        hears_deletions(bot)
        models.script([MAIL, say("It waits as #1.")])
        [first, *_] = await bot.ask(f"{MENTION} mail the Q3 to Priya")
        ts = first["thread_ts"]
        said = await bot.answers("sales", ts, 2)
        assert any(buttons(message) for message in cards(bot, ts))
        await bot.slack.delete("sales", ts)
        await bot.slack.settled()
        assert (await the_call(bot)).state == "void"
        await bot.slack.wait_for(lambda: not any(buttons(m) for m in cards(bot, ts)), 10)
        assert "The question was taken back. Nothing was sent." in str(cards(bot, ts))
        assert len(bot.slack.replies("sales", ts)) == len(said)


async def test_a_question_that_still_waits_for_its_turn_is_never_begun(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        hears_deletions(bot)
        models.script([hang()])
        root = await bot.slack.say("mara", "sales", f"{MENTION} first")
        await models.has_stalled.wait()
        second = await bot.slack.say("mara", "sales", f"{MENTION} second", root)
        await bot.slack.settled()
        await bot.slack.delete("sales", second)
        await bot.slack.settled()
        rows = await bot.bot.rooms.db.fetch("SELECT state FROM inbox ORDER BY seq")
        assert [row["state"] for row in rows] == ["running", "refused"]
        await bot.slack.delete("sales", root)
        await bot.slack.settled()
        assert bot.bot.lanes.running == 0
        assert not any("second" in asked.text for asked in models.asked)


async def test_what_is_deleted_beside_the_question_changes_nothing(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        hears_deletions(bot)
        models.script([MAIL, say("It waits as #1.")])
        [first, *_] = await bot.ask(f"{MENTION} mail the Q3 to Priya")
        await bot.answers("sales", first["thread_ts"], 2)
        other = await bot.slack.say("mara", "sales", "never mind", first["thread_ts"])
        await bot.slack.delete("sales", other)
        await bot.slack.edit("sales", first["thread_ts"], f"{MENTION} mail the Q3 to Priya now")
        await bot.slack.settled()
        assert (await the_call(bot)).state == "parked"


async def test_an_answered_question_is_no_longer_part_of_what_the_thread_said(
    tmp_path: Path,
) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        hears_deletions(bot)
        models.script([say("It stays.")])
        [first] = await bot.ask(f"{MENTION} what stays?")
        root = first["thread_ts"]
        models.script([MAIL, say("The codeword is heron.")])
        ts = await bot.slack.say("mara", "sales", f"{MENTION} which codeword, quokka?", root)
        await bot.answers("sales", root, 3)
        await bot.slack.delete("sales", ts)
        await bot.slack.settled()
        models.script([say("Nothing.")])
        await bot.ask(f"{MENTION} the codeword quokka?", thread_ts=root, answers=3)
        shown = models.asked[-1].text
        assert "It stays." in shown
        for gone in ("heron", "which codeword", "priya@larkspur.example"):
            assert gone not in shown


async def test_what_a_question_brought_is_gone_with_it(tmp_path: Path) -> None:
    """Neither an id that somebody has noted nor a file of that name leads there."""
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        hears_deletions(bot)
        models.script([say("It stays.")])
        [first] = await bot.ask(f"{MENTION} what stays?")
        root = first["thread_ts"]
        models.script([call("sample_list_products"), say("Here they are. [1]")])
        ts = await bot.slack.say("mara", "sales", f"{MENTION} which orders?", root)
        await bot.answers("sales", root, 2)
        [row] = await bot.bot.rooms.db.fetch("SELECT id FROM evidence")
        read = call("read_result", evidence=row["id"])
        models.script([read, say("So they are.")])
        await bot.ask(f"{MENTION} read on", thread_ts=root, answers=2)
        assert "there is no evidence" not in models.asked[-1].text

        await bot.slack.delete("sales", ts)
        await bot.slack.settled()
        models.script([read, say("I cannot.")])
        await bot.ask(f"{MENTION} and again", thread_ts=root, answers=3)
        assert "there is no evidence" in models.asked[-1].text
        thread = (await the_turn(bot)).turn.question.thread
        assert await evidence.of_thread(bot.bot.rooms.db, thread) == []
