"""Bolt's own client, server and Socket Mode code run against the stand-in as they are."""

import asyncio

import aiohttp
import pytest
from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_sdk.errors import SlackApiError

from bot.workspace.slack.records import Fault
from tests.workspace.conftest import listening


async def test_a_mention_comes_back_as_a_reply_in_its_thread(slack, bolt):
    @bolt.event("app_mention")
    async def answer(event, say):
        await say(text=f"you said {event['text']}", thread_ts=event["ts"])

    async with listening(slack, bolt):
        ts = await slack.say("mara", "sales", "@Countersign is 3 < 5?")
        reply = (await slack.wait_for(lambda: slack.replies("sales", ts)))[0]
        await slack.settled()

    assert reply["text"] == f"you said <@{slack.app.member}> is 3 &lt; 5?"
    assert reply["thread_ts"] == ts


async def test_a_mention_in_a_channel_is_two_events_with_one_ts(slack, bolt):
    seen = []

    @bolt.event("app_mention")
    async def mention(event):
        seen.append(event)

    @bolt.event("message")
    async def message(event):
        seen.append(event)

    async with listening(slack, bolt):
        ts = await slack.say("mara", "sales", "@Countersign hello")
        await slack.wait_for(lambda: len(seen) == 2)

    assert sorted(event["type"] for event in seen) == ["app_mention", "message"]
    assert {event["ts"] for event in seen} == {ts}


async def test_a_click_carries_the_value_and_the_clicker(slack, client, bolt):
    seen = asyncio.Queue()

    @bolt.action("send")
    async def clicked(ack, body):
        await ack()
        await seen.put(body)

    async with listening(slack, bolt):
        button = {
            "type": "button",
            "action_id": "send",
            "value": "17",
            "text": {"type": "plain_text", "text": "Send"},
        }
        posted = await client.chat_postMessage(
            channel="C0SALES",
            text="Send it?",
            blocks=[{"type": "actions", "elements": [button]}],
        )
        delivery = await slack.click("tomas", posted["ts"], "send")
        body = await seen.get()

    assert delivery.status == 200
    assert body["user"]["id"] == "U0TOMAS"
    assert body["actions"][0]["value"] == "17"
    assert body["message"]["ts"] == posted["ts"]


async def test_a_command_is_answered_privately_through_its_response_url(slack, bolt):
    @bolt.command("/usage")
    async def usage(ack, command, respond):
        await ack()
        await respond(f"usage for {command['text']}")

    async with listening(slack, bolt):
        await slack.command("priya", "sales", "/usage", "7d")
        await slack.wait_for(lambda: slack.ephemerals("priya", "sales"))

    assert [m["text"] for m in slack.ephemerals("priya", "sales")] == ["usage for 7d"]
    assert slack.ephemerals("mara", "sales") == []


async def test_socket_mode_carries_events_commands_and_retries(slack, client, bolt):
    seen = []

    @bolt.event("app_mention")
    async def mention(event, request):
        seen.append((event["text"], request.headers.get("x-slack-retry-num")))

    @bolt.event("message")
    async def message():
        pass

    @bolt.command("/usage")
    async def usage(ack):
        await ack("nothing used")

    handler = AsyncSocketModeHandler(bolt, app_token=slack.app.app_token, web_client=client)
    await handler.connect_async()
    try:
        await slack.wait_for(lambda: slack.sockets.is_connected)
        ts = await slack.say("mara", "sales", "@Countersign hello")
        await slack.wait_for(lambda: seen)
        await slack.deliver(slack.envelope_for("sales", ts), retry=1)
        await slack.command("priya", "sales", "/usage", "payload")
        await slack.settled()
    finally:
        await handler.close_async()

    assert [number for _, number in seen] == [["0"], ["1"]]
    assert [m["text"] for m in slack.ephemerals("priya", "sales")] == ["nothing used"]


async def test_an_upload_in_two_steps_lies_in_the_thread_and_can_be_fetched(slack, client):
    ts = await slack.say("mara", "sales", "the sheet, please")
    await client.files_upload_v2(
        channel="C0SALES", thread_ts=ts, filename="q3.csv", content="region,sum\nnorth,3\n"
    )
    shared = slack.replies("sales", ts)[0]["files"][0]
    async with aiohttp.ClientSession() as session:
        headers = {"Authorization": f"Bearer {slack.app.bot_token}"}
        async with session.get(shared["url_private"], headers=headers) as response:
            content = await response.read()
        async with session.get(shared["url_private"]) as response:
            refused = response.content_type

    assert (shared["name"], content) == ("q3.csv", b"region,sum\nnorth,3\n")
    assert refused == "text/html"


async def test_a_stream_is_refused_what_slack_refuses(slack, client):
    ts = await slack.say("mara", "sales", "a long one, please")
    with pytest.raises(SlackApiError, match="missing_recipient_user_id"):
        await client.chat_startStream(channel="C0SALES", thread_ts=ts)
    stream = await client.chat_stream(
        channel="C0SALES", thread_ts=ts, recipient_user_id="U0MARA", recipient_team_id="T00000001"
    )
    await stream.append(markdown_text="Sales " * 60)
    posted = slack.replies("sales", ts)[0]["ts"]
    with pytest.raises(SlackApiError, match="streaming_state_conflict"):
        await client.chat_update(channel="C0SALES", ts=posted, text="no")
    await stream.stop(markdown_text="done")
    with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
        await client.chat_appendStream(channel="C0SALES", ts=posted, markdown_text="more")

    assert slack.replies("sales", ts)[0]["text"] == "Sales " * 60 + "done"


async def test_an_app_that_fails_is_retried_three_times_and_told_why(slack):
    seen = []

    async def endpoint(request: web.Request) -> web.Response:
        seen.append(request.headers.get("X-Slack-Retry-Num"))
        return web.Response(status=503)

    site = web.Application()
    site.router.add_post("/", endpoint)
    runner = web.AppRunner(site, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    slack.connect(f"http://127.0.0.1:{runner.addresses[0][1]}/")
    await slack.say("mara", slack.direct("mara"), "hello")
    await slack.settled()
    await runner.cleanup()

    assert seen == [None, "1", "2", "3"]
    assert [d.reason for d in slack.deliveries] == ["http_error"] * 4


async def test_a_fault_can_cut_the_line_after_the_effect(slack, client):
    slack.fail("chat.postMessage", Fault(drop="after"), Fault(status=429, retry_after=7))
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel="C0SALES", text="once")
    with pytest.raises(SlackApiError) as refused:
        await client.chat_postMessage(channel="C0SALES", text="twice")
    await client.chat_postMessage(channel="C0SALES", text="thrice")

    assert refused.value.response.headers["Retry-After"] == "7"
    assert [m["text"] for m in slack.messages("sales")] == ["once", "thrice"]
    assert all(call.has_token for call in slack.calls("chat.postMessage"))
