"""What the core says appears in Slack once, whole, and without being fetched or lost."""

import asyncio
import re

import pytest

from adapters.slack.pacing import Pacing
from adapters.slack.render import limits
from bot.workspace.slack.records import Fault
from core.errors import DeliveryFailed
from core.records import Answer, Chip, Cost, FileId, MadeFile, PersonId, Post, TurnId

WORDS = re.compile(r"\bw\d+\b")
COST = Cost(models=("demo",), calls=2, tokens=8_200, price="0", seconds=6)


@pytest.fixture
async def question(slack) -> dict[str, str]:
    """The address of a question that Mara asked in a channel."""
    ts = await slack.say("mara", "sales", "@Countersign how many?", is_told=False)
    return address("C0SALES", ts)


def address(channel: str, ts: str, root: str = "", user: str = "U0MARA") -> dict[str, str]:
    return {
        "team": "T00000001",
        "channel": channel,
        "thread_ts": root or ts,
        "message_ts": ts,
        "user": user,
        "is_dm": "true" if channel.startswith("D") else "false",
    }


def post(where: dict[str, str], text: str = "**17** orders.", **fields) -> Post:
    answer = fields.pop("answer", Answer(text=text, cost=COST))
    return Post(
        **{
            "id": "p1",
            "turn": TurnId("t1"),
            "surface": "slack",
            "address": where,
            "kind": "answer",
            "person": PersonId("slack:T00000001/U0MARA"),
            "answer": answer,
            **fields,
        }
    )


def lost(drop: str) -> Fault:
    """The connection is cut before or after the effect."""
    return Fault(drop=drop, error="lost" if drop == "before" else "")


def long_text(messages: int) -> str:
    paragraphs = [f"w{number} " + "word " * 190 for number in range(messages * 10)]
    return "\n\n".join(paragraphs)


def said(slack, where) -> str:
    replies = slack.replies(where["channel"], where["thread_ts"])
    return "\n".join(block.get("text", "") for reply in replies for block in reply["blocks"])


async def test_an_answer_stands_in_the_thread_with_its_sources_and_its_cost(slack, bot, question):
    answer = Answer(
        text="**17** orders [1].",
        chips=(Chip(number=1, label="orders", url="https://a.example/orders"),),
        cost=COST,
    )
    ts = await bot.adapter.surface.deliver(post(question, answer=answer), None)

    (reply,) = slack.replies("sales", question["thread_ts"])
    assert reply["ts"] == ts
    kinds = [block["type"] for block in reply["blocks"]]
    assert kinds == ["markdown", "context", "context", "context_actions"]
    assert reply["blocks"][1]["elements"][0]["text"] == "[1] <https://a.example/orders|orders>"
    assert reply["blocks"][2]["elements"][0]["text"] == ("demo · 2 calls · 8.2k tokens · $0 · 6 s")
    assert reply["text"] == "17 orders [1]."
    assert reply["metadata"]["event_payload"] == {"post": "p1", "part": "1"}


@pytest.mark.promise("E2", "adapters.slack")
async def test_case_21_nothing_that_is_posted_is_fetched_by_slack(slack, bot, question):
    links = " ".join(f"https://a.example/{number}" for number in range(8))
    await bot.adapter.surface.deliver(post(question, links + "\n\n" + long_text(3)), None)
    slack.fail("chat.postMessage", Fault(error="invalid_blocks"))
    await bot.adapter.surface.deliver(post(question, links, id="p2"), None)
    ts = await slack.say("mara", "D0MARA", "hello", is_told=False)
    await bot.adapter.surface.deliver(post(address("D0MARA", ts), kind="private"), None)

    calls = slack.calls("chat.postMessage")
    assert len(calls) >= 6
    assert all(call.args["unfurl_links"] is False for call in calls)
    assert all(call.args["unfurl_media"] is False for call in calls)
    assert not [call for call in calls if "image" in repr(call.args.get("blocks"))]


async def test_a_long_answer_continues_in_order_and_its_cost_comes_last(slack, bot, question):
    text = long_text(5)
    await bot.adapter.surface.deliver(post(question, text), None)

    replies = slack.replies("sales", question["thread_ts"])
    assert len(replies) > 3
    assert re.findall(r"\bw\d+\b", said(slack, question)) == re.findall(r"\bw\d+\b", text)
    assert [len(reply["blocks"]) for reply in replies] == [1] * (len(replies) - 1) + [3]


