"""The list of what waits stands for the cards in it, as long as Slack lets it be changed."""

import pytest

from adapters.slack import lists
from tests.approvals.office import MAIL
from tests.slack.counter import counter, text_of


async def test_a_list_that_lies_open_changes_with_the_cards(sqlite, slack):
    """All copies of a card change together, those of the list among them."""
    async with counter(sqlite, slack) as at:
        first, second = await at.park(), await at.park({**MAIL, "subject": "Second"})
        await slack.command("mara", "sales", "/approvals")
        for call, left in ((first, "1 call waits."), (second, "Nothing waits for you.")):
            await at.press("mara", at.card(call))
            await slack.wait_for(lambda left=left: left in at.told("mara"))
        assert len(slack.ephemerals("mara", "sales")) == 1


@pytest.mark.parametrize("way", ["mention", "direct"])
async def test_cards_that_were_asked_for_in_words_change_with_the_others(sqlite, slack, way):
    """Slack lets nobody change what a mention is answered with, so the cards stand elsewhere."""
    async with counter(sqlite, slack) as at:
        first, second = await at.park(), await at.park({**MAIL, "subject": "Second"})
        direct = slack.channel(slack.direct("mara"))
        place, said = ("sales", "@Countersign Approvals!"), (direct.id, "approvals")
        where, words = place if way == "mention" else said
        ts = await slack.say("mara", where, words, is_told=False)
        event = slack.envelope_for(where, ts, "app_mention" if way == "mention" else "message")
        # Delivered again, it is the same wish.
        for _ in range(2):
            assert (await slack.deliver(event)).status == 200
        both = await slack.wait_for(lambda: cards_in(direct, 2))
        assert at.told("mara", where) == "2 calls wait. The cards are in our direct messages."
        assert [first.id in str(both[0]), second.id in str(both[1])] == [True, True]
        await at.press("mara", both[0])
        await at.office.carry_out()
        await slack.wait_for(lambda: "Sent." in text_of(direct.messages[both[0]["ts"]]))
        await at.until(first, "Sent.")
        await at.press("mara", at.card(second), "cancel")
        await at.submit("mara")
        await slack.wait_for(lambda: "Cancelled" in text_of(direct.messages[both[1]["ts"]]))
        assert at.door.questions == []


def cards_in(place, count):
    found = [one for one in place.messages.values() if "call." in str(one.get("blocks"))]
    return found if len(found) == count else None


async def test_a_list_is_changed_as_often_as_slack_allows_and_then_by_a_click(sqlite, slack):
    async with counter(sqlite, slack) as at:
        calls = [await at.park({**MAIL, "subject": f"s{n}"}) for n in range(lists.ANSWERS + 2)]
        await slack.command("mara", "sales", "/approvals")
        for left, call in enumerate(reversed(calls)):
            await at.press("mara", at.card(call))
            await at.until(call, "being carried out")
            count = max(len(calls) - 1 - left, len(calls) - lists.ANSWERS)
            await slack.wait_for(lambda count=count: f"{count} calls wait." in at.told("mara"))
        assert lists.LAST in at.told("mara")
        assert len(slack.ephemerals("mara", "sales")) == 1
