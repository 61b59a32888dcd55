"""What we send stays within every limit of the table that the stand-in is held to, whatever the
size of what there is to say."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from adapters.slack.render import blocks, cards, forms, limits, pages, waiting
from bot.workspace.slack import limits as slacks
from bot.workspace.slack.checks import check_message, check_view, objects_of, text_length
from core.cards import CallId, Card, CardField
from core.figures import Figure
from core.parked import Form, FormField
from core.records import Answer, Chip
from tests.workspace.limits_table import LIMITS, Limit

Json = dict[str, Any]
ADAPTER = Path(cards.__file__).parents[1]
RULE: Json = {"type": "divider"}
METADATA = json.dumps({"call": "c_0123456789abcdef0123", "revision": 99})
CARD = Card(
    call=CallId("c_0123456789abcdef0123"),
    number=17,
    revision=3,
    state="parked",
    title="Send a mail",
    fields=(CardField(label="To", value="priya@larkspur.example"),),
    buttons=("send", "edit", "cancel"),
    question="mail it",
    expires_at=90_000.0,
    approvers="Mara",
)


def of_answer(text: str, chips: int = 0, url: str = "") -> list[Json]:
    """The messages of an answer, and the plain ones that stand in where Slack refuses them."""
    shown = tuple(Chip(number=n + 1, label="source " * 30, url=url) for n in range(chips))
    sent: list[Json] = []
    for message in blocks.render(Answer(text=text, chips=shown)).messages:
        sent.append({"text": message.text, "blocks": list(message.blocks)})
        sent += [{"text": piece} for piece in blocks.plain_pieces(message)]
    return sent


def of_rows(
    rows: int, columns: int, label: str = "row", title: str = "Rows", column: str = "c"
) -> list[Json]:
    """A table and every chart of these rows, and the plain messages that stand in for them."""
    names = ("label", *(f"{column}{place}" for place in range(1, columns)))
    cells = tuple((f"{row}{label}", *range(1, columns)) for row in range(rows))
    shown = [
        Figure(kind=kind, title=title, columns=names, rows=cells, total=rows)
        for kind in ("table", "bar", "line", "pie")
    ]
    sent: list[Json] = []
    for message in blocks.render(Answer(text="", figures=tuple(shown))).messages:
        sent.append({"text": message.text, "blocks": list(message.blocks)})
        sent += [{"text": piece} for piece in blocks.plain_pieces(message)]
    return sent


def of_card(**more: Any) -> list[Json]:
    """The card, its full text, and the list in which it stands alone."""
    card = replace(CARD, **more)
    closed = replace(card, buttons=("again",), state="failed", status="Failed")
    sent = [{"text": cards.text(card.title), "blocks": cards.blocks(one)} for one in (card, closed)]
    views = [{"view": pages.view(card, page, METADATA)} for page in range(len(pages.pages(card)))]
    return [*sent, waiting.message([card]), *views]


def of_form(*fields: FormField, title: str = "Edit") -> list[Json]:
    made = forms.view(Form(call=CARD.call, revision=1, title=title, fields=fields), METADATA)
    return [{"view": made}]


def choice(*choices: str) -> FormField:
    return FormField(name="to", label="To", kind="choice", value=choices[-1], choices=choices)


def text_field(value: str, label: str = "Body") -> FormField:
    return FormField(name="body", label=label, kind="long_text", value=value)


def lines(count: int, value: str = "x") -> tuple[CardField, ...]:
    return tuple(CardField(label=f"f{number}", value=value) for number in range(count))


def table(rows: int, columns: int) -> str:
    cells = [["h"] * columns, ["---"] * columns, *[["x"] * columns] * (rows - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def body(length: int) -> tuple[CardField, ...]:
    return (CardField(label="Body", value="x" * length, is_long=True),)


OURS: dict[str, Callable[[int], list[Json]]] = {
    "blocks_of_a_message": lambda n: [*of_card(fields=lines(n)), waiting.message([CARD] * n)],
    "section_text": lambda n: [waiting.message([CARD], said="x" * n)],
    "header": lambda n: of_card(title="x" * n),
    "context_elements": lambda n: of_card(notices=("Four eyes",) * n),
    "actions_elements": lambda n: [waiting.message([CARD] * n, first=1)],
    "markdown_block": lambda n: of_answer("word " * (n // 5) + "x" * (n % 5)),
    "markdown_items": lambda n: of_answer("# heading\n" * n),
    "markdown_table_rows": lambda n: of_answer(table(n, 2)),
    "markdown_table_columns": lambda n: of_answer(table(2, n)),
    "tables_of_a_message": lambda n: of_answer("\n\n".join([table(2, 2)] * n) or "none"),
    "button_url": lambda n: [
        *of_answer("x", chips=2, url="https://larkspur.example/" + "x" * n),
        *of_card(link="https://larkspur.example/" + "x" * n, status="Sent", state="done"),
    ],
    "options": lambda n: of_form(choice(*(f"option {number}" for number in range(n)))),
    "option_text": lambda n: of_form(choice("x" * n)),
    "option_value": lambda n: of_form(choice("x" * n)),
    "markdown_of_a_message": lambda n: of_answer("one paragraph\n\n" * (n // 15), chips=20),
    "text_of_all_blocks": lambda n: [
        *of_card(fields=body(n)),
        *of_answer("x" * n, chips=50),
        waiting.message([replace(CARD, fields=body(n // 3))] * 3),
    ],
    **{
        name: lambda n: of_rows(n, 2)
        for name in ("table_rows", "data_table_rows", "data_table_page", "chart_points")
    },
    **{name: lambda n: of_rows(3, n) for name in ("table_columns", "chart_series")},
    "data_table_columns": lambda n: of_rows(30, n),
    "data_table_text": lambda n: of_rows(30, 2, "x" * (n // 30)),
    "chart_title": lambda n: of_rows(3, 2, title="x" * n),
    "chart_label": lambda n: of_rows(3, 2, "x" * n),
    "series_name": lambda n: of_rows(3, 2, column="x" * n),
    "pie_segments": lambda n: of_rows(n, 2),
    "charts_of_a_message": lambda n: [message for _ in range(n) for message in of_rows(3, 2)],
    "changed_text": lambda n: [*of_answer("<&>" * n), {"text": cards.text("x" * n)}],
    "view_title": lambda n: [{"view": pages.modal("call.full", "x" * n, [RULE], METADATA)}],
    "view_blocks": lambda n: [
        *of_form(*(text_field("x", label=f"f{number}") for number in range(n))),
        *of_card(fields=lines(n, "x" * 50)),
    ],
    "input_label": lambda n: of_form(text_field("x", label="x" * n)),
    "input_text": lambda n: of_form(text_field("x" * n)),
    "view_bytes": lambda n: [
        *of_form(*[text_field("x" * (n // 4))] * 4),
        *of_card(fields=body(n // 4)),
    ],
}
"""What we build from something of size n."""

FIXED = {
    "context_actions",
    "session_title",
    "button_text",
    "button_value",
    "action_id",
    "block_id",
    "view_submit",
    "view_close",
    "callback_id",
    "private_metadata",
    "metadata",
    "loading_messages",
    "suggested_prompts",
    "home_blocks",
}
"""What we write there does not grow with anything; tests of the senders see it on the wire."""

STREAMED = {
    "blocks_of_chunks",
    "closing_blocks",
    "plan_tasks",
    "streamed_tasks",
    "streamed_text",
    "streamed_text_in_all",
}
"""A stream's messages are filled up to these and left: tests of streams see that on the wire."""

