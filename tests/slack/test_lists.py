"""The list of what waits stands for the cards in it, as long as Slack lets it be changed."""

from adapters.slack import lists
from tests.approvals.office import MAIL
from tests.slack.counter import counter


async def test_a_list_that_lies_open_changes_with_the_cards(sqlite, slack):
    """All copies of a card change together, those of the list among them."""
    async with counter(sqlite, slack) as at:
        first, second = await at.park(), await at.park({**MAIL, "subject": "Second"})
        await slack.command("mara", "sales", "/approvals")
        for call, left in ((first, "1 call waits."), (second, "Nothing waits for you.")):
            await at.press("mara", at.card(call))
            await slack.wait_for(lambda left=left: left in at.told("mara"))
        assert len(slack.ephemerals("mara", "sales")) == 1


async def test_a_list_is_changed_as_often_as_slack_allows_and_then_by_a_click(sqlite, slack):
    async with counter(sqlite, slack) as at:
        calls = [await at.park({**MAIL, "subject": f"s{n}"}) for n in range(lists.ANSWERS + 2)]
        await slack.command("mara", "sales", "/approvals")
        for left, call in enumerate(reversed(calls)):
            await at.press("mara", at.card(call))
            await at.until(call, "being carried out")
            count = max(len(calls) - 1 - left, len(calls) - lists.ANSWERS)
            await slack.wait_for(lambda count=count: f"{count} calls wait." in at.told("mara"))
        assert len(slack.ephemerals("mara", "sales")) == 1
