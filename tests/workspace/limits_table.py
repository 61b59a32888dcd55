"""Every limit of Slack's that has a number, as a request that reaches it."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

Json = dict[str, Any]


class Limit(NamedTuple):
    name: str
    most: int
    method: str
    word: str
    """Slack's own error for one more than `most`."""
    build: Callable[[int], Json]
    """The arguments that reach n, without those that say where."""


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def button(**fields: Any) -> Json:
    return {"type": "button", "action_id": "a", "text": plain("Go"), **fields}


def actions(*elements: Json) -> Json:
    return {"type": "actions", "elements": list(elements)}


def section(text: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def cells(count: int) -> list[Json]:
    return [{"type": "raw_text", "text": "x"} for _ in range(count)]


def option(number: int = 1, **fields: Any) -> Json:
    return {"text": plain(f"option {number}"), "value": str(number), **fields}


def menu(*options: Json, kind: str = "static_select") -> Json:
    return actions({"type": kind, "options": list(options)})


def confirmed(**fields: str) -> Json:
    texts = {"title": "Sure?", "text": "Really?", "confirm": "Yes", "deny": "No", **fields}
    return actions(button(confirm={name: plain(text) for name, text in texts.items()}))


def table(rows: int, columns: int) -> Json:
    return {"type": "table", "rows": [cells(columns)] * rows}


def data_table(rows: int = 2, columns: int = 2, **fields: Any) -> Json:
    return {"type": "data_table", "caption": "c", "rows": [cells(columns)] * rows, **fields}


def texts_table(characters: int) -> Json:
    body = [{"type": "raw_text", "text": "x" * (characters - 1)}]
    return {"type": "data_table", "caption": "c", "rows": [cells(1), body]}


def markdown_table(rows: int, columns: int) -> Json:
    def row(cell: str) -> str:
        return "|" + f" {cell} |" * columns

    text = "\n".join([row("h"), row("---"), *[row("x")] * (rows - 1)])
    return {"type": "markdown", "text": text}


def bar(
    points: int = 1, series: int = 1, label: str = "p", name: str = "s", title: str = "Sales"
) -> Json:
    names = [f"{label}{number}" for number in range(points)]
    one = [{"label": each, "value": 1} for each in names]
    return {
        "type": "data_visualization",
        "title": title,
        "chart": {
            "type": "bar",
            "series": [{"name": f"{name}{number}", "data": one} for number in range(series)],
            "axis_config": {"categories": names},
        },
    }


def pie(segments: int) -> Json:
    parts = [{"label": f"p{number}", "value": 1} for number in range(segments)]
    chart = {"type": "pie", "segments": parts}
    return {"type": "data_visualization", "title": "Sales", "chart": chart}


def card(**fields: Any) -> Json:
    return {"type": "card", "title": plain("Card"), **fields}


def provider(**fields: Any) -> Json:
    made = {"value": "microsoft", "name": plain("Microsoft"), "is_connected": False}
    return {"type": "auth_provider", **made, **fields}


def task(number: int) -> Json:
    return {"task_id": f"t{number}", "title": "Look", "status": "pending"}


def plan(tasks: int) -> Json:
    kept = [{"type": "task_card", **task(number)} for number in range(tasks)]
    return {"type": "plan", "title": "Plan", "tasks": kept}


def feedback(count: int) -> Json:
    one = {"type": "icon_button", "icon": "trash", "text": plain("Remove")}
    return {
        "type": "context_actions",
        "elements": [one | {"action_id": f"{n}"} for n in range(count)],
    }


def rows(**found: tuple[int, Callable[[int], Json | list[Json]]]) -> tuple[Limit, ...]:
    """Limits of blocks, each shown by a post."""

    def posting(build: Callable[[int], Json | list[Json]]) -> Callable[[int], Json]:
        def args(n: int) -> Json:
            built = build(n)
            blocks = built if isinstance(built, list) else [built]
            return {"text": "fallback", "blocks": blocks}

        return args

    return tuple(
        Limit(name, most, "chat.postMessage", "invalid_blocks", posting(build))
        for name, (most, build) in found.items()
    )


BLOCKS = rows(
    blocks_of_a_message=(50, lambda n: [{"type": "divider"}] * n),
    section_text=(3_000, lambda n: section("x" * n)),
    section_fields=(10, lambda n: {"type": "section", "fields": [plain("x")] * n}),
    field_text=(2_000, lambda n: {"type": "section", "fields": [plain("x" * n)]}),
    header=(150, lambda n: {"type": "header", "text": plain("x" * n)}),
    context_elements=(10, lambda n: {"type": "context", "elements": [plain("x")] * n}),
    actions_elements=(25, lambda n: actions(*(button(action_id=f"a{i}") for i in range(n)))),
    context_actions=(5, feedback),
    markdown_block=(12_000, lambda n: {"type": "markdown", "text": "x" * n}),
    markdown_items=(50, lambda n: {"type": "markdown", "text": "# heading\n" * n}),
    markdown_table_rows=(100, lambda n: markdown_table(n, 2)),
    markdown_table_columns=(20, lambda n: markdown_table(2, n)),
    button_text=(75, lambda n: actions(button(text=plain("x" * n)))),
    button_value=(2_000, lambda n: actions(button(value="x" * n))),
    button_url=(3_000, lambda n: actions(button(url="x" * n))),
    button_prompt=(4_000, lambda n: actions(button(agent_prompt="x" * n))),
    action_id=(255, lambda n: actions(button(action_id="x" * n))),
    block_id=(255, lambda n: {"type": "divider", "block_id": "x" * n}),
    confirm_title=(100, lambda n: confirmed(title="x" * n)),
    confirm_text=(300, lambda n: confirmed(text="x" * n)),
    confirm_button=(30, lambda n: confirmed(confirm="x" * n)),
    deny_button=(30, lambda n: confirmed(deny="x" * n)),
    options=(100, lambda n: menu(*map(option, range(n)))),
    option_text=(75, lambda n: menu(option(text=plain("x" * n)))),
    option_value=(150, lambda n: menu(option(value="x" * n))),
    overflow=(5, lambda n: menu(*map(option, range(n)), kind="overflow")),
    table_rows=(100, lambda n: table(n, 2)),
    table_columns=(20, lambda n: table(2, n)),
    tables_of_a_message=(1, lambda n: [{"type": "divider"}, *[table(1, 1)] * n]),
    data_table_rows=(101, lambda n: data_table(n)),
    data_table_columns=(20, lambda n: data_table(2, n)),
    data_table_page=(100, lambda n: data_table(page_size=n)),
    data_table_text=(10_000, lambda n: texts_table(n)),
    chart_title=(50, lambda n: bar(title="x" * n)),
    chart_points=(20, lambda n: bar(points=n)),
    chart_series=(6, lambda n: bar(series=n)),
    pie_segments=(6, pie),
    chart_label=(20, lambda n: bar(label="x" * (n - 1))),
    series_name=(20, lambda n: bar(name="x" * (n - 1))),
    charts_of_a_message=(2, lambda n: [bar()] * n),
    card_title=(150, lambda n: card(title=plain("x" * n))),
    card_subtitle=(150, lambda n: card(subtitle=plain("x" * n))),
    card_body=(200, lambda n: card(body=plain("x" * n))),
    card_actions=(3, lambda n: card(actions=[button(action_id=f"a{i}") for i in range(n)])),
    carousel=(10, lambda n: {"type": "carousel", "elements": [card()] * n}),
    container=(
        10,
        lambda n: {"type": "container", "title": plain("t"), "child_blocks": [section("x")] * n},
    ),
    alert=(200, lambda n: {"type": "alert", "text": plain("x" * n)}),
    plan_tasks=(50, plan),
    provider_value=(150, lambda n: provider(value="x" * n)),
    provider_name=(75, lambda n: provider(name=plain("x" * n))),
    provider_description=(150, lambda n: provider(description=plain("x" * n))),
    provider_identity=(75, lambda n: provider(connected_identity=plain("x" * n))),
)


def split_markdown(characters: int) -> list[Json]:
    half = characters // 2
    texts = ("x" * half, "x" * (characters - half))
    return [{"type": "markdown", "text": text} for text in texts]


def sections(characters: int) -> list[Json]:
    whole, rest = divmod(characters, 3_000)
    return [section("x" * length) for length in (*[3_000] * whole, rest) if length]


def tagged(size: int) -> Json:
    """Metadata of so many bytes as JSON."""
    empty = len('{"event_type": "e", "event_payload": {"a": ""}}')
    return {"event_type": "e", "event_payload": {"a": "x" * (size - empty)}}


MESSAGES = (
    Limit(
        "markdown_of_a_message",
        12_000,
        "chat.postMessage",
        "msg_too_long",
        lambda n: {"text": "x", "blocks": split_markdown(n)},
    ),
    Limit(
        "text_of_all_blocks",
        13_200,
        "chat.postMessage",
        "msg_blocks_too_long",
        lambda n: {"text": "x", "blocks": sections(n)},
    ),
    Limit(
        "markdown_text",
        12_000,
        "chat.postMessage",
        "msg_too_long",
        lambda n: {"markdown_text": "x" * n},
    ),
    Limit(
        "attachments",
        100,
        "chat.postMessage",
        "too_many_attachments",
        lambda n: {"text": "x", "attachments": [{"text": "x"}] * n},
    ),
    Limit(
        "metadata",
        16_384,
        "chat.postMessage",
        "metadata_too_large",
        lambda n: {"text": "x", "metadata": tagged(n)},
    ),
    Limit("changed_text", 4_000, "chat.update", "msg_too_long", lambda n: {"text": "x" * n}),
    Limit(
        "loading_messages",
        10,
        "assistant.threads.setStatus",
        "invalid_arguments",
        lambda n: {"status": "works", "loading_messages": ["x"] * n},
    ),
    Limit(
        "suggested_prompts",
        4,
        "assistant.threads.setSuggestedPrompts",
        "invalid_arguments",
        lambda n: {"prompts": [{"title": "t", "message": "m"}] * n},
    ),
    Limit(
        "session_title",
        200,
        "agents.sessions.setStatus",
        "invalid_arguments",
        lambda n: {"status": "active", "title": "x" * n},
    ),
)


def streamed_blocks(count: int) -> Json:
    return {"chunks": [{"type": "blocks", "blocks": [{"type": "divider"}] * count}]}


def streamed_tasks(count: int) -> Json:
    chunks = [
        {"type": "task_update", "id": f"t{n}", "title": "Look", "status": "pending"}
        for n in range(count)
    ]
    return {"chunks": chunks}


STREAMS = (
    Limit(
        "streamed_text",
        11_600,
        "chat.startStream",
        "msg_too_long",
        lambda n: {"markdown_text": "x" * n},
    ),
    Limit(
        "streamed_text_in_all",
        11_500,
        "chat.appendStream",
        "msg_too_long",
        # The stream began with a hundred characters.
        lambda n: {"markdown_text": "x" * n},
    ),
    Limit("blocks_of_chunks", 50, "chat.appendStream", "invalid_blocks", streamed_blocks),
    Limit("streamed_tasks", 50, "chat.appendStream", "invalid_chunks", streamed_tasks),
    Limit(
        "closing_blocks",
        50,
        "chat.stopStream",
        "invalid_blocks",
        lambda n: {"blocks": [{"type": "divider"}] * n},
    ),
)


def modal(**fields: Any) -> Json:
    made = {"type": "modal", "title": plain("Edit"), "blocks": [section("x")], **fields}
    return {"view": made}


def typed(**fields: Any) -> Json:
    asked = {"type": "input", "label": plain("To"), "element": {"type": "plain_text_input"}}
    return modal(blocks=[asked | fields], submit=plain("Save"))


def heavy(size: int) -> Json:
    """A modal of so many bytes as JSON."""
    most = 97
    shown = [section("x" * 2_500) for _ in range(most)]
    rest = size - len(json.dumps(modal(blocks=[*shown, section("")])["view"]))
    return modal(blocks=[*shown, section("x" * rest)])


def view(name: str, most: int, build: Callable[[int], Json]) -> Limit:
    return Limit(name, most, "views.open", "invalid_arguments", build)


VIEWS = (
    view("view_title", 24, lambda n: modal(title=plain("x" * n))),
    view("view_submit", 24, lambda n: typed() | modal(submit=plain("x" * n))),
    view("view_close", 24, lambda n: modal(close=plain("x" * n))),
    view("view_blocks", 100, lambda n: modal(blocks=[section("x")] * n)),
    view("private_metadata", 3_000, lambda n: modal(private_metadata="x" * n)),
    view("callback_id", 255, lambda n: modal(callback_id="x" * n)),
    view("external_id", 255, lambda n: modal(external_id="x" * n)),
    view("input_label", 2_000, lambda n: typed(label=plain("x" * n))),
    view(
        "input_text",
        3_000,
        lambda n: typed(element={"type": "plain_text_input", "initial_value": "x" * n}),
    ),
    Limit("view_bytes", 250_000, "views.open", "view_too_large", heavy),
    Limit(
        "home_blocks",
        100,
        "views.publish",
        "invalid_arguments",
        lambda n: {"view": {"type": "home", "blocks": [section("x")] * n}},
    ),
)

LIMITS = (*BLOCKS, *MESSAGES, *STREAMS, *VIEWS)
