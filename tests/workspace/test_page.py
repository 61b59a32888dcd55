"""The page in a real browser, against the stand-in with a scripted bot behind it."""

import pytest
import pytest_asyncio

from bot.workspace.sights import HINTS
from tests.browser import launched, needs_chromium, opened, shoot
from tests.workspace.scripted_bot import teach, workspace

pytestmark = [pytest.mark.browser, needs_chromium, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser():
    async with launched() as chromium:
        yield chromium


async def write(page, text, pane="conversation"):
    area = page.locator(f".{pane} .composer-text")
    await area.fill(text)
    await area.press("Escape")
    await area.press("Enter")


async def test_a_question_is_answered_in_a_thread_that_opens_by_itself(browser):
    async with workspace() as (local, _, app):
        teach(app)
        async with opened(browser, local.url) as page:
            await page.locator(".hint").first.click()
            area = page.locator(".conversation .composer-text")
            assert (await area.input_value()).startswith("@Countersign ")
            await area.press("Enter")
            thread = page.locator(".thread")
            await thread.locator("td", has_text="1,511,900").wait_for()
            await thread.locator(".is-ephemeral .only-you").wait_for()
            assert await thread.locator(".code-language").inner_text() == "sql"
            assert await thread.locator("li.is-task input").is_checked()
            assert await thread.locator(".app-badge").first.inner_text() == "APP"
            await page.locator(".conversation .thread-count", has_text="1 reply").wait_for()
            await shoot(page, "answer")
        root = local.slack.messages("sales")[0]

    assert root["text"] == f"<@U0COUNTER> {HINTS[0]}"


async def test_what_is_said_while_a_thread_opens_is_shown_in_it(browser):
    async with workspace() as (local, client, app):
        teach(app)
        async with opened(browser, local.url) as page:
            root = local.slack.messages("sales")

            async def late(route) -> None:
                """The answer is what it was before the private remark."""
                answer = await route.fetch()
                ts = local.slack.messages("sales")[len(root)]["ts"]
                await client.chat_postEphemeral(
                    channel="C0SALES", thread_ts=ts, user="U0MARA", text="Said meanwhile."
                )
                await page.evaluate("() => new Promise(done => setTimeout(done, 50))")
                await route.fulfill(response=answer)

            await page.route("**/page/thread", late, times=1)
            await write(page, "@Countersign wait")
            await page.locator(".thread", has_text="Said meanwhile.").wait_for()


async def test_the_status_stands_in_the_thread_until_stop_is_pressed(browser):
    async with workspace() as (local, _, app):
        teach(app)
        async with opened(browser, local.url) as page:
            await write(page, "@Countersign wait")
            line = page.locator(".thread .status-line")
            await line.locator("text=Countersign is reading the sales tables…").wait_for()
            await shoot(page, "status")
            await line.get_by_role("button", name="Stop").click()
            await page.locator(".thread .message", has_text="Stopped.").wait_for()
            await line.wait_for(state="detached")


async def test_a_card_is_confirmed_and_then_says_who_sent_it(browser):
    async with workspace() as (local, _, app):
        teach(app)
        async with opened(browser, local.url) as page:
            await write(page, "@Countersign mail that")
            card = page.locator(".thread .message", has_text="Send this mail?")
            await card.get_by_role("button", name="Send", exact=True).click()
            dialog = page.get_by_role("dialog")
            await dialog.get_by_role("button", name="Not yet").click()
            await card.get_by_role("button", name="Send", exact=True).click()
            await shoot(page, "confirm")
            await dialog.get_by_role("button", name="Send", exact=True).click()
            await page.locator(".thread", has_text="Sent by @Mara Lindqvist").wait_for()
        clicks = [d for d in local.slack.deliveries if d.kind == "interaction"]

    assert len(clicks) == 1


async def test_a_modal_shows_the_apps_objection_and_closes_when_it_is_content(browser):
    async with workspace() as (local, _, app):
        teach(app)
        async with opened(browser, local.url) as page:
            await write(page, "@Countersign mail that")
            await (
                page.locator(".thread").get_by_role("button", name="Edit", exact=True).last.click()
            )
            dialog = page.get_by_role("dialog", name="Edit the mail")
            save = dialog.get_by_role("button", name="Save")
            await save.click()
            await dialog.locator("text=Please fill this in.").wait_for()
            await dialog.get_by_label("To").fill("finance")
            await save.click()
            await dialog.locator("text=This is no address.").wait_for()
            await dialog.get_by_label("To").fill("finance@larkspur.example")
            await shoot(page, "modal")
            await save.click()
            await dialog.wait_for(state="detached")


async def test_people_see_their_own_channels_and_what_is_new(browser):
    async with workspace() as (local, client, app):
        teach(app)
        async with opened(browser, local.url) as page:
            await page.locator("[data-place=C0SALES]").wait_for()
            assert await page.locator("[data-place=C0FINANCE]").count() == 0
            await client.chat_postMessage(channel="C0GENERAL", text="Good morning")
            await page.locator("[data-place=C0GENERAL] .unread", has_text="1").wait_for()
            await write(page, "/usage 7d")
            await page.locator(".is-ephemeral", has_text="usage for 7d").wait_for()
            await page.locator("#me").click()
            await page.get_by_role("menuitem", name="Tomás Ferrer").click()
            await page.locator("[data-place=C0FINANCE]").wait_for()
            assert await page.locator(".is-ephemeral").count() == 0
            await page.locator("[data-place=C0GENERAL]").click()
            await page.locator(".message", has_text="Good morning").wait_for()
            await page.locator("[data-place=C0GENERAL] .unread").wait_for(state="detached")


async def test_a_file_goes_up_and_comes_down_again(browser):
    async with workspace() as (local, _, app):
        teach(app)
        async with opened(browser, local.url) as page:
            upload = {"name": "q3.csv", "mimeType": "text/csv", "buffer": b"north,3\n"}
            await page.locator(".conversation input[type=file]").set_input_files(upload)
            await page.locator(".attached-file", has_text="q3.csv").wait_for()
            await write(page, "the numbers")
            card = page.locator(".file-card", has_text="q3.csv")
            async with page.expect_download() as started:
                await card.get_by_role("button", name="Download q3.csv").click()
            path = await (await started.value).path()
            assert path.read_bytes() == b"north,3\n"


PROBE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
BAD = "javascript:window.hacked=1"


def hostile_blocks():
    def part(**fields):
        section = {"type": "rich_text_section", "elements": [fields]}
        return {"type": "rich_text", "elements": [section]}

    markdown = (
        f"{PROBE}\n\n[one]({BAD}) [two](data:text/html,{PROBE}) ![three](https://evil.example/x.png)"
        f"\n\n<{BAD}>\n\n```\n{PROBE}\n```\n\n| {PROBE} |\n|---|\n| [x]({BAD}) |\n"
    )
    return [
        {"type": "markdown", "text": markdown},
        {"type": "section", "text": {"type": "mrkdwn", "text": f"{PROBE} <{BAD}|click me>"}},
        {"type": "header", "text": {"type": "plain_text", "text": PROBE}},
        part(type="link", url=BAD, text="rich"),
        {"type": "image", "image_url": "https://evil.example/x.png", "alt_text": PROBE},
        {
            "type": "actions",
            "elements": [
                {
                    "type": "button",
                    "action_id": "go",
                    "url": BAD,
                    "text": {"type": "plain_text", "text": "Hostile"},
                }
            ],
        },
    ]


async def test_hostile_text_and_links_do_nothing(browser):
    async with workspace() as (local, client, app):
        teach(app)
        slack = local.slack
        slack.member("tomas").real_name = PROBE
        slack.channel("sales").topic = PROBE
        await slack.say("tomas", "sales", f"{PROBE} @Countersign", is_told=False)
        await client.chat_postMessage(channel="C0SALES", text=PROBE, blocks=hostile_blocks())
        asked: list[str] = []
        async with opened(browser, local.url) as page:
            page.on("request", lambda request: asked.append(request.url))
            page.on("dialog", lambda dialog: asked.append("dialog"))
            await page.reload()
            await page.locator("button", has_text="Hostile").click()
            await page.locator("button", has_text="Hostile").wait_for()
            for _ in range(await page.locator(".conversation .dead-link").count()):
                await page.locator(".conversation .dead-link").nth(_).click()
            assert await page.evaluate("window.hacked") is None
            assert await page.locator("#frame img, #frame script, #frame iframe").count() == 0
            addresses = await page.eval_on_selector_all("#frame a", "all => all.map(a => a.href)")
            assert {address.split(":")[0] for address in addresses} == {"https"}
            assert len(page.context.pages) == 1
            await shoot(page, "hostile")

    assert [url for url in asked if not url.startswith(local.url)] == []


async def test_the_page_refuses_markup_even_from_its_own_code(browser):
    complaint = "requires 'TrustedHTML'"
    async with (
        workspace() as (local, _, _app),
        opened(browser, local.url, expected=complaint) as page,
    ):
        refused = await page.evaluate(
            "() => { try { document.body.innerHTML = '<b>x</b>'; return false }"
            " catch { return true } }"
        )
        assert refused
