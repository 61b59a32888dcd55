"""Reads what somebody typed into an edit form back into the values of the call."""

import re
from typing import Any, cast

from adapters.slack import fields
from adapters.slack.render import forms, moments
from core.parked import Form, FormField
from core.records import Json


def values(form: Form, view: Json) -> dict[str, object]:
    """What differs from the form as it was shown, by argument name. What was not touched stays
    as it is, also where Slack would give it back a little changed."""
    state = fields.child(fields.child(view, "state"), "values")
    found: dict[str, object] = {}
    for number, field in enumerate(form.fields):
        if not forms.is_editable(field):
            continue
        given = [
            fields.child(fields.child(state, forms.block_id(number, part)), forms.INPUT)
            for part in range(len(forms.parts(field)))
        ]
        if not any(given):
            continue
        is_changed, value = _read(field, given)
        if is_changed:
            found[field.name] = value
    return found


def reason(view: Json) -> str:
    state = fields.child(fields.child(view, "state"), "values")
    return fields.text(fields.child(fields.child(state, "reason"), forms.INPUT), "value")


def place_of(form: Form, sentence: str) -> str:
    """The block under which a refusal is shown: that of the field which it speaks of, else the
    first that can be edited."""
    open_fields = [
        (number, field) for number, field in enumerate(form.fields) if forms.is_editable(field)
    ]
    said = sentence.partition(":")[2] or sentence
    named = [
        (found.start(), -len(word), number)
        for number, field in open_fields
        for word in (field.label, field.name)
        if word and (found := re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said))
    ]
    if named:
        return forms.block_id(min(named)[2], 0)
    return forms.block_id(open_fields[0][0], 0) if open_fields else ""


def _read(field: FormField, given: list[Json]) -> tuple[bool, object]:
    """Whether it was changed, and the value."""
    first = given[0]
    kind = fields.text(first, "type")
    if kind == "checkboxes":
        is_ticked = bool(fields.children(first, "selected_options"))
        return is_ticked != (field.value is True), is_ticked
    if kind == "static_select":
        picked = fields.text(fields.child(first, "selected_option"), "value")
        choice = _choice(field, picked)
        return choice != field.value and choice is not None, choice
    if kind == "datetimepicker":
        return _moment(field, first)
    shown = forms.parts(field)
    typed = [_typed(one) for one in given]
    pairs = list(zip(shown, typed, strict=True))
    if all(_is_same(before, after) for before, after in pairs):
        return False, None
    # A part that was left alone keeps the blank at its end, which Slack may not give back.
    kept = [before if _is_same(before, after) else after for before, after in pairs]
    text = _joined(shown, kept)
    return True, text if text else None


def _typed(given: Json) -> str:
    value: Any = given.get("value")
    return str(value) if isinstance(value, str | int | float) else ""


def _is_same(before: str, after: str) -> bool:
    return before.replace("\r\n", "\n").strip() == after.replace("\r\n", "\n").strip()


def _joined(shown: list[str], kept: list[str]) -> str:
    """Parts that were cut after a line or a word keep their distance."""
    pieces: list[str] = []
    for number, text in enumerate(kept):
        blank = shown[number][-1:] if number < len(kept) - 1 else ""
        is_lost = blank.isspace() and bool(text) and not text[-1:].isspace()
        pieces.append(text + blank if is_lost else text)
    return "".join(pieces)


def _choice(field: FormField, picked: str) -> str | None:
    if not picked.isdecimal() or int(picked) >= len(field.choices):
        return None
    return field.choices[int(picked)]


def _moment(field: FormField, given: Json) -> tuple[bool, object]:
    picked = cast(Any, given.get("selected_date_time"))
    if not isinstance(picked, int):
        return field.value is not None, None
    before = forms.text_of(field)
    return not moments.is_same(picked, before), moments.written(picked, before)
