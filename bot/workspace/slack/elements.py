"""The shapes of Block Kit's elements: texts, buttons, menus, inputs and the parts of rich text."""

from typing import Final

from bot.workspace.slack import limits
from bot.workspace.slack.shapes import (
    Anything,
    Chars,
    Fields,
    Flag,
    Items,
    Kinds,
    Number,
    Shape,
    Word,
)

IDENTIFIER: Final = Chars(limits.IDENTIFIER, 0)
URL: Final = Chars(limits.URL)
ANY_TEXT: Final = Chars(limits.ALL_BLOCK_TEXT, 0)


def text_object(most: int, *, kinds: tuple[str, ...] = ("plain_text", "mrkdwn")) -> Kinds:
    """A text object of at most `most` characters."""
    plain = Fields({"text": Chars(most)}, {"emoji": Flag(), "verbatim": Flag()})
    mrkdwn = Fields({"text": Chars(most)}, {"verbatim": Flag(), "emoji": Flag()})
    return Kinds({"plain_text": plain, "mrkdwn": mrkdwn}, only=kinds)


def plain_text(most: int) -> Kinds:
    return text_object(most, kinds=("plain_text",))


CONFIRM: Final = Fields(
    {
        "title": plain_text(limits.CONFIRM_TITLE),
        "text": text_object(limits.CONFIRM_TEXT),
        "confirm": plain_text(limits.CONFIRM_BUTTON),
        "deny": plain_text(limits.CONFIRM_BUTTON),
    },
    {"style": Word(("primary", "danger"))},
)
OPTION: Final = Fields(
    {"text": text_object(limits.OPTION_TEXT), "value": Chars(limits.OPTION_VALUE)},
    {"description": text_object(limits.OPTION_TEXT), "url": URL},
)
OPTION_GROUP: Final = Fields(
    {"label": plain_text(limits.OPTION_TEXT), "options": Items(OPTION, limits.OPTIONS)}
)
SLACK_FILE: Final = Fields({}, {"id": Chars(limits.IDENTIFIER), "url": URL})
FEEDBACK_BUTTON: Final = Fields(
    {"text": plain_text(limits.BUTTON_TEXT), "value": Chars(limits.BUTTON_VALUE)},
    {"accessibility_label": Chars(limits.BUTTON_TEXT)},
)

_CLICKED: Final[dict[str, Shape]] = {"action_id": IDENTIFIER, "confirm": CONFIRM}
_ASKED: Final[dict[str, Shape]] = {
    **_CLICKED,
    "placeholder": plain_text(limits.PLACEHOLDER),
    "focus_on_load": Flag(),
}
_TYPED: Final[dict[str, Shape]] = {
    **_ASKED,
    "initial_value": Chars(limits.INPUT_TEXT, 0),
    "dispatch_action_config": Anything(),
}
_MENU: Final[dict[str, Shape]] = {
    **_ASKED,
    "options": Items(OPTION, limits.OPTIONS),
    "option_groups": Items(OPTION_GROUP, limits.OPTIONS),
}
_MANY: Final[dict[str, Shape]] = {"max_selected_items": Number(1, None, is_whole=True)}
_VISIBLE: Final = Items(Chars(limits.IDENTIFIER), 100)
_BOXES: Final[dict[str, Shape]] = {"options": Items(OPTION, limits.BOX_OPTIONS)}

