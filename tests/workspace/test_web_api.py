"""The Web API as the real client sees it: what it gives, what it refuses, what others see."""

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.workspace.slack.records import Fault
from bot.workspace.slack_server import SlackStandIn
from tests.workspace.conftest import at_once

MARK = {"event_type": "answer", "event_payload": {"post": "p1"}}


async def refused(call):
    with pytest.raises(SlackApiError) as error:
        await call
    return error.value.response["error"]


async def test_a_call_without_a_good_token_is_refused(slack):
    for token, code in (("", "not_authed"), ("xoxb-guess", "invalid_auth")):
        client = AsyncWebClient(token=token, base_url=slack.api_url)
        assert await refused(client.auth_test()) == code
    app_token = AsyncWebClient(token=slack.app.app_token, base_url=slack.api_url)
    assert await refused(app_token.auth_test()) == "not_allowed_token_type"


async def test_an_unknown_method_is_named(client):
    assert await refused(client.api_call("chat.shout")) == "unknown_method"


async def test_the_app_posts_only_where_it_is(slack, client):
    elsewhere = slack.add_channel("lunch", ["mara"])
    hidden = slack.add_channel("secret", ["mara"], "private")
    assert await refused(client.chat_postMessage(channel="C0", text="x")) == "channel_not_found"
    assert await refused(client.chat_postMessage(channel=elsewhere.id, text="x")) == (
        "not_in_channel"
    )
    assert await refused(client.chat_postMessage(channel=hidden.id, text="x")) == (
        "channel_not_found"
    )
    absent = client.chat_postMessage(channel="C0SALES", thread_ts="1.2", text="x")
    assert await refused(absent) == "thread_not_found"


async def test_a_message_to_a_person_goes_to_their_direct_messages(slack, client):
    posted = await client.chat_postMessage(channel="U0MARA", text="hello")
    assert posted["channel"] == slack.direct("mara")


async def test_an_update_without_blocks_takes_them_away(slack, client):
    blocks = [{"type": "divider"}]
    posted = await client.chat_postMessage(channel="C0SALES", text="x", blocks=blocks)
    assert slack.messages("sales")[0]["blocks"][0]["type"] == "divider"
    await client.chat_update(channel="C0SALES", ts=posted["ts"], text="y")
    assert "blocks" not in slack.messages("sales")[0]
    long = client.chat_update(channel="C0SALES", ts=posted["ts"], text="x" * 4_001)
    assert await refused(long) == "msg_too_long"


async def test_nobody_elses_message_is_changed_or_deleted(slack, client):
    ts = await slack.say("mara", "sales", "mine")
    change = client.chat_update(channel="C0SALES", ts=ts, text="x")
    assert await refused(change) == "cant_update_message"
    assert await refused(client.chat_delete(channel="C0SALES", ts=ts)) == "cant_delete_message"
    gone = client.chat_update(channel="C0SALES", ts="1.2", text="x")
    assert await refused(gone) == "message_not_found"


async def test_a_thread_is_read_page_by_page_with_metadata_on_demand(slack, client):
    ts = await slack.say("mara", "sales", "root")
    for number in range(5):
        await client.chat_postMessage(
            channel="C0SALES", thread_ts=ts, text=str(number), metadata=MARK
        )
    found, cursor = [], ""
    while True:
        page = await client.conversations_replies(
            channel="C0SALES", ts=ts, limit=2, cursor=cursor, include_all_metadata=True
        )
        found += page["messages"]
        cursor = (page.get("response_metadata") or {}).get("next_cursor", "")
        if not page["has_more"]:
            break
    bare = await client.conversations_replies(channel="C0SALES", ts=ts)

    assert [message["text"] for message in found] == ["root", "0", "1", "2", "3", "4"]
    assert found[1]["metadata"] == MARK
    assert all("metadata" not in message for message in bare["messages"])
    assert bare["messages"][0]["reply_count"] == 5


async def test_history_is_newest_first_and_leaves_replies_out(slack, client):
    first = await slack.say("mara", "sales", "first")
    await slack.say("mara", "sales", "a reply", first)
    await slack.say("mara", "sales", "second")
    page = await client.conversations_history(channel="C0SALES")
    since = await client.conversations_history(channel="C0SALES", oldest=first)

    assert [message["text"] for message in page["messages"]] == ["second", "first"]
    assert [message["text"] for message in since["messages"]] == ["second"]


