"""Reads one node of a JSON schema, whatever draft it was written in: types, values, alternatives.

A foreign server's schema may hold anything anywhere; what is not of the expected form reads as
empty.
"""

from typing import Any, cast

from core.records import Json


def mapping(value: Any) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def listing(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def names(value: Any) -> list[str]:
    return [name for name in listing(value) if isinstance(name, str)]


def types(schema: Json) -> list[str]:
    """The types that are named, else those that the keywords or the values speak of."""
    named = schema.get("type")
    if isinstance(named, str):
        return [named]
    if names(named):
        return names(named)
    if "properties" in schema or "additionalProperties" in schema or "required" in schema:
        return ["object"]
    if "items" in schema or "prefixItems" in schema:
        return ["array"]
    return sorted({_type_of(value) for value in values(schema)})


def values(schema: Json) -> list[Any]:
    """The values that a `const` or an `enum` allows; empty when it names none."""
    return [schema["const"]] if "const" in schema else listing(schema.get("enum"))


def variants(schema: Json) -> list[Json]:
    """The alternatives of a schema, without null."""
    return [
        mapping(variant)
        for variant in (*listing(schema.get("anyOf")), *listing(schema.get("oneOf")))
        if isinstance(variant, dict) and not _is_null(mapping(variant))
    ]


def allows_null(schema: Json) -> bool:
    alternatives = (*listing(schema.get("anyOf")), *listing(schema.get("oneOf")))
    return (
        schema.get("nullable") is True
        or "null" in types(schema)
        or None in values(schema)
        or any(_is_null(mapping(variant)) for variant in alternatives)
    )


def places(schema: Json) -> list[Any]:
    """The schemas of a tuple's places; empty for a plain array."""
    return listing(schema.get("prefixItems")) or listing(schema.get("items"))


def without_all_of(schema: Json) -> Json:
    """The schema with the parts of its `allOf` merged into it. What it says itself wins."""
    if "allOf" not in schema:
        return schema
    merged = {key: value for key, value in schema.items() if key != "allOf"}
    for part in listing(schema["allOf"]):
        inner = without_all_of(mapping(part))
        required = [*names(merged.get("required")), *names(inner.get("required"))]
        properties = {**mapping(inner.get("properties")), **mapping(merged.get("properties"))}
        merged = {**inner, **merged}
        if required:
            merged["required"] = list(dict.fromkeys(required))
        if properties:
            merged["properties"] = properties
    return merged


def flat(root: Json) -> Json:
    """An object without alternatives: every property of each, required where all require it."""
    merged = without_all_of(root)
    kept = {k: v for k, v in merged.items() if k not in ("anyOf", "oneOf", "enum", "const")}
    each = [without_all_of(variant) for variant in variants(merged)]
    if not each:
        return kept
    properties = dict(mapping(kept.get("properties")))
    for variant in each:
        for name, inner in mapping(variant.get("properties")).items():
            known = properties.get(name, inner)
            properties[name] = known if known == inner else {"anyOf": [known, inner]}
    shared = set(names(each[0].get("required"))).intersection(
        *(names(variant.get("required")) for variant in each)
    )
    own = names(kept.get("required"))
    kept["properties"] = properties
    kept["required"] = [*own, *sorted(shared - set(own))]
    return kept


def alternatives(root: Json) -> str:
    """Which properties belong together, in words, where the root has alternatives."""
    each = [
        ", ".join(names(without_all_of(variant).get("required")))
        for variant in variants(without_all_of(root))
    ]
    sets = list(dict.fromkeys(f"({listed})" for listed in each if listed))
    return " or ".join(sets) if len(sets) > 1 else ""


def _is_null(schema: Json) -> bool:
    return schema.get("type") == "null" or values(schema) == [None]


def _type_of(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
        case float():
            return "number"
        case list():
            return "array"
        case _:
            return "object"
