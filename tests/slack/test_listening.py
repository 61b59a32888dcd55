"""Questions reach the front door; help, the command and the first hello are answered."""

import json

import pytest

from adapters.slack import quiet
from adapters.slack.api import SlackApi
from bot.workspace.slack.records import Fault
from tests.slack.conftest import settings_for
from tests.slack.envelopes import direct, envelope, mention, message


async def test_a_mention_that_arrives_as_two_events_is_one_question(slack, bot):
    ts = await slack.say("mara", "sales", "@Countersign how many orders?")
    await slack.settled()

    assert [delivery.kind for delivery in slack.deliveries] == ["event", "event"]
    assert {asked.delivery for asked in bot.door.questions} == {f"slack:T00000001/C0SALES/{ts}"}
    assert {asked.text for asked in bot.door.questions} == {"how many orders?"}


@pytest.mark.parametrize("first", ["app_mention", "message"])
async def test_case_5_in_an_engaged_thread_either_order_gives_one_delivery(slack, bot, first):
    root = await slack.say("mara", "sales", "@Countersign hello", is_told=False)
    ts = await slack.say("mara", "sales", "@Countersign and Q3?", root, is_told=False)
    kinds = [first, "message" if first == "app_mention" else "app_mention"]
    for kind in kinds:
        await slack.deliver(slack.envelope_for("sales", ts, kind))

    assert len({asked.delivery for asked in bot.door.questions}) == 1
    assert {asked.thread for asked in bot.door.questions} == {f"slack:T00000001/C0SALES/{root}"}


@pytest.mark.promise("O3", "adapters.slack")
async def test_what_the_bot_says_itself_starts_nothing(slack, bot):
    ts = await slack.say("mara", "sales", "@Countersign hello")
    await slack.settled()
    where = {"channel": "C0SALES", "thread_ts": ts, "text": f"<@{slack.app.member}> again"}
    async with SlackApi(settings_for(slack), quiet.library_logger()) as api:
        await api.write("chat.postMessage", where)
    await slack.edit("sales", ts, "@Countersign hello again")
    await slack.settled()
    assert {(asked.delivery, asked.text) for asked in bot.door.questions} == {
        (f"slack:T00000001/C0SALES/{ts}", "hello")
    }


async def test_an_empty_mention_goes_to_the_core_which_knows_what_to_say(bot):
    await bot.send_json(envelope(mention("<@U0COUNTER>")))
    assert [asked.text for asked in bot.door.questions] == [""]


@pytest.mark.parametrize("words", ["help", "", "  HELP  "])
async def test_the_command_answers_privately_what_can_be_done_here(slack, bot, words):
    delivery = await slack.command("mara", "sales", "/countersign", words)

    answer = json.loads(delivery.body)
    assert answer["response_type"] == "ephemeral"
    assert answer["blocks"] == [{"type": "markdown", "text": bot.door.words}]
    assert len(slack.ephemerals("mara", "sales")) == 1
    person, place = bot.door.helped[0]
    assert (person.id, place.id) == ("slack:T00000001/U0MARA", "slack:T00000001/C0SALES")


async def test_an_unknown_word_is_said_to_be_unknown(slack, bot):
    delivery = await slack.command("mara", "sales", "/countersign", "dance")
    assert "I do not know that word" in json.loads(delivery.body)["text"]
    assert bot.door.helped == []


@pytest.mark.parametrize("is_typed", [True, False])
async def test_accepting_a_tool_is_answered_privately_and_keeps_its_spelling(slack, bot, is_typed):
    if is_typed:
        await slack.command("mara", "sales", "/countersign", "accept crm/Create_Lead")
    else:
        await slack.say("mara", "sales", "<@U0COUNTER> Accept `crm/Create_Lead`")
    [told] = await slack.wait_for(lambda: slack.ephemerals("mara", "sales"), 10)
    assert told["text"] == "Accepted."
    [order] = bot.door.orders
    assert order.person.id == "slack:T00000001/U0MARA"
    assert order.words.split()[-1].strip("`") == "crm/Create_Lead"
    assert bot.door.questions == []


async def test_accepting_in_other_words_is_a_question(slack, bot):
    await slack.say("mara", "sales", "<@U0COUNTER> accept the offer of crm/acme or not?")
    await slack.settled()
    assert bot.door.orders == []
    assert len({asked.delivery for asked in bot.door.questions}) == 1


async def test_a_command_in_hard_times_gets_a_sentence(slack, bot):
    bot.door.outages = 1
    delivery = await slack.command("mara", "sales", "/countersign", "help")
    assert delivery.status == 200
    assert "please try again" in json.loads(delivery.body)["text"]


async def test_opening_the_conversation_for_the_first_time_is_greeted_once(slack, bot):
    channel = slack.direct("mara")
    opened = {"type": "app_home_opened", "user": "U0MARA", "channel": channel, "tab": "messages"}
    for _ in range(3):
        assert await bot.send_json(envelope(opened)) == 200

    assert [m["text"] for m in slack.messages(channel)] == ["I answer questions about orders."]
    assert slack.world.prompts[channel, ""]["prompts"] == [
        {"title": "What can you do for me?", "message": "help"}
    ]
    assert len(slack.calls("assistant.threads.setSuggestedPrompts")) == 1


@pytest.mark.parametrize("tab", ["home", None])
async def test_other_tabs_are_not_greeted(slack, bot, tab):
    opened = {"type": "app_home_opened", "user": "U0MARA", "channel": "D0MARA", "tab": tab}
    assert await bot.send_json(envelope(opened)) == 200
    assert slack.messages("D0MARA") == []


async def test_a_greeting_that_fails_is_no_failed_delivery(slack, bot):
    slack.fail("conversations.history", Fault(error="missing_scope"))
    opened = {"type": "app_home_opened", "user": "U0MARA", "channel": "D0MARA", "tab": "messages"}
    assert await bot.send_json(envelope(opened)) == 200


async def test_files_of_a_question_come_with_it(slack, bot):
    file = slack.add_file("mara", "q3.csv", b"a,b\n1,2\n")
    await slack.say("mara", "sales", "@Countersign what is in it?", files=[file])
    await slack.settled()

    found = bot.door.questions[0].files[0]
    assert (found.id, found.name) == (f"slack:T00000001/{file.id}", "q3.csv")
    assert await bot.adapter.surface.fetch(found, limit=100, person="slack:T/U") == b"a,b\n1,2\n"


async def test_direct_messages_and_talk_without_mention_are_told_apart(bot):
    await bot.send_json(envelope(direct("how many?")))
    await bot.send_json(envelope(message("just talking", ts="1796000000.000200")))
    assert [asked.place.kind for asked in bot.door.questions] == ["dm"]
