"""The shapes of Block Kit's blocks."""

from typing import Final

from bot.workspace.slack import limits
from bot.workspace.slack.elements import (
    ANY_TEXT,
    BUTTONS,
    ELEMENTS,
    IDENTIFIER,
    IN_ACTIONS,
    IN_INPUT,
    IN_SECTION,
    RICH_ELEMENTS,
    SLACK_FILE,
    URL,
    plain_text,
    text_object,
)
from bot.workspace.slack.shapes import Anything, Chars, Fields, Flag, Items, Kinds, Number, Word

_ID: Final = {"block_id": IDENTIFIER}
STATUS: Final = Word(("pending", "in_progress", "complete", "error"))
_IMAGE: Final = Kinds(ELEMENTS, only=("image",))

RICH_TEXT: Final = Fields({"elements": Items(Kinds(RICH_ELEMENTS), 1_000)}, _ID)
RAW_TEXT: Final = Fields({"text": ANY_TEXT})
RAW_NUMBER: Final = Fields({"value": Number()}, {"text": ANY_TEXT})
CELL: Final = Kinds({"raw_text": RAW_TEXT, "raw_number": RAW_NUMBER, "rich_text": RICH_TEXT})
COLUMN: Final = Fields({}, {"align": Word(("left", "center", "right")), "is_wrapped": Flag()})
SOURCE: Final = Kinds({"url": Fields({"url": URL, "text": ANY_TEXT})})

TASK: Final = Fields(
    {"task_id": IDENTIFIER, "title": ANY_TEXT, "status": STATUS},
    {
        **_ID,
        "details": Kinds({"rich_text": RICH_TEXT}),
        "output": Kinds({"rich_text": RICH_TEXT}),
        "sources": Items(SOURCE, 100, 0),
    },
)

_POINT: Final = Fields({"label": Chars(limits.CHART_LABEL), "value": Number()})
_SERIES: Final = Fields(
    {"name": Chars(limits.CHART_LABEL), "data": Items(_POINT, limits.CHART_POINTS)}
)
_AXES: Final = Fields(
    {"categories": Items(Chars(limits.CHART_LABEL), limits.CHART_POINTS)},
    {"x_label": Chars(limits.CHART_AXIS), "y_label": Chars(limits.CHART_AXIS)},
)
_PLOT: Final = Fields({"series": Items(_SERIES, limits.CHART_SERIES), "axis_config": _AXES})
_SEGMENT: Final = Fields({"label": Chars(limits.CHART_LABEL), "value": Number()})
CHART: Final = Kinds(
    {
        "bar": _PLOT,
        "line": _PLOT,
        "area": _PLOT,
        "pie": Fields({"segments": Items(_SEGMENT, limits.CHART_SERIES)}),
    }
)

CARD: Final = Fields(
    {},
    {
        **_ID,
        "hero_image": _IMAGE,
        "icon": _IMAGE,
        "title": text_object(limits.CARD_TITLE),
        "subtitle": text_object(limits.CARD_TITLE),
        "body": text_object(limits.CARD_BODY),
        "actions": Items(Kinds(ELEMENTS, only=BUTTONS), limits.CARD_ACTIONS),
    },
)

