"""What a person thinks of an answer reaches the front door, once it is certain who they are."""

import pytest

from adapters.slack import rating
from bot.workspace.slack.records import Member
from core.records import Rating
from tests.slack.test_outbound import post

SALES = "slack:T00000001/C0SALES"


@pytest.fixture
async def answer(slack, bot):
    ts = await slack.say("mara", "sales", "@Countersign how many?", is_told=False)
    where = {"team": "T00000001", "channel": "C0SALES", "thread_ts": ts, "message_ts": ts}
    await bot.adapter.surface.deliver(post({**where, "user": "U0MARA", "is_dm": "false"}), None)
    return slack.replies("sales", ts)[0]


@pytest.mark.parametrize(("side", "is_good"), [("positive", True), ("negative", False)])
async def test_a_thumb_is_kept_with_the_turn_and_the_person_is_thanked(
    slack, bot, answer, side, is_good
):
    delivery = await slack.click("tomas", answer, "answer.rate", side)
    assert delivery.status == 200
    tomas = "slack:T00000001/U0TOMAS"
    assert bot.door.ratings == [Rating(turn="t1", place=SALES, person=tomas, is_good=is_good)]
    assert [seen["text"] for seen in slack.ephemerals("tomas", "sales")] == [rating.THANKS]


async def test_a_rating_that_could_not_be_kept_is_not_acknowledged(slack, bot, answer):
    bot.door.outages = 1
    assert (await slack.click("mara", answer, "answer.rate", "positive")).status == 503
    assert bot.door.ratings == []


async def test_an_outsiders_opinion_is_not_kept(slack, bot, answer):
    far = slack.add_member(Member(id="U0FAR", name="far", real_name="Far", team="T0OTHER"))
    slack.channel("sales").members.append(far.id)
    assert (await slack.click("far", answer, "answer.rate", "positive")).status == 200
    assert bot.door.ratings == []


async def test_sentences_of_ours_are_not_to_be_rated(slack, bot):
    ts = await slack.say("mara", "sales", "@Countersign help", is_told=False)
    where = {"team": "T00000001", "channel": "C0SALES", "thread_ts": ts, "message_ts": ts}
    said = post({**where, "user": "U0MARA", "is_dm": "false"}, "No.", kind="private")
    await bot.adapter.surface.deliver(said, None)
    (seen,) = slack.ephemerals("mara", "sales")
    assert "context_actions" not in [block["type"] for block in seen["blocks"]]
