"""Makes a tool's schema acceptable to a provider.

The shown schema may say less than the original, which validates the arguments: what a provider
does not take is left out or said in words.
"""

import inspect
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from core.capabilities import shapes
from core.capabilities.references import written_out
from core.records import Json, Tool, ToolSchema

Dialect = Literal["openai", "anthropic", "plain"]
"""`plain` is what a small server or a strict gateway takes: one type each, no alternatives."""

LONGEST_DESCRIPTION = 1_024
"""Characters: OpenAI's limit for a function's description."""
PROPERTY_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
"""Anthropic's rule, the strictest."""

_FORMATS = frozenset(
    ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
)
_KEPT = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "pattern", "default"),
)
_KEPT_PLAIN = ("minimum", "maximum", "minItems", "maxItems")
_DEEPEST = 24


def acceptable(schema: Mapping[str, Any], dialect: Dialect) -> Json:
    """The schema as this provider takes it: an object at the root, no references, no top-level
    alternatives, no tuples, no formats it does not know."""
    root = {**written_out(schema), "type": "object"}
    shaped = _node(shapes.flat(root), dialect, keep_null=False, depth=0)
    if sets := shapes.alternatives(root):
        _say(shaped, f"Give {sets}.")
    return shaped


def bound(tools: Mapping[str, Tool], dialect: Dialect) -> tuple[ToolSchema, ...]:
    """The tools as the model is shown them, by alias and in the order of the aliases, which keeps
    a provider's prompt cache warm."""
    return tuple(
        replace(_shown(tool, dialect), name=alias) for alias, tool in sorted(tools.items())
    )


_known: dict[tuple[str, str, Dialect], ToolSchema] = {}
"""What was made acceptable before: a tool looks the same to every turn until its digest changes."""
_MOST_KNOWN = 2_000


def _shown(tool: Tool, dialect: Dialect) -> ToolSchema:
    place = (tool.key, tool.digest, dialect)
    if tool.digest and (shown := _known.get(place)) is not None:
        return shown
    shown = ToolSchema(
        name=tool.name,
        description=_cut(inspect.cleandoc(tool.description)),
        parameters=acceptable(tool.schema, dialect),
    )
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[place] = shown
    return shown


def _node(given: Any, dialect: Dialect, *, keep_null: bool, depth: int) -> Json:
    """One schema in the dialect. `keep_null`: whether null stays where it is allowed; it has to
    where a property is required, and elsewhere leaving the property out says the same."""
    if depth > _DEEPEST or given is True:
        given = {}
    schema = shapes.without_all_of(shapes.mapping(given))
    keep_null = keep_null and dialect != "plain" and shapes.allows_null(schema)
    if variants := shapes.variants(schema):
        return _choice(schema, variants, dialect, keep_null=keep_null, depth=depth)
    shaped: Json = {"description": schema["description"]} if "description" in schema else {}
    types = [kind for kind in shapes.types(schema) if kind != "null"]
    _name_types(shaped, types, dialect, keep_null=keep_null)
    _name_values(shaped, schema, dialect, keep_null=keep_null)
    _bounds(shaped, schema, dialect)
    if "object" in types:
        _object(shaped, schema, dialect, depth)
    if "array" in types:
        _array(shaped, schema, dialect, depth)
    if "description" in shaped:
        shaped["description"] = _cut(str(shaped["description"]))
    return shaped


def _choice(
    schema: Json, variants: list[Json], dialect: Dialect, *, keep_null: bool, depth: int
) -> Json:
    """A schema with alternatives: one of them where one is left or the dialect takes one, an enum
    where all are enums, else `anyOf`."""
    beside = {k: v for k, v in schema.items() if k not in ("anyOf", "oneOf", "type")}
    enums = [shapes.values(variant) for variant in variants]
    if len(variants) > 1 and all(enums):
        listed = {repr(value): value for enum in enums for value in enum}
        variants = [{"enum": list(listed.values())}]
    if len(variants) == 1 or dialect == "plain":
        only = {**variants[0], **beside, "nullable": keep_null}
        return _node(only, dialect, keep_null=keep_null, depth=depth + 1)
    shaped = [_node(variant, dialect, keep_null=False, depth=depth + 1) for variant in variants]
    if keep_null:
        shaped.append({"type": "null"})
    distinct = list({repr(variant): variant for variant in shaped}.values())
    choice: Json = {"anyOf": distinct} if len(distinct) > 1 else dict(distinct[0])
    if "description" in schema:
        choice["description"] = _cut(str(schema["description"]))
    return choice