async def test_case_8_an_answer_that_is_far_too_long_is_completed_by_a_file(slack, bot, question):
    text = long_text(6)
    assert len(text) > 57_000
    await bot.adapter.surface.deliver(post(question, text), None)

    *beginning, file = slack.replies("sales", question["thread_ts"])
    assert len(beginning) == limits.PARTS
    assert "in the file below" in beginning[-1]["blocks"][0]["text"]
    assert file["files"][0]["name"] == "answer.md"
    assert slack.world.files[file["files"][0]["id"]].content == text.encode()
    shown = WORDS.findall(" ".join(part["blocks"][0]["text"] for part in beginning))
    assert shown == WORDS.findall(text)[: len(shown)] and len(shown) > 45


async def test_an_answer_whose_reply_was_lost_is_not_posted_again(slack, bot, question):
    slack.fail("chat.postMessage", lost("after"))
    with pytest.raises(DeliveryFailed) as failed:
        await bot.adapter.surface.deliver(post(question), None)
    assert not failed.value.is_final

    ts = await bot.adapter.surface.deliver(post(question, attempt=1), None)
    (reply,) = slack.replies("sales", question["thread_ts"])
    assert reply["ts"] == ts


async def test_an_answer_that_never_arrived_is_posted_at_the_next_attempt(slack, bot, question):
    slack.fail("chat.postMessage", lost("before"))
    with pytest.raises(DeliveryFailed):
        await bot.adapter.surface.deliver(post(question), None)
    await bot.adapter.surface.deliver(post(question, attempt=1), None)
    assert len(slack.replies("sales", question["thread_ts"])) == 1


@pytest.mark.parametrize("drop", ["before", "after"])
async def test_a_long_answer_goes_on_where_it_was_interrupted(slack, bot, question, drop):
    text = long_text(4)
    slack.fail("chat.postMessage", Fault(), Fault(), lost(drop))
    with pytest.raises(DeliveryFailed):
        await bot.adapter.surface.deliver(post(question, text), None)
    await bot.adapter.surface.deliver(post(question, text, attempt=1), None)

    assert re.findall(r"\bw\d+\b", said(slack, question)) == re.findall(r"\bw\d+\b", text)


async def test_the_marker_is_found_on_a_later_page_of_a_long_thread(slack, bot, question):
    await bot.adapter.surface.deliver(post(question), None)
    for number in range(450):
        await slack.say("mara", "sales", f"reply {number}", question["thread_ts"], is_told=False)
    older = {**question, "message_ts": "1.000001"}
    await bot.adapter.surface.deliver(post(older, attempt=1), None)
    await bot.adapter.surface.deliver(post(older, id="p2", attempt=1), None)

    assert len(slack.replies("sales", question["thread_ts"])) == 2
    assert len(slack.calls("conversations.replies")) == 6


@pytest.mark.parametrize(
    ("word", "is_brought"), [("file_uploads_disabled", True), ("internal_error", False)]
)
async def test_a_file_beside_an_answer_that_is_refused_is_told_of_and_the_answer_counts(
    slack, bot, question, word, is_brought
):
    slack.fail("files.completeUploadExternal", Fault(error=word))
    try:
        await bot.adapter.surface.deliver(post(question, long_text(6)), None)
    except DeliveryFailed as failure:
        assert (failure.reason, is_brought) == (word, False), "it may lie there: tried again"
        return
    told = [one["text"] for one in slack.ephemerals("mara", "sales")]
    assert told == [f"I could not put `answer.md` beside my answer: `{word}`."]
    assert len(slack.replies("sales", question["thread_ts"])) == limits.PARTS


@pytest.mark.parametrize("word", ["invalid_blocks", "msg_blocks_too_long", "msg_too_long"])
async def test_refused_blocks_become_plain_text_and_never_silence(slack, bot, question, word):
    text = "# Orders\n\n" + "a < b & c\n" * 600
    answer = Answer(text=text, chips=(Chip(number=1, label="orders"),), cost=COST)
    slack.fail("chat.postMessage", Fault(error=word))
    await bot.adapter.surface.deliver(post(question, answer=answer), None)

    replies = slack.replies("sales", question["thread_ts"])
    texts = [reply["text"] for reply in replies]
    assert len(replies) > 2 and all(len(shown) <= limits.FALLBACK_TEXT for shown in texts)
    assert "".join(texts).count("a &lt; b &amp; c") == 600
    assert texts[-1].splitlines() == ["[1] orders", "demo · 2 calls · 8.2k tokens · $0 · 6 s"]


