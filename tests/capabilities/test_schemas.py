"""Every provider takes the schemas that it is shown; arguments are held against the original."""

import json
from enum import Enum
from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel, Field

from core.capabilities.arguments import schema_fault, validate
from core.capabilities.schemas import Dialect, acceptable, bound
from core.errors import BadArguments
from core.records import Json, Tool

DIALECTS: tuple[Dialect, ...] = ("openai", "anthropic", "plain")


class Line(BaseModel):
    product: str
    units: int = 1
    note: str | None = None


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Node(BaseModel):
    name: str
    children: list["Node"] = []


class Order(BaseModel):
    lines: list[Line] | None = None
    first: Line
    color: Color = Color.RED
    price: int | float | None = None
    size: tuple[int, str] = (1, "m")
    extra: dict[str, int] = Field(default_factory=dict)


CASES: dict[str, tuple[Json, Json, Json]] = {
    # What a server gives; what a model may say and both take; what the original does not take.
    "pydantic refs and optional lists": (
        Order.model_json_schema(),
        {"first": {"product": "a"}, "lines": [{"product": "b", "units": 2}], "color": "blue"},
        {"first": {"units": 2}},
    ),
    "recursive": (
        Node.model_json_schema(),
        {"name": "a", "children": [{"name": "b"}]},
        {"name": "a", "children": [{"name": 3}]},
    ),
    "type list with null": (
        {"type": "object", "properties": {"to": {"type": ["string", "null"]}}},
        {"to": "a"},
        {"to": 5},
    ),
    "required and nullable": (
        {
            "type": "object",
            "properties": {"to": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
            "required": ["to"],
        },
        {"to": "a"},
        {},
    ),
    "top level oneOf": (
        {
            "oneOf": [
                {
                    "type": "object",
                    "properties": {"kind": {"const": "id"}, "id": {"type": "integer"}},
                    "required": ["kind", "id"],
                },
                {
                    "type": "object",
                    "properties": {"kind": {"const": "name"}, "name": {"type": "string"}},
                    "required": ["kind", "name"],
                },
            ]
        },
        {"kind": "name", "name": "x"},
        {"kind": "name", "id": 4},
    ),
    "top level allOf": (
        {
            "type": "object",
            "allOf": [
                {"properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"$ref": "#/$defs/more"},
            ],
            "$defs": {"more": {"properties": {"b": {"type": "integer"}}, "required": ["b"]}},
        },
        {"a": "x", "b": 1},
        {"a": "x"},
    ),
    "tuples of both drafts": (
        {
            "type": "object",
            "properties": {
                "new": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}]},
                "old": {"type": "array", "minItems": 1},
            },
        },
        {"new": [1, 2]},
        {"new": ["a"]},
    ),
    "empty schema": ({}, {}, {"__no__": 1}),
    "no properties": ({"type": "object"}, {}, {}),
    "formats": (
        {
            "type": "object",
            "properties": {
                "when": {"type": "string", "format": "date-time"},
                "page": {"type": "string", "format": "uri"},
                "count": {"type": "integer", "format": "int64", "minimum": 1},
            },
        },
        {"page": "https://a.example", "count": 2},
        {"count": 0},
    ),
    "const and mixed enums": (
        {
            "type": "object",
            "properties": {
                "version": {"const": 2},
                "level": {"enum": ["low", "high", None]},
                "rank": {"enum": [1, 2, 3]},
            },
            "required": ["level"],
        },
        {"level": "low", "rank": 2, "version": 2},
        {"level": "middle"},
    ),
    "additionalProperties": (
        {
            "type": "object",
            "properties": {
                "labels": {"type": "object", "additionalProperties": {"type": "string"}}
            },
            "additionalProperties": False,
        },
        {"labels": {}},
        {"labels": {}, "other": 1},
    ),
    "boolean schemas and unknown keywords": (
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {"any": True, "never": False, "x": {"type": "string", "x-ui": "area"}},
            "if": {"required": ["any"]},
            "then": {"required": ["x"]},
        },
        {"x": "a"},
        {"any": 1},
    ),
    "array without items": (
        {"type": "object", "properties": {"list": {"type": "array"}}},
        {"list": ["a"]},
        {"list": "a"},
    ),
    "definitions of draft 7 with a path in the name": (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "definitions": {"a/b": {"type": "string", "minLength": 1}},
            "properties": {"p": {"$ref": "#/definitions/a~1b"}},
            "required": ["p"],
        },
        {"p": "x"},
        {"p": ""},
    ),
    "a required name that nothing describes": (
        {"type": "object", "required": ["free"]},
        {"free": "text"},
        {},
    ),
    "alternatives of objects": (
        {
            "type": "object",
            "properties": {
                "target": {
                    "oneOf": [
                        {
                            "type": "object",
                            "properties": {"channel": {"type": "string"}},
                            "required": ["channel"],
                        },
                        {
                            "type": "object",
                            "properties": {"mail": {"type": "string"}},
                            "required": ["mail"],
                        },
                    ],
                    "discriminator": {"propertyName": "type"},
                }
            },
        },
        {"target": {"channel": "C1"}},
        {"target": {"fax": "1"}},
    ),
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", CASES)
def test_a_schema_is_acceptable_to_the_provider(name: str, dialect: Dialect) -> None:
    """Peers' case 49."""
    original, said, _ = CASES[name]
    shown = acceptable(original, dialect)
    assert faults(shown, dialect) == []
    jsonschema.Draft202012Validator.check_schema(shown)
    if not (dialect == "plain" and name in ("pydantic refs and optional lists",)):
        jsonschema.validate(said, shown)
    json.dumps(shown)


