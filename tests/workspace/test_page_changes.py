"""What people do to messages on the page: edits and reactions, which the app hears of."""

import pytest
import pytest_asyncio

from tests.browser import launched, needs_chromium, opened, shoot
from tests.workspace.scripted_bot import teach, workspace
from tests.workspace.test_page import write

pytestmark = [pytest.mark.browser, needs_chromium, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser():
    async with launched() as chromium:
        yield chromium


async def test_an_edit_is_marked_and_told(browser):
    async with workspace() as (local, _, app):
        teach(app)
        async with opened(browser, local.url) as page:
            await write(page, "nobody is meant")
            message = page.locator(".conversation .message", has_text="nobody is meant")
            await message.hover()
            await message.get_by_role("button", name="Edit").click()
            field = page.get_by_role("textbox", name="Edit message")
            assert await field.input_value() == "nobody is meant"
            await field.fill("@Countersign is meant")
            await page.get_by_role("button", name="Save").click()
            changed = page.locator(".conversation .message", has_text="is meant")
            await changed.locator(".edited", has_text="(edited)").wait_for()
            await shoot(page, "edited")
        [root] = [m for m in local.slack.messages("sales") if "is meant" in m["text"]]
        told = [d.payload["event"]["type"] for d in local.slack.deliveries if d.kind == "event"]
    assert root["text"] == "<@U0COUNTER> is meant" and root["edited"]["user"] == "U0MARA"
    assert "app_mention" in told


async def test_a_reaction_is_counted_and_taken_back(browser):
    async with workspace() as (local, _, app):
        teach(app)
        async with opened(browser, local.url) as page:
            await write(page, "good morning")
            message = page.locator(".conversation .message", has_text="good morning")
            await message.hover()
            await message.get_by_role("button", name="React").click()
            await page.get_by_role("menuitem", name=":x:").click()
            chip = message.locator(".reaction")
            await chip.locator("text=1").wait_for()
            await shoot(page, "reaction")
            [stored] = [m for m in local.slack.messages("sales") if m["text"] == "good morning"]
            assert stored["reactions"] == [{"name": "x", "users": ["U0MARA"], "count": 1}]
            await chip.click()
            await chip.wait_for(state="detached")
        events = [d.payload for d in local.slack.deliveries if d.kind == "event"]
    # This bot does not know the event, so it is told of it again; taking back is not subscribed to.
    told = [one["event_id"] for one in events if one["event"]["type"] == "reaction_added"]
    assert len(set(told)) == 1