BLOCKS: Final[dict[str, Fields]] = {
    "section": Fields(
        {},
        {
            **_ID,
            "text": text_object(limits.SECTION_TEXT),
            "fields": Items(text_object(limits.FIELD_TEXT), limits.SECTION_FIELDS),
            "accessory": Kinds(ELEMENTS, only=IN_SECTION),
            "expand": Flag(),
        },
    ),
    "header": Fields(
        {"text": plain_text(limits.HEADER_TEXT)}, {**_ID, "level": Number(1, 6, is_whole=True)}
    ),
    "divider": Fields({}, _ID),
    "context": Fields(
        {
            "elements": Items(
                Kinds({**text_object(limits.SECTION_TEXT).table, "image": ELEMENTS["image"]}),
                limits.CONTEXT_ELEMENTS,
            )
        },
        _ID,
    ),
    "actions": Fields(
        {"elements": Items(Kinds(ELEMENTS, only=IN_ACTIONS), limits.ACTIONS_ELEMENTS)}, _ID
    ),
    "context_actions": Fields(
        {
            "elements": Items(
                Kinds(ELEMENTS, only=("feedback_buttons", "icon_button")),
                limits.CONTEXT_ACTIONS_ELEMENTS,
            )
        },
        _ID,
    ),
    "image": Fields(
        {"alt_text": Chars(limits.ALT_TEXT)},
        {
            **_ID,
            "image_url": URL,
            "slack_file": SLACK_FILE,
            "title": plain_text(limits.IMAGE_TITLE),
        },
    ),
    "markdown": Fields({"text": Chars(limits.MARKDOWN_TEXT)}, _ID),
    "rich_text": RICH_TEXT,
    "table": Fields(
        {"rows": Items(Items(CELL, limits.TABLE_COLUMNS), limits.TABLE_ROWS)},
        {**_ID, "column_settings": Items(COLUMN, limits.TABLE_COLUMNS, 0, may_be_null=True)},
    ),
    "data_table": Fields(
        {
            "rows": Items(Items(CELL, limits.TABLE_COLUMNS), limits.DATA_TABLE_ROWS, 2),
            "caption": Chars(limits.SECTION_TEXT),
        },
        {
            **_ID,
            "page_size": Number(1, limits.DATA_TABLE_PAGE, is_whole=True),
            "row_header_column_index": Number(0, limits.TABLE_COLUMNS - 1, is_whole=True),
        },
    ),
    "data_visualization": Fields({"title": Chars(limits.CHART_TITLE), "chart": CHART}, _ID),
    "alert": Fields(
        {"text": text_object(limits.ALERT_TEXT)},
        {**_ID, "level": Word(("default", "info", "warning", "error", "success"))},
    ),
    "card": CARD,
    "carousel": Fields({"elements": Items(Kinds({"card": CARD}), limits.CAROUSEL_CARDS)}, _ID),
    "task_card": TASK,
    "plan": Fields(
        {"title": ANY_TEXT},
        {**_ID, "tasks": Items(Kinds({"task_card": TASK}), limits.PLAN_TASKS, 0)},
    ),
    "file": Fields({"external_id": IDENTIFIER}, {**_ID, "source": Word(("remote",))}),
    "auth_provider": Fields(
        {
            "value": Chars(limits.PROVIDER_VALUE),
            "name": plain_text(limits.PROVIDER_NAME),
            "is_connected": Flag(),
        },
        {
            **_ID,
            "description": plain_text(limits.PROVIDER_DESCRIPTION),
            "icon_url": URL,
            "auth_url": URL,
            "disconnect_url": URL,
            "connected_identity": plain_text(limits.PROVIDER_NAME),
            "connected_context": plain_text(limits.PROVIDER_NAME),
            "accessory": Kinds(ELEMENTS, only=("overflow",)),
            "fallback": Anything(),
        },
    ),
    "input": Fields(
        {
            "label": plain_text(limits.INPUT_LABEL),
            "element": Kinds(ELEMENTS, only=IN_INPUT),
        },
        {
            **_ID,
            "hint": plain_text(limits.INPUT_LABEL),
            "optional": Flag(),
            "dispatch_action": Flag(),
        },
    ),
}
BLOCKS["container"] = Fields(
    {"child_blocks": Items(Kinds(BLOCKS), limits.CONTAINER_BLOCKS)},
    {
        **_ID,
        "title": plain_text(limits.CARD_TITLE),
        "rich_text_title": Kinds({"rich_text": RICH_TEXT}),
        "subtitle": text_object(limits.CARD_TITLE),
        "width": Word(("narrow", "standard", "wide", "full")),
        "icon": _IMAGE,
        "is_collapsible": Flag(),
        "default_collapsed": Flag(),
        "has_header_divider": Flag(),
    },
)