NEVER = {
    "section_fields": "fields",
    "field_text": "fields",
    "button_prompt": "agent_prompt",
    "confirm_title": "confirm",
    "confirm_text": "confirm",
    "confirm_button": "confirm",
    "deny_button": "confirm",
    "overflow": "overflow",
    "card_title": "card",
    "card_subtitle": "card",
    "card_body": "card",
    "card_actions": "card",
    "carousel": "carousel",
    "container": "container",
    "alert": "alert",
    "provider_value": "auth_provider",
    "provider_name": "auth_provider",
    "provider_description": "auth_provider",
    "provider_identity": "auth_provider",
    "markdown_text": "markdown_text",
    "attachments": "attachments",
    "external_id": "external_id",
}
"""A kind of block, a field or a method that we make no use of."""


def sizes(limit: Limit) -> tuple[int, ...]:
    most = limit.most
    return (most - 1, most, most + 1, 3 * most)


@cache
def sent(name: str) -> tuple[Json, ...]:
    limit = next(limit for limit in LIMITS if limit.name == name)
    return tuple(one for n in sizes(limit) for one in OURS[name](n))


@pytest.mark.parametrize(
    "limit", [limit for limit in LIMITS if limit.name in OURS], ids=lambda limit: limit.name
)
def test_what_we_send_is_taken_whatever_the_size_of_what_there_is_to_say(limit: Limit) -> None:
    for one in sent(limit.name):
        if "view" in one:
            check_view(one["view"], "modal")
        else:
            check_message(one)
            assert len(one["text"]) <= slacks.UPDATE_TEXT


