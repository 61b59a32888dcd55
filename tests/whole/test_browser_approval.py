"""A mail that waits for a person, in a real browser: card, sign-in, Send, and the mail has gone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.browser import launched, needs_chromium, opened, shoot
from tests.fakes.model_script import call, say
from tests.fakes.model_server import ModelServer
from tests.whole.process import free_port, running

pytestmark = [pytest.mark.browser, needs_chromium]

TEXT = "Nordics lead with 63,660.60 EUR, Iberia follows."
ASKED = "Mail the Q3 summary to priya@larkspur.example."


@asynccontextmanager
async def visited(folder: Path, models: ModelServer | None = None) -> AsyncIterator:
    """The page of a bot that is answered for by a scripted provider, or by the demo model."""
    environment = {"COUNTERSIGN_WORKSPACE_PORT": str(free_port())}
    if models is not None:
        environment |= {
            "COUNTERSIGN_MODEL": "openai:gpt-5.5",
            "COUNTERSIGN_EMBEDDINGS": "openai:text-embedding-3-small",
            "OPENAI_API_KEY": "sk-" + "t" * 40,
            "OPENAI_BASE_URL": models.openai_url,
        }
    async with (
        running(folder, "--workspace", environment=environment) as bot,
        launched() as browser,
        opened(browser, bot.page) as page,
    ):
        yield page


async def sign_in(page) -> None:
    """Press the private Connect button and go through Microsoft's pages in the new tab."""
    async with page.context.expect_page() as opening:
        await page.locator(".is-ephemeral").get_by_role("button", name="Connect account").click()
    tab = await opening.value
    await tab.get_by_text("Mara Lindqvist").first.click()
    await tab.get_by_role("button", name="Accept").click()
    await tab.get_by_text("You are signed in").wait_for()
    await tab.close()


async def test_a_mail_is_shown_whole_and_goes_out_after_connecting_and_a_click(
    tmp_path: Path,
) -> None:
    async with ModelServer(dimensions=1536) as models:
        models.script(
            [
                call(
                    "office_send_mail",
                    to=["priya@larkspur.example", "buyer@fjordfell.example"],
                    subject="Q3 summary",
                    body=TEXT,
                ),
                say("The mail waits for you as #1."),
            ]
        )
        async with visited(tmp_path, models) as page:
            area = page.locator(".conversation .composer-text")
            await area.fill("@Countersign mail the Q3 summary to Priya and the buyer")
            await area.press("Escape")
            await area.press("Enter")

            card = page.locator(".thread .message", has_text="#1 Send a mail")
            buttons = card.locator(".message-body").get_by_role("button")
            await card.get_by_text(TEXT).wait_for()
            await page.locator(".thread .message", has_text="waits for you as #1").wait_for()
            assert await buttons.all_inner_texts() == ["Connect account", "Edit", "Cancel"]
            assert "buyer@fjordfell.example ↗ external" in await card.inner_text()

            await buttons.first.click()
            await sign_in(page)
            await page.locator(".is-ephemeral", has_text="Nothing was sent").wait_for()
            send = card.locator(".message-body").get_by_role("button", name="Send", exact=True)
            await send.wait_for()
            await shoot(page, "approval-card")

            await send.click()
            await card.get_by_text("Handed to Outlook").wait_for()
            assert await buttons.count() == 0
            await shoot(page, "approval-sent")

            await page.locator("#rail").get_by_text("Mail").click()
            await page.get_by_role("button", name="Sent Items").click()
            await page.locator(".row", has_text="Q3 summary").first.click()
            await page.locator(".reading", has_text=TEXT).wait_for()
            await shoot(page, "approval-mail")


async def to_the_top(card) -> None:
    """Scroll the thread so that the card is seen from its beginning."""
    await card.evaluate("node => node.scrollIntoView({ block: 'start' })")


async def become(page, name: str) -> None:
    await page.locator("#me").click()
    await page.get_by_role("menuitem", name=name).click()
    await page.locator("#me", has_text=name).wait_for()


async def test_a_newcomer_mails_a_summary_by_clicking_alone(tmp_path: Path) -> None:
    async with visited(tmp_path) as page:
        await page.locator(".hint", has_text=ASKED).click()
        await page.locator(".conversation").get_by_role("button", name="Send").click()

        card = page.locator(".thread .message", has_text="#1 Send a mail")
        buttons = card.locator(".message-body").get_by_role("button")
        await card.get_by_text("Nordics: 13 orders").wait_for()
        await page.locator(".thread .message", has_text="#1 waits for a decision").wait_for()
        assert await buttons.all_inner_texts() == ["Connect account", "Edit", "Cancel"]
        shown = await card.inner_text()
        assert "Decides: Mara Lindqvist" in shown
        assert "external" not in shown
        assert "U0MARA" not in shown
        await shoot(page, "mail-1-card")

        await buttons.first.click()
        await sign_in(page)
        send = card.locator(".message-body").get_by_role("button", name="Send", exact=True)
        await send.wait_for()
        await to_the_top(card)
        await shoot(page, "mail-2-connected")

        # A colleague sees the card, may press, and moves nothing.
        await become(page, "Tomás Ferrer")
        await page.locator(".conversation .thread-count").click()
        await send.click()
        refusal = page.locator(".is-ephemeral", has_text="Mara Lindqvist")
        await refusal.first.wait_for()
        await shoot(page, "mail-3-refused")
        await become(page, "Mara Lindqvist")
        await page.locator(".conversation .thread-count").click()
        assert await page.locator(".is-ephemeral", has_text="cannot decide").count() == 0

        await card.locator(".message-body").get_by_role("button", name="Edit").click()
        form = page.get_by_role("dialog")
        await form.get_by_label("Subject").fill("Q3 figures for you")
        await shoot(page, "mail-4-edit")
        await form.get_by_role("button", name="Save").click()
        await card.get_by_text("Q3 figures for you").wait_for()
        await card.get_by_text("Edited by Mara Lindqvist").wait_for()
        assert "Q3 summary" in await card.locator("del, s").first.inner_text()
        await to_the_top(card)
        await shoot(page, "mail-5-edited")

        await send.click()
        await card.get_by_text("Handed to Outlook").wait_for()
        await to_the_top(card)
        await shoot(page, "mail-6-sent")

        await page.locator("#rail").get_by_text("Mail").click()
        await page.get_by_role("button", name="Sent Items").click()
        await page.locator(".row", has_text="Q3 figures for you").first.click()
        await page.locator(".reading", has_text="Nordics: 13 orders").wait_for()
        await shoot(page, "mail-7-sent-items")
