"""The stand-ins fail as the platforms do, when a test or a person at the page asks for it."""

import re
import time

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.workspace.faults import Faults
from bot.workspace.local import LocalWorkspace
from bot.workspace.slack.records import Fault
from bot.workspace.trouble import MICROSOFT, SLACK, Switch, catalogue


@pytest.fixture
async def local():
    async with LocalWorkspace() as workspace:
        yield workspace


@pytest.fixture
async def browser():
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
def client(local, browser):
    app = local.slack.app
    return AsyncWebClient(
        token=app.bot_token, base_url=local.slack.api_url, session=browser, retry_handlers=[]
    )


async def call(local, browser, method="auth.test", **args):
    headers = {"Authorization": f"Bearer {local.slack.app.bot_token}"}
    async with browser.post(local.slack.api_url + method, headers=headers, json=args) as response:
        return response.status, response.headers, await response.text()


def test_a_fault_meets_as_many_requests_as_was_said_and_the_first_that_fits_comes_first():
    faults = Faults()
    twice, always = Fault(error="twice", times=2), Fault(error="always", times=0)
    faults.add("chat.*", twice)
    faults.add("chat.postMessage", always)
    met = [faults.take(name) for name in ("auth.test", *["chat.postMessage"] * 4)]
    assert met == [None, twice, twice, always, always]
    faults.clear()
    assert faults.take("chat.postMessage") is None


async def test_each_switch_of_slack_is_suffered_as_it_is_said(local, browser):
    seen = {}
    for kind in SLACK:
        local.troubles.on(Switch(name=f"slack.{kind}", seconds=0.01, word="account_inactive"))
        try:
            status, headers, text = await call(local, browser)
        except aiohttp.ClientError:
            seen[kind] = "cut"
        else:
            seen[kind] = (status, headers.get("Retry-After"), text[:45])
        local.troubles.calm()
    assert {kind: one if one == "cut" else one[0] for kind, one in seen.items()} == {
        "rate_limited": 429,
        "refused": 200,
        "broken": 503,
        "gateway": 502,
        "dropped_before": "cut",
        "dropped_after": "cut",
        "slow": 200,
    }
    assert seen["rate_limited"][1:] == ("0", '{"ok": false, "error": "ratelimited"}')
    assert "account_inactive" in seen["refused"][2] and "<html>" in seen["gateway"][2]


async def test_a_reply_is_dropped_before_or_after_the_effect(local, browser):
    for kind in ("before", "after"):
        local.troubles.on(Switch(name=f"slack.dropped_{kind}", on="chat.*", times=1))
        with pytest.raises(aiohttp.ClientError):
            await call(local, browser, "chat.postMessage", channel="C0SALES", text=kind)
    assert [message["text"] for message in local.slack.messages("sales")] == ["after"]
    assert [one.status for one in local.slack.calls("chat.postMessage")] == [0, 0]
    assert (await call(local, browser))[0] == 200


async def test_a_rate_limit_without_a_word_of_its_own_is_slacks(local, browser):
    local.slack.fail("auth.test", Fault(error="ratelimited"), Fault(drop="before"))
    status, _, text = await call(local, browser)
    assert (status, text) == (200, '{"ok": false, "error": "ratelimited"}')
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await call(local, browser)


async def test_a_slow_answer_comes_after_its_seconds(local, browser):
    local.troubles.on(Switch(name="slack.slow", seconds=0.2))
    began = time.perf_counter()
    await call(local, browser)
    assert time.perf_counter() - began >= 0.2


async def test_a_moved_clock_ends_what_has_a_time(local, client):
    root = await local.slack.say("mara", "sales", "hello", is_told=False)
    stream = await client.chat_startStream(
        channel="C0SALES",
        thread_ts=root,
        recipient_user_id=local.slack.member("mara").id,
        recipient_team_id=local.slack.world.team.id,
    )
    local.troubles.move_clock(301.0)
    with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
        await client.chat_appendStream(channel="C0SALES", ts=stream["ts"], markdown_text="x")
    later = await local.slack.say("mara", "sales", "later", is_told=False)
    assert 300 < float(later) - float(root) < 320
    local.troubles.calm()
    assert local.slack.world.clock() == pytest.approx(time.time(), abs=5)


GRAPH = {
    "unauthorized": 401,
    "forbidden": 403,
    "rate_limited": 429,
    "broken": 503,
    "dropped_before": "cut",
    "dropped_after": "cut",
    "slow": 202,
}