async def test_plain_text_that_was_interrupted_goes_on_as_plain_text(slack, bot, question):
    text = "a < b & c\n" * 600
    refused = Fault(error="invalid_blocks")
    slack.fail("chat.postMessage", refused, Fault(), lost("after"))
    with pytest.raises(DeliveryFailed):
        await bot.adapter.surface.deliver(post(question, text), None)
    await bot.adapter.surface.deliver(post(question, text, attempt=1), None)

    texts = [reply["text"] for reply in slack.replies("sales", question["thread_ts"])]
    assert "".join(texts).count("a &lt; b &amp; c") == 600


@pytest.mark.parametrize(
    ("word", "is_final"),
    [
        ("channel_not_found", True),
        ("is_archived", True),
        ("not_in_channel", True),
        ("invalid_auth", True),
        ("account_inactive", True),
        ("restricted_action", True),
        ("internal_error", False),
        ("fatal_error", False),
        ("service_unavailable", False),
    ],
)
async def test_case_6_ok_false_is_a_failure_with_slacks_own_word(
    slack, bot, question, word, is_final
):
    slack.fail("chat.postMessage", Fault(error=word))
    with pytest.raises(DeliveryFailed) as failed:
        await bot.adapter.surface.deliver(post(question), None)
    assert (failed.value.reason, failed.value.is_final) == (word, is_final)


async def test_a_broken_gateway_is_a_failure_that_may_be_tried_again(slack, bot, question):
    slack.fail("chat.postMessage", Fault(error="x", status=502))
    with pytest.raises(DeliveryFailed) as failed:
        await bot.adapter.surface.deliver(post(question), None)
    assert not failed.value.is_final


async def test_a_rate_limit_says_how_long_to_wait_and_holds_the_channel(slack, bot, question):
    slack.fail("chat.postMessage", Fault(error="ratelimited", status=429, retry_after=30))
    with pytest.raises(DeliveryFailed) as failed:
        await bot.adapter.surface.deliver(post(question), None)
    assert (failed.value.reason, failed.value.retry_after) == ("ratelimited", 30)
    assert len(slack.calls("chat.postMessage")) == 1

    await bot.adapter.surface.deliver(post(question, attempt=1), None)
    assert bot.hand.pauses == [30]


async def test_a_post_is_sent_once_however_the_connection_ends(slack, bot, question):
    slack.fail("chat.postMessage", lost("before"))
    with pytest.raises(DeliveryFailed):
        await bot.adapter.surface.deliver(post(question), None)
    assert len(slack.calls("chat.postMessage")) == 1


async def test_thirty_answers_at_once_go_out_one_a_second_in_order(slack, bot, question):
    async with asyncio.TaskGroup() as group:
        for number in range(30):
            one = post(question, f"answer {number}", id=f"p{number}")
            group.create_task(bot.adapter.surface.deliver(one, None))

    assert bot.hand.now == 29.0
    texts = [reply["text"] for reply in slack.replies("sales", question["thread_ts"])]
    assert texts == [f"answer {number}" for number in range(30)]


async def test_channels_do_not_wait_for_each_other():
    moments = []

    async def sleep(seconds: float) -> None:
        moments.append(seconds)

    pacing = Pacing(lambda: 5.0, sleep)
    for channel in ("A", "B", "A", "C", "A"):
        async with pacing.turn(channel):
            pass
    assert moments == [1.0, 1.0]


async def test_a_private_sentence_is_seen_by_one_person_alone(slack, bot, question):
    await bot.adapter.surface.deliver(post(question, "Not today.", kind="private"), None)

    assert slack.replies("sales", question["thread_ts"]) == []
    (seen,) = slack.ephemerals("mara", "sales")
    assert seen["text"] == "Not today."
    assert "thread_ts" not in slack.calls("chat.postEphemeral")[0].args


async def test_inside_a_thread_the_private_sentence_stands_in_the_thread(slack, bot, question):
    root = question["thread_ts"]
    ts = await slack.say("mara", "sales", "@Countersign x", root, is_told=False)
    inside = address("C0SALES", ts, question["thread_ts"])
    await bot.adapter.surface.deliver(post(inside, "Not today.", kind="private"), None)
    assert slack.calls("chat.postEphemeral")[0].args["thread_ts"] == question["thread_ts"]


