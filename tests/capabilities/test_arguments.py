"""Arguments that do not fit are refused with a sentence that says what would."""

import pytest

from core.capabilities.arguments import validate
from core.errors import BadArguments
from core.records import Json, Tool

SCHEMA: Json = {
    "type": "object",
    "properties": {
        "customer_id": {"type": "string", "pattern": "^C-[0-9]{4}$"},
        "quarter": {"enum": ["Q1", "Q2"]},
        "lines": {"type": "array", "items": {"type": "object", "required": ["product"]}},
    },
    "required": ["customer_id"],
    "additionalProperties": False,
}


def tool(schema: Json) -> Tool:
    return Tool(server="s", name="t", description="", schema=schema)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "the arguments: 'customer_id' is missing"),
        ({"customer_id": 5}, "customer_id: 5 is not of type 'string'"),
        ({"customer_id": "1001"}, "customer_id: '1001' does not match"),
        ({"customer_id": "C-1001", "quarter": "Q9"}, "quarter: 'Q9' is not one of"),
        ({"customer_id": "C-1001", "quartr": "Q1"}, "did you mean 'quarter'?"),
        ({"customer_id": "C-1001", "lines": [{}, {}]}, "lines.0: 'product' is missing"),
    ],
)
def test_the_sentence_names_the_place_and_the_remedy(arguments: Json, sentence: str) -> None:
    with pytest.raises(BadArguments, match=_literally(sentence)):
        validate(tool(SCHEMA), arguments)


def test_arguments_that_fit_pass() -> None:
    validate(tool(SCHEMA), {"customer_id": "C-1001", "lines": [{"product": "P-101"}]})


def test_many_faults_are_not_all_told() -> None:
    schema: Json = {"type": "object", "properties": {f"p{n}": {"type": "null"} for n in range(9)}}
    with pytest.raises(BadArguments, match=r"\(6 more\)$"):
        validate(tool(schema), {f"p{n}": 1 for n in range(9)})


@pytest.mark.parametrize(
    "pattern", ["^(a+)+$", "(a|a)*$", "a*a*a*a*a*b", "^([a-z]+\\s?)*$", "(?P<x", "[z-a]"]
)
def test_an_expression_that_never_ends_or_is_none_does_not_hold_up_the_process(
    pattern: str,
) -> None:
    schema: Json = {"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}}
    validate(tool(schema), {"a": "a" * 5_000 + "!"})
    validate(tool(schema), {"a": "a" * 40 + "!"})


def test_a_schema_that_is_its_own_inside_does_not_end_the_process() -> None:
    endless: Json = {"type": "object", "properties": {"a": {}}, "$ref": "#"}
    with pytest.raises(BadArguments, match="nested too deeply"):
        validate(tool(endless), {"a": 1})


def _literally(sentence: str) -> str:
    import re

    return re.escape(sentence)
