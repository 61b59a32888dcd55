"""The sign-in pages: over HTTP as the app sees them, and clicked in a real browser."""

from contextlib import asynccontextmanager

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web

from bot.workspace.microsoft.entra import failures
from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from tests.browser import launched, needs_chromium, opened, shoot
from tests.workspace.microsoft.msal_client import REDIRECT, Client, query_of

BACK = "<title>Back</title><link rel=icon href='data:,'>Back at the app."
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser():
    async with launched() as chromium:
        yield chromium


@pytest_asyncio.fixture(loop_scope="module")
async def ms():
    async with MicrosoftStandIn(redirect_uris=[REDIRECT]) as stand_in:
        yield stand_in


@asynccontextmanager
async def listening():
    """The app's own address; what comes back to it is kept."""
    got: list[dict[str, str]] = []

    async def back(request):
        got.append({**request.query, **await request.post(), "method": request.method})
        return web.Response(text=BACK, content_type="text/html")

    site = web.Application()
    site.router.add_route("*", "/microsoft/callback", back)
    runner = web.AppRunner(site, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://localhost:{runner.addresses[0][1]}/microsoft/callback", got
    finally:
        await runner.cleanup()


def at(url, redirect, **more):
    """The authorize address of MSAL with another port of loopback, and changed parameters."""
    query = query_of(url) | {"redirect_uri": redirect} | more
    return f"{url.partition('?')[0]}?{aiohttp.client.URL('/').with_query(query).query_string}"


@pytest.mark.parametrize("mode", ["form_post", "query"])
@pytest.mark.browser
@needs_chromium
async def test_a_person_picks_an_account_reads_what_is_asked_and_accepts(browser, ms, mode):
    client = Client(ms)
    url = await client.start("Mail.Send", "Mail.ReadWrite", login_hint="mara@larkspur.example")
    async with listening() as (redirect, got):
        start = at(url, redirect, response_mode=mode)
        async with opened(browser, start, width=900, height=760) as page:
            tile = page.locator(".tile.is-expected", has_text="Mara Lindqvist")
            await tile.wait_for()
            await shoot(page, "entra-pick")
            await tile.click()
            await page.locator("li", has_text="Send mail as you").wait_for()
            await page.locator("li", has_text="offline_access").wait_for()
            await shoot(page, "entra-consent")
            await page.get_by_role("button", name="Accept").click()
            await page.get_by_text("Back at the app.").wait_for()
    assert got[0]["method"] == ("POST" if mode == "form_post" else "GET")
    assert got[0]["state"] == client.flow["state"]
    assert got[0]["code"] in ms.entra.codes


@pytest.mark.browser
@needs_chromium
async def test_cancel_and_admin_approval_lead_back_with_the_reason(browser, ms):
    async with listening() as (redirect, got):
        url = at(await Client(ms).start("Mail.Send"), redirect)
        async with opened(browser, url) as page:
            await page.locator(".tile", has_text="Tomás Ferrer").click()
            await page.get_by_role("button", name="Cancel").click()
            await page.get_by_text("Back at the app.").wait_for()
        url = at(await Client(ms).start("ChannelMessage.Read.All"), redirect)
        async with opened(browser, url, width=900, height=760) as page:
            await page.locator(".tile", has_text="Tomás Ferrer").click()
            await page.get_by_role("heading", name="Need admin approval").wait_for()
            await shoot(page, "entra-admin")
            await page.get_by_role("button", name="Return to the app").click()
            await page.get_by_text("Back at the app.").wait_for()
    assert [one["error"] for one in got] == ["access_denied", "access_denied"]
    assert "AADSTS65004" in got[0]["error_description"]
    assert "AADSTS90094" in got[1]["error_description"]


@pytest.mark.browser
@needs_chromium
async def test_whoever_is_signed_in_and_has_agreed_is_sent_straight_back(browser, ms):
    async with listening() as (redirect, got):
        url = at(await Client(ms).start("Mail.Send"), redirect)
        async with opened(browser, url) as page:
            await page.locator(".tile", has_text="Mara Lindqvist").click()
            await page.get_by_role("button", name="Accept").click()
            await page.get_by_text("Back at the app.").wait_for()
            await page.goto(url)
            await page.get_by_text("Back at the app.").wait_for()
            await page.goto(at(url, redirect, prompt="none", login_hint="tomas@larkspur.example"))
            await page.get_by_text("Back at the app.").wait_for()
            await page.goto(f"{ms.entra_url}/{ms.tenant.id}/oauth2/v2.0/logout")
            await page.get_by_role("heading", name="You signed out").wait_for()
            await page.goto(at(url, redirect, prompt="none"))
            await page.get_by_text("Back at the app.").wait_for()
    assert ["code" in one for one in got] == [True, True, False, False]
    assert {one["error"] for one in got[2:]} == {"login_required"}


@pytest.mark.browser
@needs_chromium
async def test_the_second_factor_is_a_page_of_its_own(browser, ms):
    ms.entra.conditions[ms.person("mara").oid] = failures.MFA
    ms.entra.conditions[ms.person("priya").oid] = failures.BLOCKED
    async with listening() as (redirect, got):
        url = at(await Client(ms).start("User.Read"), redirect)
        async with opened(browser, url) as page:
            await page.locator(".tile", has_text="Mara Lindqvist").click()
            await page.get_by_role("button", name="Approve").click()
            await page.get_by_role("button", name="Accept").click()
            await page.get_by_text("Back at the app.").wait_for()
        async with opened(browser, url, expected="400") as page:
            await page.locator(".tile", has_text="Priya Nair").click()
            await page.get_by_role("heading", name="You cannot access this right now").wait_for()
    assert len(got) == 1


@pytest.mark.browser
@needs_chromium
async def test_an_administrator_agrees_for_everybody(browser, ms):
    async with listening() as (redirect, got):
        query = {
            "client_id": ms.app.client_id,
            "redirect_uri": redirect,
            "scope": "https://graph.microsoft.com/ChannelMessage.Read.All",
            "state": "s1",
        }
        url = f"{ms.entra_url}/{ms.tenant.id}/v2.0/adminconsent"
        address = aiohttp.client.URL(url).with_query(query)
        async with opened(browser, str(address)) as page:
            await page.get_by_role("button", name="Accept as Priya Nair").click()
            await page.get_by_text("Back at the app.").wait_for()
    assert (got[0]["admin_consent"], got[0]["state"]) == ("True", "s1")
    granted = ms.entra.consents.granted(ms.person("mara"), "https://graph.microsoft.com")
    assert granted == {"ChannelMessage.Read.All"}


@pytest.mark.parametrize(
    ("change", "number"),
    [
        ({"client_id": "another"}, 700016),
        ({"redirect_uri": "https://evil.example/microsoft/callback"}, 50011),
        ({"redirect_uri": "http://localhost:9/elsewhere"}, 50011),
    ],
)
async def test_nothing_is_sent_to_an_address_that_is_not_registered(ms, change, number):
    url = at(await Client(ms).start("User.Read"), REDIRECT, **change)
    async with aiohttp.ClientSession() as session, session.get(url, allow_redirects=False) as page:
        assert page.status == 400
        assert f"AADSTS{number}" in await page.text()
        assert "Location" not in page.headers


@pytest.mark.parametrize(
    ("change", "error", "number"),
    [
        ({"response_type": "token"}, "unsupported_response_type", 700054),
        ({"code_challenge_method": "plain"}, "invalid_request", 501491),
        ({"scope": "Mail.Fly"}, "invalid_scope", 70011),
        ({"prompt": "none"}, "login_required", 50058),
    ],
)
async def test_what_the_app_asked_wrongly_is_told_to_the_app(ms, change, error, number):
    url = at(await Client(ms).start("User.Read"), REDIRECT, response_mode="query", **change)
    async with aiohttp.ClientSession() as session, session.get(url, allow_redirects=False) as page:
        back = query_of(page.headers["Location"])
    assert back["error"] == error
    assert f"AADSTS{number}" in back["error_description"]
    assert back["state"]


async def test_a_stranger_and_a_shared_mailbox_cannot_sign_in(ms):
    url = await Client(ms).start("User.Read")
    for who in ("jonas@fjord-fell.example", "dealers@larkspur.example"):
        with pytest.raises(RuntimeError, match="does not exist in tenant"):
            ms.sign_in(url, who)


async def test_a_page_cannot_be_used_twice_or_without_its_own_number(ms):
    async with aiohttp.ClientSession() as session:
        url = f"{ms.entra_url}/{ms.tenant.id}/sign-in"
        form = {"attempt": "guess", "step": "agree", "choice": "yes"}
        async with session.post(url, data=form) as page:
            assert page.status == 400
    assert ms.entra.codes == {}