@pytest.mark.parametrize("name", CASES)
def test_the_original_decides_about_the_arguments(name: str) -> None:
    """Peers' case 49."""
    original, said, wrong = CASES[name]
    tool = tool_of(original)
    assert schema_fault(original) == ""
    validate(tool, said)
    if wrong not in ({}, {"__no__": 1}) or original.get("required"):
        with pytest.raises(BadArguments):
            validate(tool, wrong)


def test_the_shown_schema_still_says_what_the_model_needs() -> None:
    shown = acceptable(CASES["pydantic refs and optional lists"][0], "openai")
    properties = shown["properties"]
    assert properties["lines"]["items"]["required"] == ["product"]
    assert properties["color"]["enum"] == ["red", "blue"]
    assert properties["size"]["description"] == "In this order: integer, string."
    assert properties["extra"]["additionalProperties"] == {"type": "integer"}
    assert shown["required"] == ["first"]
    either = acceptable(CASES["top level oneOf"][0], "anthropic")
    assert either["properties"]["kind"]["enum"] == ["id", "name"]
    assert either["description"] == "Give (kind, id) or (kind, name)."
    assert either["required"] == ["kind"]
    needed = acceptable(CASES["required and nullable"][0], "openai")
    assert needed["properties"]["to"]["type"] == ["string", "null"], "null must stay sayable"
    page = acceptable(CASES["formats"][0], "openai")["properties"]
    assert page["when"]["format"] == "date-time"
    assert page["page"] == {"type": "string", "description": "Format: uri."}


def test_a_definition_inside_itself_is_written_out_once() -> None:
    shown = acceptable(Node.model_json_schema(), "openai")
    inner = shown["properties"]["children"]["items"]
    assert inner["type"] == "object"
    assert inner["properties"] == {}


def test_definitions_that_double_at_each_level_are_cut_and_not_written_out_for_ever() -> None:
    levels = 40
    definitions: Json = {
        f"d{n}": {
            "type": "object",
            "properties": {side: {"$ref": f"#/$defs/d{n + 1}"} for side in ("left", "right")},
        }
        for n in range(levels)
    }
    definitions[f"d{levels}"] = {"type": "string"}
    shown = acceptable(
        {"type": "object", "properties": {"root": {"$ref": "#/$defs/d0"}}, "$defs": definitions},
        "openai",
    )
    assert len(json.dumps(shown)) < 1_000_000
    assert faults(shown, "openai") == []


@pytest.mark.parametrize(
    "reference", ["#/$defs/nowhere", "#missing", "https://elsewhere.example/s.json", "other.json"]
)
def test_a_reference_that_leads_nowhere_is_a_fault(reference: str) -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": reference}}}
    assert schema_fault(schema)
    assert faults(acceptable(schema, "openai"), "openai") == []


def test_a_description_that_is_too_long_is_cut_and_indentation_is_taken_out() -> None:
    long = Tool(server="s", name="t", description="x" * 3_000, schema={})
    indented = Tool(server="s", name="u", description="One.\n    Two.", schema={})
    first, second = bound({"s_t": long, "s_u": indented}, "openai")
    assert len(first.description) == 1_024
    assert second.description == "One.\nTwo."


def test_the_shown_tools_stand_in_the_order_of_their_aliases() -> None:
    tools = {alias: tool_of({}) for alias in ("b", "c", "a")}
    assert [shown.name for shown in bound(tools, "plain")] == ["a", "b", "c"]


def faults(schema: Any, dialect: Dialect) -> list[str]:
    """What the provider would refuse, by its documented rules."""
    found = [] if schema.get("type") == "object" and "properties" in schema else ["root"]
    found += [f"root {key}" for key in ("anyOf", "oneOf", "allOf", "enum", "not") if key in schema]
    stack: list[Any] = [schema]
    while stack:
        node = stack.pop()
        found += [key for key in ("$ref", "$defs", "const", "oneOf", "allOf") if key in node]
        kinds = node.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if "array" in kinds and not isinstance(node.get("items"), dict):
            found.append("items")
        if node.get("format") in ("uri", "int64"):
            found.append("format")
        if dialect == "plain":
            found += [key for key in ("anyOf", "format", "default", "pattern") if key in node]
            found += [] if isinstance(node.get("type"), str) else ["no single type"]
            found += [] if all(isinstance(v, str) for v in node.get("enum", [])) else ["enum"]
        for name, inner in node.get("properties", {}).items():
            found += [] if name.replace("_", "").isalnum() and len(name) <= 64 else [name]
            stack.append(inner)
        missing = set(node.get("required", [])) - set(node.get("properties", {}))
        found += sorted(missing)
        stack += [node[key] for key in ("items", "additionalProperties") if is_schema(node, key)]
        stack += node.get("anyOf", [])
    return found


def is_schema(node: Json, key: str) -> bool:
    return isinstance(node.get(key), dict)


def tool_of(schema: Json) -> Tool:
    return Tool(server="s", name="t", description="", schema=schema)
