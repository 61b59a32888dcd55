"""The mailbox page in a real browser."""

import aiohttp
import pytest
import pytest_asyncio

from bot.workspace.local import LocalWorkspace
from tests.browser import launched, needs_chromium, opened, shoot
from tests.workspace.microsoft.conftest import Caller, mail

pytestmark = [pytest.mark.browser, needs_chromium, pytest.mark.asyncio(loop_scope="module")]
HOSTILE = (
    "<p onclick='x()'>Hello <b>there</b></p><script>document.title='owned'</script>"
    "<img src=x onerror='document.title=1'><a href='javascript:alert(1)'>bad</a>"
    "<a href='https://larkspur.example'>good</a><ul><li>one</li></ul>"
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser():
    async with launched() as chromium:
        yield chromium


@pytest_asyncio.fixture(loop_scope="module")
async def local():
    async with LocalWorkspace() as workspace:
        yield workspace


@pytest_asyncio.fixture(loop_scope="module")
async def mara(local):
    scope = "Mail.Send Mail.ReadWrite Calendars.ReadWrite Files.ReadWrite ChatMessage.Send"
    async with aiohttp.ClientSession() as session:
        yield Caller(local.microsoft, session, local.microsoft.token("mara", scope))


async def become(page, name):
    await page.locator("#me").click()
    await page.get_by_role("menuitem", name=name).click()
    await page.locator("#me", has_text=name).wait_for()


async def test_a_mail_sent_through_graph_appears_by_itself(browser, local, mara):
    async with opened(browser, local.mail_url) as page:
        await page.locator(".row", has_text="Q3 summary for the close").wait_for()
        await shoot(page, "outlook-inbox")
        await become(page, "Tomás Ferrer")
        message = mail("tomas@larkspur.example", subject="Q3 summary")
        await mara("POST", "/me/sendMail", {"message": message})
        row = page.locator(".row.is-unread", has_text="Q3 summary").first
        await row.click()
        await page.locator(".reading", has_text="Attached.").wait_for()
        await page.locator(".row.is-open:not(.is-unread)").wait_for()
        await shoot(page, "outlook-reading")
        await become(page, "Mara Lindqvist")
        await page.get_by_role("button", name="Sent Items").click()
        sent = page.locator(".row", has_text="To: Tomás Ferrer").first
        assert "Q3 summary" in await sent.inner_text()


async def test_a_mail_from_outside_is_marked_and_cannot_run_anything(browser, local, mara):
    body = {"contentType": "html", "content": HOSTILE}
    message = mail("mara@larkspur.example", "x@elsewhere.example", subject="Odd") | {"body": body}
    await mara("POST", "/me/sendMail", {"message": message})
    async with opened(browser, local.mail_url) as page:
        await page.locator(".row", has_text="bank details").click()
        await page.locator(".warning", has_text="outside the company").wait_for()
        await page.locator(".row", has_text="Odd").click()
        letter = page.locator(".letter")
        await letter.locator("li", has_text="one").wait_for()
        assert await letter.locator("script, img, [onclick], [href^=javascript]").count() == 0
        assert await letter.locator("a[href]").all_inner_texts() == ["good"]
        assert "owned" not in await page.title()
        await page.get_by_role("button", name="Outside world").click()
        await page.locator(".row", has_text="x@elsewhere.example").click()
        await page.locator(".letter-to .is-external").wait_for()
        await shoot(page, "outlook-outside")


async def test_a_draft_says_that_it_was_not_sent(browser, local, mara):
    await mara("POST", "/me/messages", mail("tomas@larkspur.example", subject="Waiting"))
    async with opened(browser, local.mail_url) as page:
        await page.get_by_role("button", name="Drafts").click()
        await page.locator(".row", has_text="[Draft] Waiting").click()
        await page.locator(".reading .tag", has_text="not sent").wait_for()
        await shoot(page, "outlook-draft")


async def test_a_shared_mailbox_is_open_to_its_delegates_alone(browser, local):
    async with opened(browser, local.mail_url) as page:
        await page.get_by_role("button", name="Open Dealer Desk").click()
        await page.locator(".row", has_text="Discount step").wait_for()
        await become(page, "Priya Nair")
        assert await page.get_by_role("button", name="Open Dealer Desk").count() == 0


async def test_the_week_shows_new_meetings_and_who_is_asked(browser, local, mara):
    import datetime

    day = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}"
    event = {
        "subject": "Q3 review",
        "start": {"dateTime": f"{day}T12:00:00", "timeZone": "Europe/Berlin"},
        "end": {"dateTime": f"{day}T13:00:00", "timeZone": "Europe/Berlin"},
        "location": {"displayName": "Room Heron"},
        "attendees": [{"emailAddress": {"address": "tomas@larkspur.example"}}],
    }
    async with opened(browser, local.mail_url) as page:
        await page.get_by_role("button", name="Calendar").click()
        await page.locator(".event", has_text="Sales weekly").wait_for()
        made = await mara("POST", "/me/events", event)
        await page.locator(".event", has_text="Q3 review").click()
        await page.locator(".guests li", has_text="No answer yet").wait_for()
        await shoot(page, "outlook-calendar")
        await page.goto(made.body["webLink"])
        await page.reload()
        await page.locator(".event-panel h2", has_text="Q3 review").wait_for()


async def test_files_are_read_with_who_has_access(browser, local, mara):
    await mara("PUT", "/me/drive/root:/Reports/q3.md:/content", raw=b"# Q3\n\nNorth first.\n")
    async with opened(browser, local.mail_url) as page:
        await page.get_by_role("button", name="Files", exact=True).click()
        await page.locator("tr", has_text="From Tomás Ferrer").wait_for()
        await shoot(page, "outlook-files")
        await page.get_by_role("button", name="Reports").click()
        await page.get_by_role("button", name="q3.md").click()
        await page.locator(".file-panel pre", has_text="North first.").wait_for()
        await shoot(page, "outlook-file")
        async with page.expect_download() as got:
            await page.get_by_role("button", name="Download").click()
        path = await (await got.value).path()
        assert path.read_bytes().startswith(b"# Q3")


async def test_what_is_posted_to_a_chat_stands_there(browser, local, mara):
    async with opened(browser, local.mail_url) as page:
        await page.get_by_role("button", name="Chats").click()
        await page.locator(".chat", has_text="Tomás Ferrer").click()
        body = {"body": {"contentType": "text", "content": "The summary is out."}}
        await mara("POST", "/chats/19:mara-tomas@unq.gbl.spaces/messages", body)
        await page.locator(".line.is-me", has_text="The summary is out.").wait_for()
        await shoot(page, "outlook-chats")


@pytest.mark.parametrize("query", ["dealers", "nobody"])
async def test_the_api_opens_nobodys_mailbox_without_the_token_or_the_right(local, query):
    async with aiohttp.ClientSession() as session:
        url = f"{local.mail_url}/look/mails"
        async with session.post(url, json={"person": "mara", "folder": "inbox"}) as response:
            assert response.status == 403
        async with session.get(local.mail_url) as response:
            token = (await response.text()).partition('page-token" content="')[2].partition('"')[0]
            assert "script-src 'self'" in response.headers["Content-Security-Policy"]
        headers = {"X-Page-Token": token}
        body = {"person": "tomas", "box": query, "folder": "inbox"}
        async with session.post(url, json=body, headers=headers) as response:
            assert response.status == 404
        async with session.post(url, json=body | {"box": "tomas"}, headers=headers) as response:
            assert response.status == 200