def test_every_limit_is_one_that_we_keep_or_that_nothing_of_ours_can_meet():
    assert sorted([*OURS, *FIXED, *STREAMED, *NEVER]) == sorted(limit.name for limit in LIMITS)
    parts = [found for one in everything() for found in objects_of(one)]
    used = {name for part in parts for name in part} | {str(part.get("type")) for part in parts}
    assert used & set(NEVER.values()) == set()
    source = "".join(path.read_text("utf-8") for path in ADAPTER.rglob("*.py"))
    methods = {word for word in NEVER.values() if "." in word}
    assert [method for method in methods if f'"{method}"' in source] == []


def everything() -> list[Json]:
    return [one for name in OURS for one in sent(name)]


def test_nothing_of_ours_is_written_longer_than_its_fixed_room():
    for one in everything():
        for found in objects_of(one):
            assert len(found.get("block_id", "")) <= 40
            assert len(found.get("action_id", "")) <= 40
            if found.get("type") == "button":
                assert len(found["value"]) <= 60 and len(found["text"]["text"]) <= 30
                assert found.keys() <= {"type", "action_id", "text", "value", "style"}


def test_our_own_numbers_are_no_larger_than_slacks():
    assert limits.FALLBACK_TEXT <= slacks.UPDATE_TEXT
    assert limits.PART_TEXT <= slacks.MARKDOWN_TEXT
    assert limits.PART_ITEMS <= slacks.MARKDOWN_ITEMS
    assert limits.PART_TABLES <= slacks.TABLES_PER_MESSAGE
    assert limits.MESSAGE_TOTAL <= slacks.ALL_BLOCK_TEXT
    assert limits.TABLE_ROWS <= slacks.TABLE_ROWS
    assert limits.TABLE_COLUMNS <= slacks.TABLE_COLUMNS
    assert limits.CONTEXT_ELEMENTS <= slacks.CONTEXT_ELEMENTS
    assert max(limits.CONTEXT_TEXT, limits.RICH_TEXT) <= slacks.SECTION_TEXT
    assert limits.URL <= slacks.URL
    assert limits.HEADER <= slacks.HEADER_TEXT
    assert limits.MESSAGE_BLOCKS <= slacks.MESSAGE_BLOCKS
    assert limits.PAGE_BLOCKS <= slacks.VIEW_BLOCKS
    assert limits.VIEW_TITLE <= slacks.VIEW_TITLE
    assert limits.INPUT_TEXT <= slacks.INPUT_TEXT
    assert limits.OPTIONS <= slacks.OPTIONS
    assert limits.OPTION_TEXT <= slacks.OPTION_TEXT


def test_text_is_weighed_no_lighter_than_slack_counts_it():
    for text in ("plain", "<&>", "🚲" * 9, "e\u0301", "ä\n|"):
        escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        counted = text_length([{"type": "section", "text": {"type": "mrkdwn", "text": escaped}}])
        assert limits.weight(text) >= counted
