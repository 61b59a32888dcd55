"""Each of Slack's limits holds at n - 1 and n, and refuses n + 1 with Slack's own word."""

from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.workspace.slack import limits
from bot.workspace.slack.checks import Refusal, check_message, check_view, expansion_items
from bot.workspace.slack_server import SlackStandIn
from tests.workspace.limits_table import (
    LIMITS,
    Limit,
    actions,
    button,
    cells,
    markdown_table,
    modal,
    plain,
    section,
)

SALES = "C0SALES"


class Stage:
    """Where requests are made, each on something fresh."""

    def __init__(self, slack: SlackStandIn, client: AsyncWebClient) -> None:
        self._slack, self._client = slack, client

    async def answer(self, method: str, args: dict[str, Any]) -> str:
        """Slack's word for what is wrong; empty when nothing is."""
        try:
            await self._client.api_call(method, json={**await self._place(method), **args})
        except SlackApiError as error:
            return error.response["error"]
        return ""

    async def _place(self, method: str) -> dict[str, Any]:
        mara = self._slack.member("mara").id
        match method:
            case "views.open":
                return {"trigger_id": self._slack.world.trigger(mara)}
            case "views.publish":
                return {"user_id": mara}
            case "chat.update":
                said = await self._client.chat_postMessage(channel=SALES, text="x")
                return {"channel": SALES, "ts": said["ts"]}
            case "chat.postMessage":
                return {"channel": SALES}
            case "assistant.threads.setSuggestedPrompts":
                return {"channel_id": self._slack.direct("mara")}
        root = await self._slack.say("mara", "sales", "hello", is_told=False)
        if not method.startswith("chat."):
            return {"channel_id": SALES, "thread_ts": root}
        begun = {
            "channel": SALES,
            "thread_ts": root,
            "recipient_user_id": mara,
            "recipient_team_id": self._slack.world.team.id,
        }
        if method == "chat.startStream":
            return begun
        text = {"markdown_text": "x" * 100} if method == "chat.appendStream" else {}
        stream = await self._client.api_call("chat.startStream", json=begun | text)
        return {"channel": SALES, "ts": stream["ts"]}


@pytest.fixture
def stage(slack, client):
    return Stage(slack, client)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.name)
async def test_what_slack_takes_is_taken_up_to_the_limit_and_not_beyond(
    stage: Stage, limit: Limit
) -> None:
    around = (limit.most - 1, limit.most, limit.most + 1)
    words = [await stage.answer(limit.method, limit.build(n)) for n in around]
    assert words == ["", "", limit.word]


def test_no_limit_stands_in_the_table_twice():
    names = [limit.name for limit in LIMITS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("method", "args", "word"),
    [
        ("chat.startStream", {"thread_ts": ""}, "invalid_arguments"),
        ("chat.startStream", {"recipient_user_id": ""}, "missing_recipient_user_id"),
        ("chat.startStream", {"recipient_team_id": ""}, "missing_recipient_team_id"),
        ("chat.startStream", {"task_display_mode": "grid"}, "invalid_arguments"),
        ("chat.appendStream", {"chunks": [{"type": "sound"}]}, "invalid_chunks"),
        (
            "chat.appendStream",
            {"chunks": [{"type": "task_update", "id": "t", "title": "t", "status": "late"}]},
            "invalid_chunks",
        ),
        ("chat.appendStream", {"chunks": [{"type": "plan_update"}]}, "invalid_chunks"),
        ("chat.appendStream", {"chunks": [{"type": "markdown_text"}]}, "invalid_chunks"),
        ("chat.appendStream", {}, "invalid_arguments"),
        ("chat.stopStream", {"session_status": "asleep"}, "invalid_arguments"),
        ("assistant.threads.setSuggestedPrompts", {"prompts": []}, "invalid_arguments"),
    ],
)
async def test_a_stream_or_status_that_slack_would_not_take_is_not_taken(
    stage: Stage, method, args, word
):
    assert await stage.answer(method, args) == word


@pytest.mark.parametrize("status", ["pending", "in_progress", "complete", "error"])
async def test_every_status_of_a_streamed_task_is_taken(stage: Stage, status):
    chunk = {"type": "task_update", "id": "t", "title": "Look", "status": status}
    assert await stage.answer("chat.appendStream", {"chunks": [chunk]}) == ""


