"""Ways to ask beside a mention: a message's menu, words said as a command, the agent's own view."""

import json

import pytest

from adapters.slack.admission import GUEST
from core.context.thread import around
from tests.slack.envelopes import direct, envelope


async def test_ask_about_this_asks_in_the_messages_thread_with_the_message_as_data(slack, bot):
    ts = await slack.say("priya", "sales", "Bikes are <late> & I am sad", is_told=False)
    assert (await slack.shortcut("mara", "sales", ts, "ask_about")).status == 200
    [view] = slack.world.modals["U0MARA"]
    answer = await slack.submit("mara", view, {"ask": {"words": "Why is she sad?"}})
    assert answer == {}
    [question] = bot.door.questions
    assert (question.text, question.person.id) == ("Why is she sad?", "slack:T00000001/U0MARA")
    assert question.thread == f"slack:T00000001/C0SALES/{ts}"
    assert [said.text for said in question.forwarded] == ["Bikes are <late> & I am sad"]
    heard = await bot.adapter.listener.heard(question)
    assert "Bikes are <late> & I am sad" in around(question, heard, 2_000)


async def test_ask_about_this_keeps_what_was_typed_where_it_could_not_be_recorded(slack, bot):
    ts = await slack.say("priya", "sales", "x" * 3_900, is_told=False)
    await slack.shortcut("mara", "sales", ts, "ask_about")
    [view] = slack.world.modals["U0MARA"]
    bot.door.outages = 1
    answer = await slack.submit("mara", view, {"ask": {"words": "Why?"}})
    assert "send it again" in answer["errors"]["ask"]
    assert await slack.submit("mara", view, {"ask": {"words": "Why?"}}) == {}
    assert len(bot.door.questions) == 1


async def test_a_guest_is_told_in_the_window_that_they_are_not_answered(slack, bot):
    slack.channel("sales").members.append("U0JONAS")
    ts = await slack.say("priya", "sales", "hello", is_told=False)
    assert (await slack.shortcut("jonas", "sales", ts, "ask_about")).status == 200
    [view] = slack.world.modals["U0JONAS"]
    assert GUEST in json.dumps(slack.world.views[view]["blocks"])
    assert bot.door.questions == []


async def test_case_29_usage_said_in_a_thread_is_answered_privately(slack, bot):
    root = await slack.say("priya", "sales", "hello", is_told=False)
    await slack.say("mara", "sales", "@Countersign usage", root)
    await slack.settled()
    [told] = slack.ephemerals("mara", "sales")
    assert told["thread_ts"] == root
    assert "Mara Lindqvist has used nothing in Europe/Berlin." in json.dumps(told)
    assert bot.door.questions == []
    delivery = await slack.command("mara", "sales", "/countersign", "usage")
    assert "has used nothing" in delivery.body


@pytest.mark.parametrize("text", ["usage payload-service last week", "payload", "help payload=1"])
async def test_case_7_the_word_payload_in_a_command_over_http(slack, bot, text: str):
    delivery = await slack.command("mara", "sales", "/countersign", text)
    assert delivery.status == 200 and json.loads(delivery.body)["response_type"] == "ephemeral"


async def test_a_direct_question_knows_which_channel_is_open_beside_it(slack, bot):
    entity = {"type": "slack#/types/channel_id", "value": "C0SALES", "team_id": "T00000001"}
    turned = {"type": "app_context_changed", "user": "U0MARA", "context": {"entities": [entity]}}
    assert await bot.send_json(envelope(turned)) == 200
    assert await bot.send_json(envelope(direct("what happened here?"))) == 200
    [question] = bot.door.questions
    heard = await bot.adapter.listener.heard(question)
    assert heard.named == {"the channel that is open beside this, #sales,": "C0SALES"}
    assert slack.calls("conversations.history") == [] == slack.calls("conversations.replies")
    assert await bot.send_json(envelope({**turned, "context": {}})) == 200
    assert (await bot.adapter.listener.heard(question)).named == {}
