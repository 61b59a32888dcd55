"""The page's own API answers this machine's own page alone."""

import re

import aiohttp
import pytest

from bot.workspace.local import LocalWorkspace


@pytest.fixture
async def local():
    async with LocalWorkspace() as workspace:
        yield workspace


@pytest.fixture
async def browser():
    async with aiohttp.ClientSession() as session:
        yield session


async def token_of(browser, local):
    async with browser.get(local.url) as response:
        text = await response.text()
    return re.search(r'name="page-token" content="([^"]+)"', text)[1]


async def test_a_page_under_another_name_is_turned_away(browser, local):
    async with browser.get(local.url, headers={"Host": "evil.example"}) as response:
        assert response.status == 421


async def test_a_request_from_another_origin_is_turned_away(browser, local):
    headers = {"Origin": "http://evil.example"}
    body = {"token": local.slack.app.bot_token, "channel": "C0SALES", "text": "x"}
    for path in ("api/chat.postMessage", "page/overview"):
        async with browser.post(local.url + path, headers=headers, data=body) as response:
            assert response.status == 421
    assert local.slack.messages("sales") == []


async def test_without_the_pages_token_nothing_is_told(browser, local):
    for token in ("", "guess"):
        async with browser.post(
            f"{local.url}page/overview", json={"person": "mara"}, headers={"X-Page-Token": token}
        ) as response:
            assert response.status == 403


async def test_two_starts_have_two_tokens_and_two_secrets(browser, local):
    async with LocalWorkspace() as other:
        assert await token_of(browser, local) != await token_of(browser, other)
        assert local.slack.app.bot_token != other.slack.app.bot_token
        assert local.slack.app.signing_secret not in repr(local.slack.app)


async def test_nobody_can_be_the_app_or_look_into_a_channel_that_is_not_theirs(browser, local):
    headers = {"X-Page-Token": await token_of(browser, local)}

    async def ask(action, **args):
        async with browser.post(
            f"{local.url}page/{action}", json=args, headers=headers
        ) as response:
            return response.status, await response.json()

    assert (await ask("overview", person=local.slack.app.member))[0] == 400
    assert await ask("conversation", person="mara", channel="C0FINANCE") == (
        400,
        {"error": "not_in_channel"},
    )
    ts = await local.slack.say("tomas", "sales", "mine")
    edit = {"person": "mara", "channel": "C0SALES", "ts": ts, "text": "hers"}
    assert (await ask("edit", **edit))[0] == 400
    assert local.slack.messages("sales")[0]["text"] == "mine"


async def test_an_uploaded_page_comes_back_as_a_download_and_never_as_a_page(browser, local):
    headers = {"X-Page-Token": await token_of(browser, local)}
    file = local.slack.add_file("mara", "x.html", b"<script>1</script>")
    query = {"person": "mara", "file": file.id}
    async with browser.get(f"{local.url}page/file", params=query, headers=headers) as response:
        assert response.content_type == "application/octet-stream"
        assert response.headers["Content-Disposition"] == "attachment"
        assert "script-src 'self'" in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["../page.py", "..%2Fpage.py", "js/nothing.js", "%2Fetc%2Fpasswd"])
async def test_only_the_pages_own_files_are_served(browser, local, path):
    async with browser.get(f"{local.url}static/{path}") as response:
        assert response.status == 404


async def test_no_stand_in_answers_to_another_name(browser, local):
    for base in (local.slack.base, local.microsoft.tenant.base, local.teams.base):
        async with browser.get(base, headers={"Host": "evil.example"}) as response:
            assert response.status == 421