@pytest.mark.parametrize("word", ["channel_not_found", "no_permission"])
async def test_who_cannot_be_told_in_the_channel_is_told_directly(slack, bot, question, word):
    slack.fail("chat.postEphemeral", Fault(error=word))
    private = post(question, "I could not answer in #sales.", kind="private")
    await bot.adapter.surface.deliver(private, None)

    (told,) = slack.messages(slack.direct("mara"))
    assert told["text"] == "I could not answer in #sales."
    assert "thread_ts" not in told


async def test_a_private_sentence_in_a_direct_message_is_an_ordinary_one_and_stands_once(
    slack, bot
):
    ts = await slack.say("mara", slack.direct("mara"), "hello", is_told=False)
    where = address(slack.direct("mara"), ts)
    private = post(where, "Not today.", kind="private")
    slack.fail("chat.postMessage", lost("after"))
    with pytest.raises(DeliveryFailed):
        await bot.adapter.surface.deliver(private, None)
    again = post(where, "Not today.", kind="private", attempt=1)
    await bot.adapter.surface.deliver(again, None)
    assert [m["text"] for m in slack.replies(where["channel"], ts)] == ["Not today."]


async def test_private_blocks_that_are_refused_become_plain_text(slack, bot, question):
    slack.fail("chat.postEphemeral", Fault(error="invalid_blocks"))
    await bot.adapter.surface.deliver(post(question, "Not **today**.", kind="private"), None)
    texts = [seen["text"] for seen in slack.ephemerals("mara", "sales")]
    assert texts[0] == "Not today."


async def test_a_person_alone_is_reached_directly_and_only_in_our_own_workspace(slack, bot):
    alone = {"person": "slack:T00000001/U0TOMAS"}
    await bot.adapter.surface.deliver(post(alone, "A card expires.", kind="private"), None)
    (told,) = slack.messages(slack.direct("tomas"))
    assert told["text"] == "A card expires."
    for person in ("slack:T0OTHER/U0TOMAS", "teams:T00000001/U0TOMAS", "slack:T00000001/", "U0X"):
        with pytest.raises(DeliveryFailed) as failed:
            await bot.adapter.surface.deliver(post({"person": person}, kind="private"), None)
        assert failed.value.is_final
    assert len(slack.calls("conversations.open")) == 1


XLSX = MadeFile(
    id=FileId("file_1"),
    name="orders.xlsx",
    media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    size=4,
)


def file_post(where, **fields) -> Post:
    return post(where, answer=Answer(text="", files=(XLSX,)), kind="file", **fields)


async def test_a_file_lies_in_the_thread(slack, bot, question):
    await bot.adapter.surface.deliver(file_post(question), b"PK\x03\x04")

    (reply,) = slack.replies("sales", question["thread_ts"])
    assert reply["files"][0]["name"] == "orders.xlsx"
    assert slack.world.files[reply["files"][0]["id"]].content == b"PK\x03\x04"


@pytest.mark.parametrize("drop", ["before", "after"])
@pytest.mark.parametrize("step", ["files.getUploadURLExternal", "files.completeUploadExternal"])
async def test_a_file_whose_upload_broke_lies_in_the_thread_once(slack, bot, question, step, drop):
    slack.fail(step, lost(drop))
    with pytest.raises(DeliveryFailed) as failed:
        await bot.adapter.surface.deliver(file_post(question), b"PK\x03\x04")
    assert not failed.value.is_final
    await bot.adapter.surface.deliver(file_post(question, attempt=1), b"PK\x03\x04")

    assert len(slack.replies("sales", question["thread_ts"])) == 1


async def test_a_large_file_arrives_whole(slack, bot, question):
    content = bytes(range(256)) * 8_192
    await bot.adapter.surface.deliver(file_post(question), content)
    (reply,) = slack.replies("sales", question["thread_ts"])
    assert slack.world.files[reply["files"][0]["id"]].content == content


async def test_the_status_of_a_thread_shows_what_goes_on_and_is_cleared(slack, bot, question):
    surface = bot.adapter.surface
    await surface.progress(question, "reading the sales tables… <!channel>")
    status = slack.world.statuses["C0SALES", question["thread_ts"]]
    assert status.loading_messages == ("reading the sales tables… <\u2060!channel>",)
    await surface.progress(question, "")
    assert ("C0SALES", question["thread_ts"]) not in slack.world.statuses


async def test_a_status_that_cannot_be_shown_disturbs_nobody(slack, bot, question):
    slack.fail("assistant.threads.setStatus", Fault(error="missing_scope"), lost("before"))
    for _ in range(2):
        await bot.adapter.surface.progress(question, "reading…")
    await bot.adapter.surface.progress({}, "reading…")
