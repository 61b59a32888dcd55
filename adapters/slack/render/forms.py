"""Shows the edit form of a call as a modal, typed field by field."""

from typing import cast

from adapters.cards import CUT
from adapters.slack.render import cards, effect, limits, moments, pages
from adapters.slack.render.effect import line, words
from core.parked import Form, FormField
from core.records import Json

EDIT = "call.edit"
CANCEL = "call.cancel"
INPUT = "value"
"""The action of every input; which field it is stands in its block's id."""
PART_TEXT = 2_300
"""A text longer than an input is edited in parts, each with room to grow."""
_PARTS = 24
_MOST_BLOCKS = 96
_YES = "yes"


def view(form: Form, metadata: str) -> Json:
    shown: list[Json] = []
    for number, field in enumerate(form.fields):
        added = blocks(field, number)
        if len(shown) + len(added) > _MOST_BLOCKS:
            added = [_fixed(field)]
        shown += added
    made = pages.modal(EDIT, "Edit", shown[: limits.PAGE_BLOCKS + 10], metadata, close="Back")
    return made | {"submit": cards.plain("Save")}


def reason(metadata: str) -> Json:
    """Asks why a call is cancelled; nobody has to say."""
    element: Json = {"type": "plain_text_input", "action_id": INPUT, "max_length": 500}
    asked: Json = {
        "type": "input",
        "block_id": "reason",
        "optional": True,
        "label": cards.plain("Why? The one who asked is told."),
        "element": element | {"multiline": True},
    }
    made = pages.modal(CANCEL, "Cancel the call", [asked], metadata, close="Back")
    return made | {"submit": cards.plain("Cancel it")}


def blocks(field: FormField, number: int) -> list[Json]:
    """The input of one field; several of them for a long text."""
    if not is_editable(field):
        return [_fixed(field)]
    label = " ".join(field.label.split())[:100] or field.name[:100] or "Value"
    texts = parts(field)
    if len(texts) == 1:
        return [_input(field, block_id(number, 0), label, _element(field, texts[0]))]
    return [
        _input(
            field,
            block_id(number, part),
            f"{label}, part {part + 1} of {len(texts)}",
            _typed(text, is_long=True),
        )
        for part, text in enumerate(texts)
    ]


def block_id(number: int, part: int) -> str:
    return f"f{number}.{part}"


def is_editable(field: FormField) -> bool:
    """Not what the form fixes, and not what no input of Slack's can hold exactly."""
    if field.is_fixed:
        return False
    match field.kind:
        case "list":
            entries = _entries(field.value)
            is_exact = all(isinstance(one, str) and one.splitlines() == [one] for one in entries)
            return is_exact and all(one == one.strip() for one in text_of(field).split("\n"))
        case "text" | "long_text":
            return len(effect.pieces(text_of(field), PART_TEXT)) <= _PARTS
        case "choice":
            return 0 < len(field.choices) <= limits.OPTIONS * limits.OPTIONS
        case _:
            return True


def parts(field: FormField) -> list[str]:
    """The value as it is typed, in as many inputs as it takes."""
    text = text_of(field)
    return [text] if _fits(text) else effect.pieces(text, PART_TEXT)


def text_of(field: FormField) -> str:
    if isinstance(field.value, list | tuple):
        return "\n".join(map(str, _entries(cast("object", field.value))))
    return "" if field.value is None else str(field.value)


def _entries(value: object) -> list[object]:
    return list(cast("list[object]", value)) if isinstance(value, list | tuple) else []


def _fits(text: str) -> bool:
    return limits.weight(text) <= limits.INPUT_TEXT


def _input(field: FormField, at: str, label: str, element: Json) -> Json:
    made: Json = {
        "type": "input",
        "block_id": at,
        "label": cards.plain(label),
        "element": {**element, "action_id": INPUT},
        # An empty box is a value, and one of several parts may be emptied.
        "optional": not field.is_required or field.kind == "flag" or not at.endswith(".0"),
    }
    hints = {"list": "One on each line.", "datetime": "A date and a time, as 2026-10-01T09:30."}
    is_picked = element["type"] == "datetimepicker"
    if field.kind in hints and not is_picked:
        made["hint"] = cards.plain(hints[field.kind])
    return made


def _element(field: FormField, text: str) -> Json:
    match field.kind:
        case "number" | "integer" if not text or _is_plain_number(text):
            return _number(field, text)
        case "flag":
            option = {"text": cards.plain("Yes"), "value": _YES}
            made: Json = {"type": "checkboxes", "options": [option]}
            return made | {"initial_options": [option]} if field.value is True else made
        case "choice":
            return _menu(field)
        case "datetime" if not text or moments.read(text) is not None:
            at = moments.read(text)
            picker: Json = {"type": "datetimepicker"}
            return picker if at is None else picker | {"initial_date_time": int(at.timestamp())}
        case _:
            return _typed(text, is_long=field.kind in ("long_text", "list") or "\n" in text)


def _typed(text: str, *, is_long: bool) -> Json:
    made: Json = {"type": "plain_text_input", "multiline": is_long}
    return made | {"initial_value": text} if text else made


def _number(field: FormField, text: str) -> Json:
    made: Json = {"type": "number_input", "is_decimal_allowed": field.kind == "number"}
    return made | {"initial_value": text} if text else made


def _is_plain_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit() and len(text) < 30


def _menu(field: FormField) -> Json:
    """Each option by its place in the list: a value may be longer than Slack allows."""
    options: list[Json] = [
        {"text": cards.plain(_option(choice)), "value": str(number)}
        for number, choice in enumerate(field.choices)
    ]
    made: Json = {"type": "static_select"}
    if len(options) <= limits.OPTIONS:
        made["options"] = options
    else:
        starts = range(0, len(options), limits.OPTIONS)
        made["option_groups"] = [
            {"label": cards.plain(f"{start + 1} …"), "options": options[start:][: limits.OPTIONS]}
            for start in starts
        ]
    if field.value in field.choices:
        made["initial_option"] = options[field.choices.index(str(field.value))]
    return made


def _option(choice: str) -> str:
    most = limits.OPTION_TEXT
    return choice if len(choice) <= most else choice[: most - 2] + " …"


def _fixed(field: FormField) -> Json:
    text = text_of(field) or "(empty)"
    shown = text if limits.weight(text) <= limits.SMALL_PRINT else text[:200] + CUT
    label = words(f"{' '.join(field.label.split())}: ", "bold")
    note = words("  cannot be edited here", "italic")
    return {"type": "rich_text", "elements": [line(label, words(shown), note)]}
