"""What people do, as the app hears of it: typed text, edits, menus, modals, the App Home."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs

import aiohttp
import pytest
from aiohttp import web
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.workspace.slack.checks import Refusal
from bot.workspace.slack.delivery import signature
from bot.workspace.slack.rich_text import typed
from bot.workspace.slack_server import SlackStandIn
from tests.workspace.conftest import at_once
from tests.workspace.scripted_bot import FORM, plain


class Ear:
    """An app that writes down what it is sent, and answers what it was told to."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.events: list[dict] = []
        self.status, self.answer, self.extra = 200, "", {}
        self.holds: asyncio.Event | None = None
        """Keeps the first delivery waiting until it is set."""

    async def hear(self, request: web.Request) -> web.Response:
        self.bodies.append(await request.read())
        self.headers.append(dict(request.headers))
        if request.content_type == "application/json":
            self.events.append((await request.json())["event"])
        if self.holds is not None and len(self.bodies) == 1:
            await self.holds.wait()
        return web.Response(status=self.status, text=self.answer, headers=self.extra)


@asynccontextmanager
async def hearing(slack: SlackStandIn) -> AsyncIterator[Ear]:
    ear, site = Ear(), web.Application()
    site.router.add_post("/", ear.hear)
    runner = web.AppRunner(site, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    slack.connect(f"http://127.0.0.1:{runner.addresses[0][1]}/")
    try:
        yield ear
    finally:
        await runner.cleanup()


async def test_every_delivery_is_signed_over_its_exact_bytes(slack):
    async with hearing(slack) as ear:
        await slack.say("mara", "sales", "@Countersign grüße")
        await slack.command("mara", "sales", "/usage", "payload")
        await slack.settled()

    for body, headers in zip(ear.bodies, ear.headers, strict=True):
        stamp = headers["X-Slack-Request-Timestamp"]
        expected = signature(slack.app.signing_secret, stamp, body)["X-Slack-Signature"]
        assert headers["X-Slack-Signature"] == expected


def test_typed_text_is_escaped_and_stands_as_rich_text_too(slack_people):
    text, block = typed("Is `a<b` & *so*, @mara? See https://x.example/?a=1&b=2", *slack_people)
    parts = block["elements"][0]["elements"]

    assert text == ("Is `a&lt;b` &amp; *so*, <@U0MARA>? See <https://x.example/?a=1&amp;b=2>")
    assert {"type": "text", "text": "a<b", "style": {"code": True}} in parts
    assert {"type": "user", "user_id": "U0MARA"} in parts
    assert {"type": "link", "url": "https://x.example/?a=1&b=2"} in parts
    assert {"type": "text", "text": "so", "style": {"bold": True}} in parts


def test_a_mention_in_code_is_no_mention_and_one_in_a_quote_is(slack_people):
    text, block = typed("`@mara`\n> @mara\n```\n@mara\n```", *slack_people)
    kinds = [element["type"] for element in block["elements"]]

    assert kinds == ["rich_text_section", "rich_text_quote", "rich_text_preformatted"]
    assert text == "`@mara`\n&gt; <@U0MARA>\n```@mara```"


@pytest.fixture
def slack_people():
    world = SlackStandIn().world
    return world.members.values(), world.channels.values()


async def test_an_edit_that_adds_the_mention_is_told_as_a_mention(slack):
    async with hearing(slack) as ear:
        ts = await slack.say("mara", "sales", "what did we sell?")
        await slack.edit("sales", ts, "@Countersign what did we sell?")
        await slack.delete("sales", ts)
        await slack.settled()

    kinds = sorted((e["type"], e.get("subtype", "")) for e in ear.events)
    assert kinds == [
        ("app_mention", ""),
        ("message", ""),
        ("message", "message_changed"),
        ("message", "message_deleted"),
    ]
    mention = next(e for e in ear.events if e["type"] == "app_mention")
    assert mention["ts"] == ts != mention["event_ts"]


async def test_the_app_hears_nothing_from_channels_that_it_is_not_in(slack):
    slack.add_channel("lunch", ["mara"])
    async with hearing(slack) as ear:
        await slack.say("mara", "lunch", "@Countersign hello")
        await slack.settled()
    assert ear.events == []


async def test_a_shared_file_is_told_with_the_message_and_on_its_own(slack):
    async with hearing(slack) as ear:
        file = slack.add_file("mara", "q3.csv", b"1,2\n")
        await slack.say("mara", slack.direct("mara"), "look", files=[file])
        await slack.settled()

    said = next(e for e in ear.events if e["type"] == "message")
    assert (said["subtype"], said["files"][0]["name"]) == ("file_share", "q3.csv")
    assert next(e for e in ear.events if e["type"] == "file_shared")["file_id"] == file.id


async def test_no_retry_stops_the_retries(slack):
    async with hearing(slack) as ear:
        ear.status, ear.extra = 500, {"X-Slack-No-Retry": "1"}
        await slack.say("mara", slack.direct("mara"), "hello")
        await slack.settled()
    assert len(ear.bodies) == 1


async def test_an_app_that_is_too_slow_is_told_so_in_the_retry():
    async with SlackStandIn(sleep=at_once, patience=0.05) as slack, hearing(slack) as ear:
        ear.holds = asyncio.Event()
        await slack.say("mara", slack.direct("mara"), "hello")
        await slack.settled()
        ear.holds.set()

    assert [d.reason for d in slack.deliveries] == ["http_timeout", ""]
    assert ear.headers[1]["X-Slack-Retry-Reason"] == "http_timeout"
    assert ear.headers[1]["X-Slack-Retry-Num"] == "1"


async def test_a_command_that_fails_says_so_to_the_person_alone(slack):
    async with hearing(slack) as ear:
        ear.status = 500
        await slack.command("mara", "sales", "/usage")
    said = [m["text"] for m in slack.ephemerals("mara", "sales")]
    assert said == ['/usage failed with the error "dispatch_failed"']


async def test_a_response_url_works_five_times_and_half_an_hour():
    now = [1_000.0]
    async with SlackStandIn(clock=lambda: now[0], sleep=at_once) as slack, hearing(slack) as ear:
        async with aiohttp.ClientSession() as session:

            async def answer(url):
                async with session.post(url, json={"text": "x"}) as response:
                    return response.status

            await slack.command("mara", "sales", "/usage")
            await slack.command("mara", "sales", "/usage")
            first, second = (parse_qs(b.decode())["response_url"][0] for b in ear.bodies)
            assert [await answer(first) for _ in range(6)] == [200] * 5 + [404]
            now[0] += 1_801
            assert await answer(second) == 404
    assert len(slack.ephemerals("mara", "sales")) == 5


async def test_a_click_on_what_one_cannot_see_is_no_click(slack, client):
    blocks = [
        {
            "type": "actions",
            "elements": [{"type": "button", "action_id": "go", "text": plain("Go")}],
        }
    ]
    whisper = await client.chat_postEphemeral(
        channel="C0SALES", user="U0MARA", text="x", blocks=blocks
    )
    async with hearing(slack) as ear:
        with pytest.raises(Refusal, match="message_not_found"):
            await slack.click("tomas", whisper["message_ts"], "go")
        await slack.click("mara", whisper["message_ts"], "go")
    assert len(ear.bodies) == 1


async def test_a_modal_opens_once_per_trigger_and_only_at_once():
    now = [1_000.0]
    async with SlackStandIn(clock=lambda: now[0], sleep=at_once) as slack:
        client = AsyncWebClient(token=slack.app.bot_token, base_url=slack.api_url)
        trigger = slack.world.trigger("U0MARA")
        late = slack.world.trigger("U0MARA")
        await client.views_open(trigger_id=trigger, view=FORM)
        with pytest.raises(SlackApiError, match="exchanged_trigger_id"):
            await client.views_open(trigger_id=trigger, view=FORM)
        now[0] += 3.5
        with pytest.raises(SlackApiError, match="expired_trigger_id"):
            await client.views_open(trigger_id=late, view=FORM)
        assert len(slack.world.modals["U0MARA"]) == 1


async def test_a_submitted_modal_carries_what_was_typed_and_obeys_the_answer(slack, client):
    opened = await client.views_open(trigger_id=slack.world.trigger("U0MARA"), view=FORM)
    view = opened["view"]["id"]
    async with hearing(slack) as ear:
        ear.answer = '{"response_action": "errors", "errors": {"to": "no address"}}'
        first = await slack.submit("mara", view, {"to": {"v": "finance"}})
        with pytest.raises(Refusal, match="not_found"):
            await slack.submit("tomas", view, {})
        ear.answer = ""
        second = await slack.submit("mara", view, {"to": {"v": "finance@larkspur.example"}})

    assert first == {"errors": {"to": "no address"}}
    assert second == {}
    assert "finance%40larkspur.example" in ear.bodies[-1].decode()
    assert slack.world.modals["U0MARA"] == []