async def test_a_post_that_is_too_long_is_cut_and_not_refused(slack, client):
    for length in (39_999, 40_000, 40_001):
        said = await client.chat_postMessage(channel=SALES, text="x" * length)
        assert len(said["message"]["text"]) == min(length, 40_000)


@pytest.mark.parametrize(("value", "is_taken"), [(0.01, True), (0, False), (-1, False)])
def test_a_slice_of_a_pie_is_more_than_nothing(value, is_taken):
    chart = {"type": "pie", "segments": [{"label": "p", "value": value}]}
    shown = {"text": "x", "blocks": [{"type": "data_visualization", "title": "t", "chart": chart}]}
    if is_taken:
        check_message(shown)
    else:
        with pytest.raises(Refusal, match="invalid_blocks"):
            check_message(shown)


@pytest.mark.parametrize(
    ("blocks", "code"),
    [
        ([{"type": "spreadsheet"}], "invalid_blocks"),
        ([{"type": "section"}], "invalid_blocks"),
        ([{"type": "section", "text": plain("x"), "colour": "red"}], "invalid_blocks"),
        ([{"type": "table", "rows": [cells(1)]}] * 2, "invalid_blocks"),
        ([{"type": "table", "rows": [cells(1), cells(2)]}], "invalid_blocks"),
        ([markdown_table(2, 2)] * 2, "invalid_blocks"),
        ([markdown_table(2, 2), {"type": "table", "rows": [cells(1)]}], "invalid_blocks"),
        ([{"type": "data_table", "rows": [cells(1)] * 2}], "invalid_blocks"),
        ([{"type": "data_table", "caption": "c", "rows": [cells(1)]}], "invalid_blocks"),
        ([actions(button(), button())], "invalid_blocks"),
        ([{"type": "markdown", "text": "x" * 6_001}] * 2, "msg_too_long"),
        ([section("x" * 3_000)] * 5, "msg_blocks_too_long"),
    ],
)
def test_a_message_is_refused_with_slacks_own_word(blocks, code):
    with pytest.raises(Refusal, match=code):
        check_message({"text": "fallback", "blocks": blocks})


def test_a_refusal_points_at_the_place():
    with pytest.raises(Refusal) as refused:
        check_message({"blocks": [{"type": "divider"}, section("x" * 3_001)]})
    assert refused.value.extra["errors"] == [
        "must be less than 3001 characters [json-pointer:/blocks/1/text/text]"
    ]


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ({}, "no_text"),
        ({"text": "x", "markdown_text": "y"}, "markdown_text_conflict"),
        ({"markdown_text": "x" * 12_001}, "msg_too_long"),
        ({"text": "x", "metadata": {"event_type": "e"}}, "invalid_metadata_format"),
        (
            {"text": "x", "metadata": {"event_type": "e", "event_payload": {"a": "x" * 16_384}}},
            "metadata_too_large",
        ),
        ({"text": "x", "attachments": [{}] * 101}, "too_many_attachments"),
    ],
)
def test_a_message_that_slack_would_not_take_is_not_taken(args, code):
    with pytest.raises(Refusal, match=code):
        check_message(args)


@pytest.mark.parametrize(
    ("markdown", "items"),
    [
        ("one\n\ntwo\n- three", 1),
        ("# one\n# two\n---", 3),
        ("# one\ntext\n# two\ntext", 4),
        ("```\n# not a heading\n---\n```", 1),
        ("before\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nafter", 3),
    ],
)
def test_markdown_expands_into_headings_rules_tables_and_runs(markdown, items):
    assert expansion_items(markdown) == items


def test_a_modal_with_an_input_needs_a_submit_button():
    blocks = [{"type": "input", "label": plain("To"), "element": {"type": "plain_text_input"}}]
    with pytest.raises(Refusal):
        check_view(modal(blocks=blocks)["view"], "modal")
    check_view(modal(blocks=blocks, submit=plain("Save"))["view"], "modal")


def test_the_longest_texts_are_the_documented_ones():
    assert (limits.UPDATE_TEXT, limits.POST_TEXT, limits.MARKDOWN_TEXT) == (4_000, 40_000, 12_000)