ELEMENTS: Final[dict[str, Fields]] = {
    "button": Fields(
        {"text": plain_text(limits.BUTTON_TEXT)},
        {
            **_CLICKED,
            "url": URL,
            "value": Chars(limits.BUTTON_VALUE, 0),
            "style": Word(("primary", "danger")),
            "accessibility_label": Chars(limits.BUTTON_TEXT),
            "agent_prompt": Chars(limits.BUTTON_PROMPT),
            "agent_prompt_display": Anything(),
            "visible_to_user_ids": _VISIBLE,
        },
    ),
    "icon_button": Fields(
        {"icon": Chars(limits.IDENTIFIER), "text": plain_text(limits.BUTTON_TEXT)},
        {
            **_CLICKED,
            "value": Chars(limits.BUTTON_VALUE),
            "accessibility_label": Chars(limits.BUTTON_TEXT),
            "visible_to_user_ids": _VISIBLE,
        },
    ),
    "feedback_buttons": Fields(
        {"positive_button": FEEDBACK_BUTTON, "negative_button": FEEDBACK_BUTTON},
        {"action_id": IDENTIFIER},
    ),
    "image": Fields(
        {"alt_text": Chars(limits.ALT_TEXT)}, {"image_url": URL, "slack_file": SLACK_FILE}
    ),
    "overflow": Fields({"options": Items(OPTION, limits.OVERFLOW_OPTIONS)}, _CLICKED),
    "static_select": Fields({}, {**_MENU, "initial_option": OPTION}),
    "multi_static_select": Fields(
        {}, {**_MENU, **_MANY, "initial_options": Items(OPTION, limits.OPTIONS)}
    ),
    "external_select": Fields(
        {}, {**_ASKED, "min_query_length": Number(0), "initial_option": OPTION}
    ),
    "users_select": Fields({}, {**_ASKED, "initial_user": IDENTIFIER}),
    "multi_users_select": Fields(
        {}, {**_ASKED, **_MANY, "initial_users": Items(IDENTIFIER, limits.OPTIONS)}
    ),
    "conversations_select": Fields(
        {},
        {
            **_ASKED,
            "initial_conversation": IDENTIFIER,
            "default_to_current_conversation": Flag(),
            "response_url_enabled": Flag(),
            "filter": Anything(),
        },
    ),
    "channels_select": Fields(
        {}, {**_ASKED, "initial_channel": IDENTIFIER, "response_url_enabled": Flag()}
    ),
    "datepicker": Fields({}, {**_ASKED, "initial_date": Chars(10, 10)}),
    "timepicker": Fields({}, {**_ASKED, "initial_time": Chars(5, 5), "timezone": IDENTIFIER}),
    "datetimepicker": Fields({}, {**_ASKED, "initial_date_time": Number(0, None, is_whole=True)}),
    "checkboxes": Fields(_BOXES, {**_ASKED, "initial_options": Items(OPTION, limits.BOX_OPTIONS)}),
    "radio_buttons": Fields(_BOXES, {**_ASKED, "initial_option": OPTION}),
    "plain_text_input": Fields(
        {},
        {
            **_TYPED,
            "multiline": Flag(),
            "min_length": Number(0, limits.INPUT_TEXT, is_whole=True),
            "max_length": Number(1, limits.INPUT_TEXT, is_whole=True),
        },
    ),
    "email_text_input": Fields({}, _TYPED),
    "url_text_input": Fields({}, _TYPED),
    "number_input": Fields(
        {"is_decimal_allowed": Flag()},
        {**_TYPED, "min_value": ANY_TEXT, "max_value": ANY_TEXT},
    ),
    "rich_text_input": Fields({}, {**_TYPED, "initial_value": Anything()}),
    "file_input": Fields(
        {}, {"action_id": IDENTIFIER, "filetypes": Anything(), "max_files": Number(1, 10)}
    ),
}

BUTTONS: Final = ("button",)
IN_ACTIONS: Final = (
    "button",
    "checkboxes",
    "channels_select",
    "conversations_select",
    "datepicker",
    "datetimepicker",
    "external_select",
    "multi_static_select",
    "multi_users_select",
    "overflow",
    "radio_buttons",
    "static_select",
    "timepicker",
    "users_select",
)
IN_SECTION: Final = (*IN_ACTIONS, "image")
IN_INPUT: Final = (
    "checkboxes",
    "channels_select",
    "conversations_select",
    "datepicker",
    "datetimepicker",
    "email_text_input",
    "external_select",
    "file_input",
    "multi_static_select",
    "multi_users_select",
    "number_input",
    "plain_text_input",
    "radio_buttons",
    "rich_text_input",
    "static_select",
    "timepicker",
    "url_text_input",
    "users_select",
)

_STYLE: Final[dict[str, Shape]] = {"style": Anything()}
RICH_PARTS: Final[dict[str, Fields]] = {
    "text": Fields({"text": ANY_TEXT}, _STYLE),
    "link": Fields({"url": URL}, {"text": ANY_TEXT, "unsafe": Flag(), **_STYLE}),
    "user": Fields({"user_id": IDENTIFIER}, _STYLE),
    "channel": Fields({"channel_id": IDENTIFIER}, _STYLE),
    "usergroup": Fields({"usergroup_id": IDENTIFIER}, _STYLE),
    "emoji": Fields({"name": IDENTIFIER}, {"unicode": IDENTIFIER, "skin_tone": Number(), **_STYLE}),
    "broadcast": Fields({"range": Word(("here", "channel", "everyone"))}, _STYLE),
    "date": Fields(
        {"timestamp": Number(), "format": ANY_TEXT}, {"url": URL, "fallback": ANY_TEXT, **_STYLE}
    ),
    "color": Fields({"value": IDENTIFIER}, _STYLE),
}
_PARTS: Final = Items(Kinds(RICH_PARTS), 1_000, 0)
RICH_SECTION: Final = Fields({"elements": _PARTS})
RICH_ELEMENTS: Final[dict[str, Fields]] = {
    "rich_text_section": RICH_SECTION,
    "rich_text_preformatted": Fields(
        {"elements": _PARTS}, {"border": Number(0, 1), "language": IDENTIFIER}
    ),
    "rich_text_quote": Fields({"elements": _PARTS}, {"border": Number(0, 1)}),
    "rich_text_list": Fields(
        {
            "elements": Items(Kinds({"rich_text_section": RICH_SECTION}), 1_000),
            "style": Word(("bullet", "ordered")),
        },
        {"indent": Number(0, 8), "offset": Number(0), "border": Number(0, 1)},
    ),
}
