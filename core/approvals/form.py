"""The edit form of a call: typed by the tool's schema, and read back into its arguments."""

import re
from collections.abc import Mapping
from typing import Any, cast

from core.approvals.plain import words
from core.capabilities import shapes
from core.capabilities.references import written_out
from core.errors import BadArguments
from core.parked import Form, FormField, ParkedCall
from core.records import Json, Tool

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_WHOLE = re.compile(r"[+-]?\d+")
_TEXTS = ("body", "text", "content", "message", "description", "comment", "note", "notes")
_LONG = 150
_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def form(call: ParkedCall, tool: Tool, title: str) -> Form:
    """The form with the arguments as they stand. What it cannot type is shown and fixed."""
    return Form(call=call.id, revision=call.revision, title=title, fields=_fields(call, tool))


def read(call: ParkedCall, tool: Tool, values: Mapping[str, object]) -> Json:
    """The arguments after an edit; what the form left out stays as it is.

    An emptied field that need not be there is left out. Raises BadArguments with a sentence for
    the person. Whether the result fits the schema is for the caller to check.
    """
    fields = {field.name: field for field in _fields(call, tool)}
    arguments = dict(call.arguments)
    for name, value in values.items():
        field = fields.get(name)
        if field is None:
            raise BadArguments(f"{name!r} is not a field of this call")
        if field.is_fixed:
            if value is not None and value != field.value:
                raise BadArguments(f"{field.label} cannot be edited here")
            continue
        given = _read(field, value, _schemas(tool).get(name, {}))
        if given is None and field.is_required:
            raise BadArguments(f"{field.label} must not be empty")
        if given is None or (given in ("", []) and not field.is_required):
            arguments.pop(name, None)
        else:
            arguments[name] = given
    return arguments


def _fields(call: ParkedCall, tool: Tool) -> tuple[FormField, ...]:
    schemas = _schemas(tool)
    required = shapes.names(written_out(tool.schema).get("required"))
    names = [*schemas, *(name for name in call.arguments if name not in schemas)]
    return tuple(
        _field(name, schemas.get(name, {}), call.arguments.get(name), is_required=name in required)
        for name in names
    )


def _schemas(tool: Tool) -> dict[str, Json]:
    root = shapes.flat({**written_out(tool.schema), "type": "object"})
    properties = shapes.mapping(root.get("properties"))
    return {name: _only(shapes.mapping(inner)) for name, inner in properties.items()}


def _only(schema: Json) -> Json:
    """The one kind of value that a schema with `null` beside it speaks of."""
    variants = [
        variant
        for variant in shapes.variants(shapes.without_all_of(schema))
        if shapes.types(variant) != ["null"]
    ]
    if len(variants) == 1:
        beside = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}
        return {**beside, **variants[0]}
    return {} if variants else schema


def _field(name: str, schema: Json, value: Any, *, is_required: bool) -> FormField:
    choices = _choices(schema)
    kind = "choice" if choices else _kind(name, schema, value)
    shown: object = value
    if choices and value is not None:
        shown = str(value)
    title = schema.get("title")
    return FormField(
        name=name,
        label=title if isinstance(title, str) and title else words(name),
        kind=cast("Any", kind or "text"),
        value=shown,
        choices=choices,
        is_required=is_required,
        is_fixed=not kind,
    )


def _choices(schema: Json) -> tuple[str, ...]:
    return tuple(str(value) for value in shapes.values(schema) if value is not None)


def _kind(name: str, schema: Json, value: Any) -> str:
    """The kind of input, empty where there is none for it."""
    types = [kind for kind in shapes.types(schema) if kind != "null"]
    if len(types) != 1:
        return ""
    match types[0]:
        case "number" | "integer":
            return types[0]
        case "boolean":
            return "flag"
        case "array":
            items = shapes.mapping(schema.get("items"))
            return "list" if shapes.types(items) == ["string"] else ""
        case "string" if schema.get("format") == "date-time":
            return "datetime"
        case "string":
            is_text = name.casefold() in _TEXTS or (isinstance(value, str) and _is_long(value))
            return "long_text" if is_text else "text"
        case _:
            return ""


def _is_long(value: str) -> bool:
    return "\n" in value or len(value) > _LONG


def _read(field: FormField, value: object, schema: Json) -> Any:
    """The value in the type that the schema asks for. Raises BadArguments."""
    if value is None or (value == "" and field.kind in ("number", "integer", "choice", "datetime")):
        return None
    match field.kind:
        case "number" | "integer":
            return _number(field, value)
        case "flag":
            return _flag(field, value)
        case "choice":
            return _choice(field, value, schema)
        case "list":
            return _list(field, value)
        case "text" | "long_text" | "datetime":
            if not isinstance(value, str):
                raise BadArguments(f"{field.label} must be text")
            return value


def _number(field: FormField, value: object) -> int | float:
    """A number stays a number: `10.5` may arrive as text, `10,5` is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise BadArguments(f"{field.label} must be a number")
    if not isinstance(value, str):
        return value
    text = value.strip()
    if _WHOLE.fullmatch(text):
        return int(text)
    if field.kind == "integer":
        raise BadArguments(f"{field.label}: {text[:40]!r} is not a whole number")
    if not _NUMBER.fullmatch(text):
        hint = text.replace(",", ".") if text.count(",") == 1 and "." not in text else ""
        meant = f"; write {hint}" if hint and _NUMBER.fullmatch(hint) else ""
        raise BadArguments(f"{field.label}: {text[:40]!r} is not a number{meant}")
    return float(text)


def _flag(field: FormField, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.casefold() in _FLAGS:
        return _FLAGS[value.casefold()]
    raise BadArguments(f"{field.label} must be yes or no")


def _choice(field: FormField, value: object, schema: Json) -> Any:
    for allowed in shapes.values(schema):
        if allowed is not None and (value == str(allowed) or value is allowed):
            return allowed
    raise BadArguments(f"{field.label} must be one of {', '.join(field.choices)}")


def _list(field: FormField, value: object) -> list[str]:
    """A list of texts, or one text with an entry on each line."""
    if isinstance(value, str):
        return [line.strip() for line in value.splitlines() if line.strip()]
    given = cast("list[object]", value) if isinstance(value, list | tuple) else [None]
    texts = [one for one in given if isinstance(one, str)]
    if len(texts) != len(given):
        raise BadArguments(f"{field.label} must be a list of texts")
    return texts
