"""A person who wants the bot to stop is understood, and stops what they may stop."""

import pytest

from adapters.slack import stopping
from core.records import Stop
from tests.slack.test_outbound import post

SALES = "slack:T00000001/C0SALES"
MARA = "slack:T00000001/U0MARA"


async def test_slacks_own_button_stops_the_thread_that_it_stands_in(slack, bot):
    ts = await slack.say("mara", "sales", "@Countersign how many?")
    slack.stop_session("mara", "sales", ts)
    await slack.settled()
    assert bot.door.stops == [Stop(place=SALES, thread=f"{SALES}/{ts}")]


async def test_a_cross_on_the_question_stops_that_question_for_the_one_who_put_it(slack, bot):
    ts = await slack.say("mara", "sales", "@Countersign how many?")
    react(slack, "tomas", "C0SALES", ts)
    react(slack, "mara", "C0SALES", ts, "thumbsup")
    await slack.settled()
    # A colleague's cross names the colleague: no turn of theirs is found.
    assert bot.door.stops == [
        Stop(place=SALES, person="slack:T00000001/U0TOMAS", delivery=f"{SALES}/{ts}")
    ]
    react(slack, "mara", "C0SALES", ts)
    await slack.settled()
    assert bot.door.stops[-1] == Stop(place=SALES, person=MARA, delivery=f"{SALES}/{ts}")


async def test_a_cross_on_what_the_bot_says_stops_its_thread(slack, bot):
    ts = await slack.say("mara", "sales", "@Countersign how many?", is_told=False)
    where = {"team": "T00000001", "channel": "C0SALES", "thread_ts": ts, "message_ts": ts}
    said = post({**where, "user": "U0MARA", "is_dm": "false"}, "So far …")
    reply = await bot.adapter.surface.deliver(said, None)
    react(slack, "mara", "C0SALES", reply)
    await slack.settled()
    assert bot.door.stops == [Stop(place=SALES, person=MARA, thread=f"{SALES}/{ts}")]


@pytest.mark.parametrize("word", ["stop", "Stop!", "/cancel"])
async def test_the_word_stops_and_is_no_question(slack, bot, word):
    root = await slack.say("mara", "sales", "@Countersign how many?")
    await slack.settled()
    await slack.say("mara", "sales", f"@Countersign {word}", root)
    await slack.say("mara", slack.direct("mara"), word)
    await slack.settled()
    direct = f"slack:T00000001/{slack.direct('mara')}"
    assert set(bot.door.stops) == {
        Stop(place=SALES, person=MARA, thread=f"{SALES}/{root}"),
        Stop(place=direct, person=MARA),
    }
    assert {asked.text for asked in bot.door.questions} == {"how many?"}
    assert slack.ephemerals("mara", "sales") == []


async def test_where_nothing_runs_the_person_is_told_so(slack, bot):
    bot.door.running = 0
    await slack.say("mara", "sales", "@Countersign stop")
    await slack.settled()
    assert [seen["text"] for seen in slack.ephemerals("mara", "sales")] == [stopping.NOTHING]
    assert bot.door.questions == []


async def test_a_stop_that_could_not_be_recorded_is_asked_for_again(slack, bot):
    ts = await slack.say("mara", "sales", "@Countersign how many?")
    await slack.settled()
    bot.door.outages = 1
    slack.stop_session("mara", "sales", ts)
    await slack.settled()
    assert [one.status for one in slack.deliveries][-2:] == [503, 200]
    assert len(bot.door.stops) == 1


def react(slack, person: str, channel: str, ts: str, name: str = "x") -> None:
    place = slack.channel(channel)
    body = {
        "is_added": True,
        "member": slack.member(person).id,
        "name": name,
        "message": slack.world.message(place, ts),
    }
    slack.world.publish("reaction", channel=place.id, body=body)