def _name_types(shaped: Json, types: list[str], dialect: Dialect, *, keep_null: bool) -> None:
    if dialect == "plain":
        shaped["type"] = types[0] if types else "string"
    elif types:
        shown = [*types, "null"] if keep_null else types
        shaped["type"] = shown[0] if len(shown) == 1 else shown


def _name_values(shaped: Json, schema: Json, dialect: Dialect, *, keep_null: bool) -> None:
    values = [value for value in shapes.values(schema) if value is not None]
    if not values:
        return
    if dialect == "plain" and not all(isinstance(value, str) for value in values):
        _say(shaped, f"One of {', '.join(str(value) for value in values)}.")
    else:
        shaped["enum"] = [*values, None] if keep_null else values


def _bounds(shaped: Json, schema: Json, dialect: Dialect) -> None:
    for key in _KEPT_PLAIN if dialect == "plain" else _KEPT:
        # Draft 4 wrote exclusive bounds as booleans; no provider takes those.
        if key in schema and not (key.startswith("exclusive") and isinstance(schema[key], bool)):
            shaped[key] = schema[key]
    if shaped.get("default", "") is None:
        del shaped["default"]
    if dialect == "plain" and schema.get("default") is not None:
        _say(shaped, f"Default: {str(schema['default'])[:80]}.")
    form = schema.get("format")
    if dialect != "plain" and form in _FORMATS:
        shaped["format"] = form
    elif isinstance(form, str):
        _say(shaped, f"Format: {form[:40]}.")


def _object(shaped: Json, schema: Json, dialect: Dialect, depth: int) -> None:
    required = shapes.names(schema.get("required"))
    # A required name that no property describes is refused by some providers.
    properties: Json = dict.fromkeys(required) | shapes.mapping(schema.get("properties"))
    shaped["properties"] = {
        name: _node(inner, dialect, keep_null=name in required, depth=depth + 1)
        for name, inner in properties.items()
        if inner is not False and PROPERTY_NAME.fullmatch(name)
    }
    if known := [name for name in required if name in shaped["properties"]]:
        shaped["required"] = list(dict.fromkeys(known))
    if dialect == "plain":
        return
    patterns = list(shapes.mapping(schema.get("patternProperties")).values())
    extra = schema.get("additionalProperties")
    if patterns and not isinstance(extra, dict):
        extra = patterns[0]
    if isinstance(extra, bool):
        shaped["additionalProperties"] = extra
    elif isinstance(extra, dict):
        shaped["additionalProperties"] = _node(extra, dialect, keep_null=True, depth=depth + 1)


def _array(shaped: Json, schema: Json, dialect: Dialect, depth: int) -> None:
    places = shapes.places(schema)
    if not places:
        shaped["items"] = _node(schema.get("items"), dialect, keep_null=True, depth=depth + 1)
        return
    if schema.get("additionalItems") is False or schema.get("items") is False:
        shaped.setdefault("maxItems", len(places))
    shaped["items"] = _node({"anyOf": places}, dialect, keep_null=True, depth=depth + 1)
    kinds = [" or ".join(shapes.types(shapes.mapping(place))) or "anything" for place in places]
    _say(shaped, f"In this order: {', '.join(kinds)}.")


def _say(shaped: Json, sentence: str) -> None:
    shaped["description"] = _cut(f"{shaped.get('description', '')} {sentence}".strip())


def _cut(text: str) -> str:
    longest = LONGEST_DESCRIPTION
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
