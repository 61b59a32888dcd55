"""The form is what the schema asks for, and what comes back is of the schema's types."""

from typing import Any

import pytest

from core.approvals.form import form, read
from core.errors import BadArguments
from core.records import Json, Tool
from tests.approvals.test_card import a_call

SCHEMA: Json = {
    "type": "object",
    "$defs": {"Where": {"enum": ["here", "there"]}},
    "properties": {
        "stage": {"enum": [1, 2, "won"], "title": "Stage of the lead"},
        "where": {"$ref": "#/$defs/Where"},
        "starts": {"type": "string", "format": "date-time"},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "size": {"type": ["integer", "null"]},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "pairs": {"type": "array", "items": {"type": "object"}},
        "whole": {"type": "object"},
        "is_open": {"type": "boolean"},
        "price": {"type": "number"},
    },
    "required": ["stage", "note"],
}
TOOL = Tool(server="crm", name="set", description="", schema=SCHEMA)
ARGUMENTS: Json = {"stage": 2, "note": "line one\nline two", "extra": "kept", "whole": {"a": 1}}


def edited(**values: Any) -> Json:
    return read(a_call(ARGUMENTS), TOOL, values)


def test_each_property_is_an_input_of_its_kind() -> None:
    shown = {field.name: field for field in form(a_call(ARGUMENTS), TOOL, "Set").fields}
    assert {name: field.kind for name, field in shown.items() if not field.is_fixed} == {
        "stage": "choice", "where": "choice", "starts": "datetime", "note": "long_text",
        "tags": "list", "size": "integer", "is_open": "flag", "price": "number",
    }  # fmt: skip
    assert {name for name, field in shown.items() if field.is_fixed} == {
        "either", "pairs", "whole", "extra",
    }  # fmt: skip
    assert (shown["stage"].label, shown["stage"].value) == ("Stage of the lead", "2")
    assert shown["stage"].choices == ("1", "2", "won")
    assert {name for name, field in shown.items() if field.is_required} == {"stage", "note"}


@pytest.mark.parametrize(
    ("values", "changed"),
    [
        ({"stage": "1"}, {"stage": 1}),
        ({"stage": "won", "where": "there"}, {"stage": "won", "where": "there"}),
        ({"starts": "2026-12-01T10:00:00Z"}, {"starts": "2026-12-01T10:00:00Z"}),
        ({"tags": "a\n\n b "}, {"tags": ["a", "b"]}),
        ({"tags": ("a", "b")}, {"tags": ["a", "b"]}),
        ({"size": "12", "price": " -1.5e3 "}, {"size": 12, "price": -1500.0}),
        ({"price": "7"}, {"price": 7}),
        ({"is_open": "No"}, {"is_open": False}),
        ({"note": ""}, {"note": ""}),
        ({"whole": {"a": 1}, "extra": "kept"}, {}),
        ({"size": "", "where": None, "starts": "", "tags": []}, {}),
    ],
)
def test_what_comes_back_has_the_schemas_types(values: Json, changed: Json) -> None:
    assert edited(**values) == {**ARGUMENTS, **changed}
    assert repr(edited(**values)) == repr({**ARGUMENTS, **changed})


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"stage": "3"}, "Stage of the lead must be one of 1, 2, won"),
        ({"stage": None}, "Stage of the lead must not be empty"),
        ({"stage": ""}, "Stage of the lead must not be empty"),
        ({"starts": 5}, "Starts must be text"),
        ({"size": "1.5"}, "Size: '1.5' is not a whole number"),
        ({"price": "1.234,5"}, "Price: '1.234,5' is not a number"),
        ({"price": "1,5"}, "write 1.5"),
        ({"price": []}, "Price must be a number"),
        ({"tags": {"a": 1}}, "Tags must be a list of texts"),
        ({"extra": "other"}, "Extra cannot be edited here"),
        ({"whole": {"a": 2}}, "Whole cannot be edited here"),
        ({"unheard": 1}, "'unheard' is not a field of this call"),
    ],
)
def test_what_cannot_be_read_is_said(values: Json, sentence: str) -> None:
    with pytest.raises(BadArguments) as refused:
        edited(**values)
    assert sentence in str(refused.value)
