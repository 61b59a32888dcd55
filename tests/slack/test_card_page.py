"""A card clicked through in a real browser: read, edited, opened, sent."""

import pytest

from bot.workspace.local import LocalWorkspace
from core.storage.database import open_database
from tests.approvals.office import MAIL
from tests.browser import launched, needs_chromium, opened, shoot
from tests.slack.counter import counter

pytestmark = [pytest.mark.browser, needs_chromium]
BODY = "Hi Priya,\n\nhere is the summary of Q3.\n\nBest,\nMara"


async def test_a_mail_is_edited_and_sent_by_clicking_alone(tmp_path):
    db = await open_database(f"sqlite:///{tmp_path}/countersign.db")
    async with (
        LocalWorkspace() as local,
        counter(db, local.slack, domains=["larkspur.example"]) as at,
    ):
        call = await at.park({**MAIL, "body": BODY, "bcc": ["eve@elsewhere.example"]})
        async with launched() as browser, opened(browser, f"{local.url}#sales") as page:
            await page.get_by_text("sales", exact=True).first.click()
            await page.locator(".thread-count").first.click()
            card = page.locator(".thread .message", has_text="Send a mail")
            await card.get_by_text("↗ external").first.wait_for()
            await shoot(page, "card")
            await card.get_by_role("button", name="Edit").click()
            window = page.get_by_role("dialog")
            await window.get_by_label("Subject").fill("Q3, final")
            await shoot(page, "card-edit")
            await window.get_by_role("button", name="Save").click()
            await card.get_by_text("Q3, final").wait_for()
            await shoot(page, "card-edited")
            await card.get_by_role("button", name="Send", exact=True).click()
            await card.get_by_text("being carried out").wait_for()
            await at.office.carry_out()
            await card.get_by_text("Sent.").wait_for()
            await shoot(page, "card-sent")
            assert await card.get_by_role("button", name="Send", exact=True).count() == 0
            long = await at.park({**MAIL, "body": "\n".join([BODY] * 60)})
            await page.locator(".conversation .thread-count").nth(1).click()
            card = page.locator(".thread .message", has_text="Send a mail")
            await card.get_by_role("button", name="Open full text").click()
            window = page.get_by_role("dialog")
            await window.get_by_role("button", name="Send").wait_for()
            await shoot(page, "card-full")
            await window.get_by_role("button", name="Send").click()
            await card.get_by_text("being carried out").wait_for()
            assert (await at.office.now(long)).state == "approved"
    await db.close()
    assert [one.arguments["subject"] for one in at.office.box.sent] == ["Q3, final"]
    assert call.id == at.office.box.sent[0].id
