"""Shows the edit form of a call as inputs in its card, and reads them back."""

from typing import Any, cast

from adapters import fields
from adapters.cards import CUT
from adapters.teams.render import limits, tables
from adapters.teams.render.effect import line, run, small, strong
from core.parked import Form, FormField
from core.records import Json

REASON = "reason"
_HINTS = {"list": "One on each line.", "datetime": "A date and a time, as 2026-10-01T09:30."}


def content(form: Form, said: str = "") -> Json:
    """The card with the inputs. `said`: why what was typed before was not taken."""
    body: list[Json] = [line(run(form.title, weight="Bolder", size="Medium"))]
    if said:
        body.append(line(run(f"⚠ {said}", color="Attention")))
    for number, field in enumerate(form.fields):
        body += _shown(field, number)
    return tables.card(body, [_action("Save", "save", form), _action("Back", "back", form)])


def reason(call: str, revision: int) -> Json:
    """Asks why a call is cancelled; nobody has to say."""
    ask: Json = {
        "type": "Input.Text",
        "id": REASON,
        "label": "Why? The one who asked is told.",
        "isMultiline": True,
        "maxLength": 500,
    }
    data = {"call": call, "revision": revision}
    execute: Json = {"type": "Action.Execute", "data": data}
    return tables.card(
        [line(run("Cancel the call", weight="Bolder", size="Medium")), ask],
        [
            {**execute, "title": "Cancel it", "verb": "cancelled", "style": "destructive"},
            {**execute, "title": "Back", "verb": "back"},
        ],
    )


def values(form: Form, given: Json) -> dict[str, object]:
    """What differs from the form as it was shown, by argument name."""
    found: dict[str, object] = {}
    for number, field in enumerate(form.fields):
        key = input_id(number)
        if not is_editable(field) or key not in given:
            continue
        is_changed, value = _read(field, given[key])
        if is_changed:
            found[field.name] = value
    return found


def input_id(number: int) -> str:
    return f"f{number}"


def is_editable(field: FormField) -> bool:
    """Not what the form fixes, and not what no input can hold exactly."""
    if field.is_fixed or limits.weight(text_of(field)) > limits.INPUT_TEXT:
        return False
    match field.kind:
        case "list":
            entries = _entries(field.value)
            return all(isinstance(one, str) and one.splitlines() == [one] for one in entries)
        case "choice":
            return 0 < len(field.choices) <= limits.CHOICES
        case _:
            return True


def text_of(field: FormField) -> str:
    if isinstance(field.value, list | tuple):
        return "\n".join(map(str, _entries(cast("object", field.value))))
    return "" if field.value is None else str(field.value)


def _shown(field: FormField, number: int) -> list[Json]:
    label = " ".join(field.label.split())[:200] or field.name
    if not is_editable(field):
        text = text_of(field) or "(empty)"
        cut = text if len(text) <= 600 else text[:600] + CUT
        note = run("  cannot be edited here", italic=True)
        return [line(strong(f"{label}: "), run(cut.replace("\n", " ")), note)]
    hint = [small(_HINTS[field.kind])] if field.kind in _HINTS else []
    made: Json = {**_input(field), "id": input_id(number), "label": label}
    if field.is_required and field.kind != "flag":
        made |= {"isRequired": True, "errorMessage": f"{label} is needed."}
    return [made, *hint]


def _input(field: FormField) -> Json:
    text = text_of(field)
    match field.kind:
        case "flag":
            is_on = "true" if field.value is True else "false"
            return {"type": "Input.Toggle", "title": "Yes", "value": is_on}
        case "choice":
            choices = [
                {"title": choice, "value": str(place)} for place, choice in enumerate(field.choices)
            ]
            made: Json = {"type": "Input.ChoiceSet", "style": "compact", "choices": choices}
            is_known = field.value in field.choices
            return made | ({"value": str(field.choices.index(text))} if is_known else {})
        case "number" | "integer" if isinstance(field.value, int | float):
            return {"type": "Input.Number", "value": field.value}
        case _:
            is_long = field.kind in ("long_text", "list") or "\n" in text
            return {"type": "Input.Text", "isMultiline": is_long, "value": text}


def _read(field: FormField, given: Any) -> tuple[bool, object]:
    """Whether it was changed, and the value."""
    typed = str(given) if isinstance(given, str | int | float) else ""
    if field.kind == "flag":
        is_on = given is True or typed.lower() == "true"
        return is_on != (field.value is True), is_on
    if field.kind == "choice":
        if not typed.isdecimal() or int(typed) >= len(field.choices):
            return False, None
        choice = field.choices[int(typed)]
        return choice != field.value, choice
    before = text_of(field)
    if _same(before) == _same(typed):
        return False, None
    return True, typed if typed else None


def _same(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _action(title: str, verb: str, form: Form) -> Json:
    made: Json = {
        "type": "Action.Execute",
        "title": title,
        "verb": verb,
        "data": {"call": form.call, "revision": form.revision},
    }
    return made | {"style": "positive"} if verb == "save" else made


def typed_reason(given: Json) -> str:
    return fields.text(given, REASON)[:500]


def _entries(value: object) -> list[object]:
    return list(cast("list[object]", value)) if isinstance(value, list | tuple) else []
