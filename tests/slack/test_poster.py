"""A post to a channel of the bot's own choice stands there once, and is found by its marker."""

import pytest

from bot.workspace.slack.records import Fault
from core.errors import DeliveryFailed
from core.records import PersonId

MARA = PersonId("slack:T0LARKSPUR/U0MARA")
TOMAS = PersonId("slack:T0LARKSPUR/U0TOMAS")
WRITE, READ = "chat.postMessage", "conversations.history"


async def test_a_channel_is_found_by_name_or_id_where_the_bot_is_in_it(slack, bot):
    slack.add_channel("board", ["priya"])
    slack.channel("general").is_shared = True
    find = bot.adapter.poster.channel
    sales, general = await find("sales", MARA), await find("C0GENERAL", MARA)
    assert (sales.id, sales.is_private, sales.is_shared) == ("C0SALES", False, False)
    assert (general.name, general.is_shared) == ("general", True)
    assert await find("board", MARA) is None
    assert await find("Sales", MARA) is None


async def test_a_private_channel_is_there_for_its_members_alone(slack, bot):
    found = await bot.adapter.poster.channel("finance", TOMAS)
    assert (found.id, found.is_private) == ("C0FINANCE", True)
    assert await bot.adapter.poster.channel("finance", MARA) is None


async def test_the_channels_are_looked_through_to_their_end(slack, bot):
    for number in range(450):
        slack.add_channel(f"c{number:03}", [slack.app.member])
    assert (await bot.adapter.poster.channel("c449", MARA)).name == "c449"
    assert await bot.adapter.poster.channel("c450", MARA) is None


async def test_a_post_is_the_bots_pings_nobody_and_is_found_by_its_marker(slack, bot):
    poster = bot.adapter.poster
    posted = await poster.post("C0SALES", "**Q3** is out, <!channel>: https://a.example", "c_1")
    [message] = slack.messages("sales")
    assert message["bot_id"] == slack.app.bot and message["ts"] == posted.ts
    assert "<!channel>" not in str(message["blocks"])
    [sent] = slack.calls(WRITE)
    assert (sent.args["unfurl_links"], sent.args["unfurl_media"]) == (False, False)
    assert posted.link.startswith(slack.api_url.removesuffix("/api/"))
    assert await poster.find("C0SALES", "c_1") == posted
    assert await poster.find("C0SALES", "c_2") is None


@pytest.mark.parametrize("fault", [Fault(drop="after"), Fault(error="internal_error")])
async def test_a_lost_answer_leaves_it_in_doubt_and_nothing_is_sent_again(slack, bot, fault):
    slack.fail(WRITE, fault)
    with pytest.raises(DeliveryFailed) as lost:
        await bot.adapter.poster.post("C0SALES", "Q3", "c_1")
    assert not lost.value.is_final and not lost.value.retry_after
    assert len(slack.calls(WRITE)) == 1
    found = await bot.adapter.poster.find("C0SALES", "c_1")
    assert (found is not None) == (fault.drop == "after")


@pytest.mark.parametrize(
    ("fault", "is_final", "pause"),
    [
        (Fault(error="invalid_blocks"), True, 0.0),
        (Fault(error="not_in_channel"), True, 0.0),
        (Fault(status=429, retry_after=7), True, 7.0),
    ],
)
async def test_what_slack_refuses_was_certainly_not_posted(slack, bot, fault, is_final, pause):
    slack.fail(WRITE, fault)
    with pytest.raises(DeliveryFailed) as refused:
        await bot.adapter.poster.post("C0SALES", "Q3", "c_1")
    assert (refused.value.is_final, refused.value.retry_after) == (is_final, pause)
    assert slack.messages("sales") == []


async def test_what_does_not_fit_into_one_message_is_not_posted_in_half(slack, bot):
    with pytest.raises(DeliveryFailed, match="msg_too_long") as refused:
        await bot.adapter.poster.post("C0SALES", "word " * 2_600, "c_1")
    assert refused.value.is_final and slack.calls(WRITE) == []


async def test_where_slack_gives_no_link_the_post_counts_all_the_same(slack, bot):
    slack.fail("chat.getPermalink", Fault(error="internal_error"))
    posted = await bot.adapter.poster.post("C0SALES", "Q3", "c_1")
    assert posted.link == "" and slack.messages("sales")[0]["ts"] == posted.ts