async def test_an_ephemeral_message_is_seen_by_one_person(slack, client):
    await client.chat_postEphemeral(channel="C0SALES", user="U0MARA", text="for you")
    outside = client.chat_postEphemeral(channel="C0SALES", user="U0JONAS", text="x")

    assert [m["text"] for m in slack.ephemerals("mara", "sales")] == ["for you"]
    assert slack.ephemerals("tomas", "sales") == slack.messages("sales") == []
    assert await refused(outside) == "user_not_in_channel"


async def test_a_status_goes_with_the_apps_next_message(slack, client):
    ts = await slack.say("mara", "sales", "hello")
    await client.assistant_threads_setStatus(
        channel_id="C0SALES", thread_ts=ts, status="is thinking…", loading_messages=["still"]
    )
    assert slack.world.statuses["C0SALES", ts].text == "is thinking…"
    await client.chat_postMessage(channel="C0SALES", thread_ts=ts, text="done")
    assert slack.world.statuses == {}
    many = client.assistant_threads_setStatus(
        channel_id="C0SALES", thread_ts=ts, status="x", loading_messages=["x"] * 11
    )
    assert await refused(many) == "invalid_arguments"


async def test_people_and_places_are_told_as_slack_tells_them(client):
    person = (await client.users_info(user="U0PRIYA"))["user"]
    place = (await client.conversations_info(channel="C0FINANCE"))["channel"]
    direct = (await client.conversations_open(users="U0MARA"))["channel"]["id"]
    mine = await client.users_conversations(types="public_channel,private_channel")

    assert (person["real_name"], person["is_admin"]) == ("Priya Nair", True)
    assert (place["is_private"], place["is_im"]) == (True, False)
    assert (await client.conversations_info(channel=direct))["channel"]["user"] == "U0MARA"
    assert [channel["name"] for channel in mine["channels"]] == ["general", "sales", "finance"]
    assert await refused(client.users_info(user="U0NOBODY")) == "user_not_found"


async def test_scripted_faults_happen_in_order_and_once(slack, client):
    slack.fail("auth.test", Fault(error="internal_error"), Fault(status=500, error="fatal"))
    assert await refused(client.auth_test()) == "internal_error"
    assert await refused(client.auth_test()) == "fatal"
    assert (await client.auth_test())["user_id"] == slack.app.member
    assert [call.status for call in slack.calls("auth.test")] == [200, 500, 200]


async def test_the_rate_limit_answers_429_with_the_seconds_to_wait():
    now = [1_000.0]
    async with SlackStandIn(clock=lambda: now[0], sleep=at_once, rate_limits=True) as slack:
        client = AsyncWebClient(
            token=slack.app.bot_token, base_url=slack.api_url, retry_handlers=[]
        )
        for _ in range(4):
            await client.chat_postMessage(channel="C0SALES", text="x")
        with pytest.raises(SlackApiError) as error:
            await client.chat_postMessage(channel="C0SALES", text="x")
        await client.chat_postMessage(channel="C0GENERAL", text="elsewhere there is room")
        now[0] += 4
        await client.chat_postMessage(channel="C0SALES", text="x")

    assert error.value.response.status_code == 429
    assert error.value.response.headers["Retry-After"] == "4"


async def test_a_stream_dies_after_five_minutes_and_holds_so_many_characters():
    now = [1_000.0]
    async with SlackStandIn(clock=lambda: now[0], sleep=at_once) as slack:
        client = AsyncWebClient(
            token=slack.app.bot_token, base_url=slack.api_url, retry_handlers=[]
        )
        root = await slack.say("mara", slack.direct("mara"), "hello")
        place = slack.direct("mara")
        stream = await client.chat_startStream(channel=place, thread_ts=root)
        where = {"channel": place, "ts": stream["ts"]}
        await client.chat_appendStream(**where, markdown_text="x" * 11_600)
        full = client.chat_appendStream(**where, markdown_text="x")
        assert await refused(full) == "msg_too_long"
        now[0] += 301
        assert await refused(client.chat_stopStream(**where)) == "message_not_in_streaming_state"


@pytest.mark.filterwarnings("ignore:BasicAuth is deprecated")  # the client library's own
async def test_a_code_is_exchanged_once(slack):
    slack.world.oauth_codes.add("c1")
    client = AsyncWebClient(base_url=slack.api_url)
    app = slack.app
    given = {"client_id": app.client_id, "client_secret": app.client_secret, "code": "c1"}
    answer = await client.oauth_v2_access(**given)
    assert answer["access_token"] == app.bot_token
    assert await refused(client.oauth_v2_access(**given)) == "invalid_code"


async def test_tokens_are_not_kept_with_the_calls(slack, client):
    await client.api_call("auth.test", params={"token": slack.app.bot_token})
    assert slack.app.bot_token not in repr(slack.world.calls)
