"""What a person does in the client, and what they see."""

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from tests.browser import shoot

QUESTION = "What did we sell per region in Q3 2026?"
MAIL = "Mail the Q3 summary to priya@larkspur.example."
PATIENCE = 30_000
Step = Callable[[Any], Awaitable[None]]


async def go(page: Any, chat: str) -> None:
    await page.get_by_role("treeitem", name=chat).first.click()


async def write(page: Any, text: str, *, is_mention: bool, send: str = "Send Message") -> None:
    """Into the box for a new message; in a channel it is the first of several."""
    editor = page.locator("[data-lexical-editor=true]").first
    await editor.click()
    if is_mention:
        await page.keyboard.type("@")
        await page.get_by_role("menuitem", name="Countersign").click()
    await page.keyboard.type(f" {text}" if is_mention else text)
    await page.get_by_role("button", name=send).last.click()


async def asked_in_a_chat_of_two(page: Any) -> None:
    await go(page, "Personal Chat")
    await write(page, QUESTION, is_mention=False)
    await page.get_by_text("204,626.22 EUR").first.wait_for()
    await page.locator(".ac-adaptiveCard").get_by_text("Nordics").first.wait_for()


async def labelled_as_written_by_a_model(page: Any) -> None:
    await page.get_by_text("AI generated", exact=False).first.wait_for()


async def asked_in_a_group(page: Any) -> None:
    await go(page, "Group Chat")
    await write(page, QUESTION, is_mention=True)
    await page.get_by_text("204,626.22 EUR").last.wait_for()


async def asked_in_a_channel(page: Any) -> None:
    await go(page, "General")
    await write(page, QUESTION, is_mention=True, send="Post")
    await page.get_by_text("204,626.22 EUR").last.wait_for()


async def a_mail_is_a_card(page: Any) -> None:
    await go(page, "Personal Chat")
    await write(page, MAIL, is_mention=False)
    card = page.locator(".ac-adaptiveCard", has_text="Send a mail").last
    await card.get_by_role("button", name="Connect account").wait_for()


async def the_account_is_connected_in_private(page: Any) -> None:
    card = page.locator(".ac-adaptiveCard", has_text="Send a mail").last
    await card.get_by_role("button", name="Connect account").click()
    link = page.locator(".ac-adaptiveCard", has_text="The link is for you alone").last
    async with page.context.expect_page() as opening:
        await link.get_by_text("Connect account").click()
    tab = await opening.value
    await tab.get_by_text("Mara Lindqvist").first.click()
    await tab.get_by_role("button", name="Accept").click()
    await tab.get_by_text("You are signed in").wait_for()
    await tab.close()
    mail = page.locator(".ac-adaptiveCard", has_text="Send a mail").last
    await mail.get_by_role("button", name="Send").wait_for()


async def an_edit_is_seen_on_the_card(page: Any) -> None:
    card = page.locator(".ac-adaptiveCard", has_text="Send a mail").last
    await card.get_by_role("button", name="Edit").click()
    form = page.locator(".ac-adaptiveCard").filter(has=page.get_by_role("button", name="Save")).last
    await form.get_by_label("Subject").first.fill("Q3, corrected")
    await form.get_by_role("button", name="Save").click()
    await page.locator(".ac-adaptiveCard", has_text="Q3, corrected").last.wait_for()


async def the_mail_goes_out_as_it_was_edited(page: Any) -> None:
    card = page.locator(".ac-adaptiveCard", has_text="Q3, corrected").last
    await card.get_by_role("button", name="Send").click()
    await card.get_by_text("Handed to Outlook").wait_for()
    if await card.get_by_role("button", name="Send").count():
        raise AssertionError("the card still has a button to send")


async def a_cancelled_mail_keeps_no_button(page: Any) -> None:
    await write(page, MAIL, is_mention=False)
    card = page.locator(".ac-adaptiveCard", has_text="#2 Send a mail").last
    await card.get_by_role("button", name="Cancel").click()
    await page.get_by_role("button", name="Cancel it").last.click()
    done = page.locator(".ac-adaptiveCard", has_text="#2 Send a mail").last
    await done.get_by_text("ancelled").first.wait_for()


async def a_thumb_is_taken(page: Any) -> None:
    await page.locator("[class*=positiveFeedbackButton]").first.click()
    await page.get_by_role("button", name="Submit").last.click()


STEPS: tuple[Step, ...] = (
    asked_in_a_chat_of_two,
    labelled_as_written_by_a_model,
    asked_in_a_group,
    asked_in_a_channel,
    a_mail_is_a_card,
    the_account_is_connected_in_private,
    an_edit_is_seen_on_the_card,
    the_mail_goes_out_as_it_was_edited,
    a_cancelled_mail_keeps_no_button,
    a_thumb_is_taken,
)
COUNT = len(STEPS)


async def walk(browser: Any, address: str) -> int:
    """Every step in order, in one visit: the client forgets a chat when its page is loaded anew.
    How many failed."""
    context = await browser.new_context(viewport={"width": 1360, "height": 860})
    try:
        page = await context.new_page()
        page.set_default_timeout(PATIENCE)
        # It asks for fonts that are elsewhere; nothing leaves this machine.
        await page.route(lambda url: not _is_here(url), lambda route: route.abort())
        await page.goto(address, wait_until="domcontentloaded")
        await page.get_by_role("treeitem", name="Personal Chat").wait_for()
        return sum([await _failed(page, number) for number in range(1, COUNT + 1)])
    finally:
        await context.close()


def _is_here(url: str) -> bool:
    return urlsplit(url).hostname in ("127.0.0.1", "localhost")


async def _failed(page: Any, number: int) -> bool:
    step = STEPS[number - 1]
    said = step.__name__.replace("_", " ")
    try:
        await step(page)
    # Whatever a step meets is its failure; the others are still walked.
    except Exception as error:
        print(f"FAILED  {said}: {str(error).splitlines()[0]}", flush=True)
        return True
    else:
        print(f"ok      {said}", flush=True)
        return False
    finally:
        await shoot(page, f"acceptance-{number}")
