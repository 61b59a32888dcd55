"""Writes the references of a JSON schema out, so that what remains is a tree without `$ref`.

Providers differ in what they do with `$defs`: some drop them and let the model guess.
"""

from collections.abc import Iterator, Mapping
from typing import Any, cast
from urllib.parse import unquote

from core.records import Json

MOST_NODES = 3_000
"""Schemas written out; past it every further one is cut. Definitions that use each other twice
double with each level."""

MAPS = ("properties", "patternProperties", "dependentSchemas")
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
SINGLES = (
    *("items", "additionalProperties", "not", "if", "then", "else", "contains"),
    *("propertyNames", "unevaluatedItems", "unevaluatedProperties", "additionalItems"),
)
_DEFINITIONS = ("$defs", "definitions")


def written_out(schema: Mapping[str, Any]) -> Json:
    """The same schema without references. A definition inside itself is cut to its bare type, and
    so is what lies beyond MOST_NODES or cannot be found."""
    written = _Writing(schema).node(schema, ())
    return written if isinstance(written, dict) else {}


def target(schema: Mapping[str, Any], reference: str) -> Any:
    """What a local reference (`#`, `#/$defs/X`) points at; None when it points nowhere."""
    if reference == "#":
        return schema
    if not reference.startswith("#/"):
        return None
    found: Any = schema
    for part in reference[2:].split("/"):
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping):
            found = cast("Mapping[str, Any]", found).get(key)
        elif isinstance(found, list) and key.isdecimal():
            listed = cast("list[Any]", found)
            found = listed[int(key)] if int(key) < len(listed) else None
        else:
            return None
    return found


def references(schema: Any) -> Iterator[str]:
    """Every `$ref` of the document."""
    stack = [schema]
    while stack:
        value = stack.pop()
        if isinstance(value, Mapping):
            for key, inner in cast("Mapping[Any, Any]", value).items():
                if key in ("$ref", "$dynamicRef") and isinstance(inner, str):
                    yield inner
                stack.append(inner)
        elif isinstance(value, list):
            stack.extend(cast("list[Any]", value))


class _Writing:
    """One pass over a schema, with the budget that is left."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.left = MOST_NODES

    def node(self, given: Any, inside: tuple[str, ...]) -> Any:
        """The schema with its references written out; `inside` holds those being written."""
        if not isinstance(given, Mapping):
            return given
        schema = cast("Mapping[str, Any]", given)
        self.left -= 1
        reference = schema.get("$ref", schema.get("$dynamicRef"))
        if isinstance(reference, str):
            found = target(self.root, reference)
            beside = {k: v for k, v in schema.items() if k not in ("$ref", "$dynamicRef")}
            if not isinstance(found, Mapping) or reference in inside or self.left <= 0:
                return self.node(_bare(found), inside) | self.node(beside, inside)
            merged = {**cast("Mapping[str, Any]", found), **beside}
            return self.node(merged, (*inside, reference))
        if self.left <= 0:
            return _bare(schema)
        return {
            key: self.value(key, value, inside)
            for key, value in schema.items()
            if key not in _DEFINITIONS
        }

    def value(self, key: str, value: Any, inside: tuple[str, ...]) -> Any:
        if key in MAPS and isinstance(value, Mapping):
            named = cast("Mapping[str, Any]", value)
            return {name: self.node(inner, inside) for name, inner in named.items()}
        if isinstance(value, list) and (key in LISTS or key in SINGLES):
            return [self.node(inner, inside) for inner in cast("list[Any]", value)]
        if key in SINGLES:
            return self.node(value, inside)
        return value


def _bare(found: Any) -> Json:
    """What is left of a schema that is not written out: its type, its title as a description."""
    if not isinstance(found, Mapping):
        return {}
    schema = cast("Mapping[str, Any]", found)
    bare: Json = {"type": schema["type"]} if isinstance(schema.get("type"), str) else {}
    if title := schema.get("description") or schema.get("title"):
        bare["description"] = str(title)
    return bare