@pytest.mark.parametrize("kind", MICROSOFT)
async def test_each_switch_of_graph_is_suffered_and_mail_goes_only_where_it_says(
    local, browser, kind
):
    microsoft = local.microsoft
    local.troubles.on(Switch(name=f"graph.{kind}", on="POST /me/*", seconds=0.01, times=1))
    mail = {"subject": "Q3", "body": {"content": "x"}, "toRecipients": [to("priya", microsoft)]}
    headers = {"Authorization": f"Bearer {microsoft.token('mara', 'Mail.Send')}"}
    url = f"{microsoft.graph_url}/me/sendMail"
    try:
        async with browser.post(url, headers=headers, json={"message": mail}) as response:
            seen = response.status
            told = response.headers.get("Retry-After")
    except aiohttp.ClientError:
        seen, told = "cut", None
    assert seen == GRAPH[kind]
    assert told == ("0" if kind == "rate_limited" else None)
    assert len(microsoft.effects("mail.sent")) == (kind in ("dropped_after", "slow"))


def to(person, microsoft):
    return {"emailAddress": {"address": microsoft.person(person).upn}}


ENTRA = {**GRAPH, "slow": 400}
"""A refresh token that nobody was given is refused, late."""


@pytest.mark.parametrize("kind", MICROSOFT)
async def test_each_switch_of_entra_is_suffered(local, browser, kind):
    microsoft = local.microsoft
    local.troubles.on(Switch(name=f"entra.{kind}", on="token refresh_token", seconds=0.01, times=1))
    form = {"grant_type": "refresh_token", "refresh_token": "nobody's"}
    url = f"{microsoft.entra_url}/{microsoft.tenant.id}/oauth2/v2.0/token"
    try:
        async with browser.post(url, data=form) as response:
            seen = response.status
    except aiohttp.ClientError:
        seen = "cut"
    # What is dropped after the effect was refused before it, which is an answer.
    assert seen == (400 if kind == "dropped_after" else ENTRA[kind])


async def token_of(local, browser):
    async with browser.get(f"{local.url}trouble") as response:
        return re.search(r'name="page-token" content="([^"]+)"', await response.text())[1]


async def press(local, browser, action, token, **args):
    headers = {"X-Page-Token": token}
    url = f"{local.url}trouble/{action}"
    async with browser.post(url, headers=headers, json=args) as response:
        return response.status, await response.json()


async def test_the_page_switches_and_clears_and_says_what_fails(local, browser):
    token = await token_of(local, browser)
    _, now = await press(local, browser, "on", token, name="slack.broken", on="auth.*", times=2)
    assert now["faults"] == [{"platform": "slack", "on": "auth.*", "left": 2, "what": "503"}]
    assert now["catalogue"] == catalogue()
    assert (await call(local, browser))[0] == 503
    _, now = await press(local, browser, "set", token, is_paced=True, skew=-400)
    assert (now["is_paced"], now["skew"], now["faults"][0]["left"]) == (True, -400.0, 1)
    _, now = await press(local, browser, "calm", token)
    assert (now["faults"], now["is_paced"], now["skew"]) == ([], False, 0.0)
    assert (await call(local, browser))[0] == 200


@pytest.mark.parametrize(
    ("action", "args"),
    [
        ("on", {"name": "slack.flood"}),
        ("on", {"name": "teams.broken"}),
        ("on", {}),
        ("on", {"name": "slack.broken", "times": -1}),
        ("on", {"name": "slack.slow", "seconds": "nan"}),
        ("set", {"skew": "soon"}),
        ("explode", {}),
    ],
)
async def test_what_means_nothing_switches_nothing(local, browser, action, args):
    status, _ = await press(local, browser, action, await token_of(local, browser), **args)
    assert status == 400
    assert local.troubles.standing() == {"faults": [], "is_paced": False, "skew": 0.0}


async def test_nobody_switches_without_the_pages_token_or_from_elsewhere(local, browser):
    args = {"name": "slack.broken"}
    assert (await press(local, browser, "on", "guess", **args))[0] == 403
    headers = {"Origin": "http://evil.example", "X-Page-Token": await token_of(local, browser)}
    async with browser.post(f"{local.url}trouble/on", headers=headers, json=args) as response:
        assert response.status == 421
    assert (await call(local, browser))[0] == 200
