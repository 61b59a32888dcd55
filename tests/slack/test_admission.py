"""Who is answered: people of the workspace, and bots that somebody has named."""

from dataclasses import replace
from typing import Any

import pytest

from adapters.slack.admission import GUEST, UNKNOWN
from adapters.slack.app import build
from adapters.slack.pacing import Pacing
from bot.workspace.slack.records import Fault, Member
from tests.door import Door
from tests.slack.conftest import serving, settings_for
from tests.slack.envelopes import envelope, mention, message

READS = ("conversations.replies", "conversations.history", "conversations.info")


def told(slack: Any) -> list[str]:
    return [call.args["text"] for call in slack.calls("chat.postEphemeral")]


def nothing_was_read(slack: Any) -> bool:
    return not any(slack.calls(method) for method in READS)


async def test_case_47_a_guest_is_refused_before_anything_is_read(bot, slack):
    slack.channel("sales").members.append("U0JONAS")
    root = await slack.say("mara", "sales", "hello", is_told=False)
    await slack.say("jonas", "sales", "@Countersign what did she say?", root)
    await slack.say("jonas", "sales", "@Countersign please!", root)
    await slack.say("jonas", slack.direct("jonas"), "how many?")
    await slack.settled()
    assert bot.door.questions == [] and nothing_was_read(slack)
    assert told(slack) == [GUEST, GUEST]


async def test_case_47_somebody_of_another_organisation_is_refused_politely(bot, slack):
    slack.add_member(Member(id="U0ALDER", name="al", real_name="Al", team="T0ALDER"))
    slack.channel("sales").is_shared = True
    slack.channel("sales").members.append("U0ALDER")
    for text in ("@Countersign how many?", "talk among people", "@Countersign again?"):
        await slack.say("al", "sales", text)
    # A shared channel in which Slack does not say whose the person is.
    await bot.send_json(envelope(message(user="U0NOBODY", team=None), is_ext_shared_channel=True))
    await slack.settled()
    assert bot.door.questions == [] and nothing_was_read(slack)
    assert told(slack)[0] == GUEST and len(slack.ephemerals("al", "sales")) == 1


async def test_case_47_guests_learn_nothing_from_commands_and_greetings(bot, slack):
    delivery = await slack.command("jonas", "general", "/countersign", "help")
    assert "I answer people who belong to this workspace" in delivery.body
    await bot.send_json(
        envelope(
            {
                "type": "app_home_opened",
                "user": "U0JONAS",
                "channel": slack.direct("jonas"),
                "tab": "messages",
            }
        )
    )
    assert bot.door.helped == [] and slack.messages(slack.direct("jonas")) == []


async def test_who_cannot_be_known_now_is_asked_for_again(bot, slack):
    slack.fail("users.info", Fault(error="internal_error"))
    assert await bot.send_json(envelope(mention())) == 503
    assert await bot.send_json(envelope(mention())) == 200
    assert len(bot.door.questions) == 1


async def test_who_can_never_be_known_is_told_so(bot, slack):
    slack.fail("users.info", Fault(error="missing_scope"))
    assert await bot.send_json(envelope(mention())) == 200
    assert (bot.door.questions, told(slack)) == ([], [UNKNOWN])


def of_bot(number: int, root: str = "", **fields: Any):
    ts = f"1796000000.{number:06}"
    kept = {"subtype": "bot_message", "bot_id": "B0ALERTS", "user": None, **fields}
    return message(ts=ts, thread_ts=root or None, **kept)


async def test_case_24_fifty_mentions_by_a_bot_get_no_answer(bot):
    for number in range(50):
        for event in (of_bot(number), mention(ts=f"1796000000.{number:06}", bot_id="B0ALERTS")):
            assert await bot.send_json(envelope(event)) == 200
    assert bot.door.questions == []


@pytest.mark.parametrize("allowed", ["B0ALERTS", "A0ALERTS", "U0ALERTS"])
async def test_case_24_a_bot_that_may_ask_is_answered_once_in_a_thread(slack, allowed: str):
    now, door = [1796000000.0], Door()
    settings = replace(settings_for(slack), bots=frozenset({allowed}))
    adapter = build(settings, door, lambda: now[0], pacing=Pacing(lambda: 0.0, _never))
    await adapter.start()
    async with serving(adapter) as url:
        slack.connect(url)
        slack.world.clock = lambda: now[0]
        ids = {"user": "U0ALERTS", "app_id": "A0ALERTS"}
        for number in range(50):
            await slack.deliver(envelope(of_bot(number, "1795000000.000100", **ids)))
        assert [question.person.id for question in door.questions] == ["slack:T00000001/U0ALERTS"]
        for number in range(60, 100):
            await slack.deliver(envelope(of_bot(number, **ids)))
        assert len(door.questions) == 5
        now[0] += 301.0
        await slack.deliver(envelope(of_bot(200, "1795000000.000100", **ids)))
        assert len(door.questions) == 6
    await adapter.close()


async def _never(_: float) -> None:
    raise AssertionError("nothing is posted here")
