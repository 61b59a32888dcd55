"""Each of Slack's limits holds at n - 1 and n, and refuses n + 1."""

import pytest

from bot.workspace.slack import limits
from bot.workspace.slack.checks import (
    Refusal,
    block_problems,
    check_message,
    check_view,
    expansion_items,
)


def plain(text):
    return {"type": "plain_text", "text": text}


def button(**fields):
    return {"type": "button", "action_id": "a", "text": plain("Go"), **fields}


def actions(*elements):
    return {"type": "actions", "elements": list(elements)}


def section(text):
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def cells(count):
    return [{"type": "raw_text", "text": "x"} for _ in range(count)]


def option(number):
    return {"text": plain(f"option {number}"), "value": str(number)}


def bar(points=1, series=1, label="p"):
    names = [f"{label}{i}" for i in range(points)]
    one = [{"label": name, "value": 1} for name in names]
    return {
        "type": "data_visualization",
        "title": "Sales",
        "chart": {
            "type": "bar",
            "series": [{"name": f"s{i}", "data": one} for i in range(series)],
            "axis_config": {"categories": names},
        },
    }


BLOCK_LIMITS = {
    "section text": (3_000, lambda n: [section("x" * n)]),
    "section fields": (10, lambda n: [{"type": "section", "fields": [plain("x")] * n}]),
    "field text": (2_000, lambda n: [{"type": "section", "fields": [plain("x" * n)]}]),
    "header": (150, lambda n: [{"type": "header", "text": plain("x" * n)}]),
    "markdown": (12_000, lambda n: [{"type": "markdown", "text": "x" * n}]),
    "headings": (50, lambda n: [{"type": "markdown", "text": "# heading\n" * n}]),
    "context": (10, lambda n: [{"type": "context", "elements": [plain("x")] * n}]),
    "actions": (25, lambda n: [actions(*(button(action_id=f"a{i}") for i in range(n)))]),
    "button text": (75, lambda n: [actions(button(text=plain("x" * n)))]),
    "button value": (2_000, lambda n: [actions(button(value="x" * n))]),
    "button url": (3_000, lambda n: [actions(button(url="x" * n))]),
    "action_id": (255, lambda n: [actions(button(action_id="x" * n))]),
    "block_id": (255, lambda n: [{"type": "divider", "block_id": "x" * n}]),
    "blocks": (50, lambda n: [{"type": "divider"}] * n),
    "overflow": (
        5,
        lambda n: [actions({"type": "overflow", "options": [option(i) for i in range(n)]})],
    ),
    "options": (
        100,
        lambda n: [actions({"type": "static_select", "options": [option(i) for i in range(n)]})],
    ),
    "table rows": (100, lambda n: [{"type": "table", "rows": [cells(2)] * n}]),
    "table columns": (20, lambda n: [{"type": "table", "rows": [cells(n)]}]),
    "data table rows": (
        101,
        lambda n: [{"type": "data_table", "caption": "c", "rows": [cells(2)] * n}],
    ),
    "chart points": (20, lambda n: [bar(points=n)]),
    "chart series": (6, lambda n: [bar(series=n)]),
    "charts": (2, lambda n: [bar() for _ in range(n)]),
    "alert": (200, lambda n: [{"type": "alert", "text": plain("x" * n)}]),
    "card body": (200, lambda n: [{"type": "card", "body": plain("x" * n)}]),
}


@pytest.mark.parametrize("name", BLOCK_LIMITS)
def test_blocks_fit_up_to_the_limit_and_not_beyond(name):
    most, build = BLOCK_LIMITS[name]
    assert block_problems(build(most - 1)) == []
    assert block_problems(build(most)) == []
    assert block_problems(build(most + 1)) != []


@pytest.mark.parametrize(
    ("blocks", "code"),
    [
        ([{"type": "spreadsheet"}], "invalid_blocks"),
        ([{"type": "section"}], "invalid_blocks"),
        ([{"type": "section", "text": plain("x"), "colour": "red"}], "invalid_blocks"),
        ([{"type": "table", "rows": [cells(1)]}] * 2, "invalid_blocks"),
        ([{"type": "table", "rows": [cells(1), cells(2)]}], "invalid_blocks"),
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


def modal(**fields):
    return {"type": "modal", "title": plain("Edit"), "blocks": [section("x")], **fields}


VIEW_LIMITS = {
    "title": (24, lambda n: modal(title=plain("x" * n))),
    "blocks": (100, lambda n: modal(blocks=[section("x")] * n)),
    "private_metadata": (3_000, lambda n: modal(private_metadata="x" * n)),
    "callback_id": (255, lambda n: modal(callback_id="x" * n)),
}


@pytest.mark.parametrize("name", VIEW_LIMITS)
def test_a_modal_fits_up_to_the_limit_and_not_beyond(name):
    most, build = VIEW_LIMITS[name]
    check_view(build(most), "modal")
    with pytest.raises(Refusal, match="invalid_arguments"):
        check_view(build(most + 1), "modal")


def test_a_modal_with_an_input_needs_a_submit_button():
    blocks = [{"type": "input", "label": plain("To"), "element": {"type": "plain_text_input"}}]
    with pytest.raises(Refusal):
        check_view(modal(blocks=blocks), "modal")
    check_view(modal(blocks=blocks, submit=plain("Save")), "modal")


def test_the_longest_texts_are_the_documented_ones():
    assert (limits.UPDATE_TEXT, limits.POST_TEXT, limits.MARKDOWN_TEXT) == (4_000, 40_000, 12_000)
