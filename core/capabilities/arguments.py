"""Holds the arguments of a call against the tool's own schema, before anything leaves the
house."""

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

from core.capabilities.forbidden import forbidden_argument
from core.capabilities.references import references, target
from core.errors import BadArguments
from core.records import Json, Tool

_SHOWN = 3
_SHOWN_CHARACTERS = 200


def validate(tool: Tool, arguments: Json) -> None:
    """Raises BadArguments with a sentence that the model can act on: what is wrong, where, and
    what would be right. The schema is the one that the server gave, never the shown one."""
    if key := forbidden_argument(arguments):
        raise BadArguments(f"{key!r} is not an argument: credentials and identities are set here")
    try:
        errors = list(_validator(json.dumps(tool.schema, sort_keys=True)).iter_errors(arguments))
    except RecursionError:
        raise BadArguments("the arguments are nested too deeply") from None
    if errors:
        errors.sort(key=lambda error: [str(part) for part in error.absolute_path])
        more = f" ({len(errors) - _SHOWN} more)" if len(errors) > _SHOWN else ""
        raise BadArguments("; ".join(_sentence(error) for error in errors[:_SHOWN]) + more)


def schema_fault(schema: Mapping[str, Any]) -> str:
    """Why nothing can be validated against this schema; empty when it can."""
    import jsonschema.validators

    validators: Any = jsonschema.validators
    for reference in references(schema):
        if not reference.startswith("#"):
            return "its schema refers to another document, which is not fetched"
        if target(schema, reference) is None:
            return f"its schema refers to {reference[:80]}, which is not in it"
    try:
        validators.validator_for(schema).check_schema(schema)
    except jsonschema.SchemaError as error:
        return f"its schema is no JSON schema ({str(error.message)[:_SHOWN_CHARACTERS]})"
    except RecursionError:
        return "its schema is nested too deeply"
    return ""


@lru_cache(maxsize=1024)
def _validator(canonical: str) -> Any:
    import jsonschema.validators
    import referencing

    validators: Any = jsonschema.validators
    registry: Any = referencing.Registry
    schema = json.loads(canonical)
    ours = {"pattern": _pattern, "patternProperties": _pattern_properties}
    # An empty registry: a reference never makes a request.
    return validators.extend(validators.validator_for(schema), ours)(schema, registry=registry())


def _pattern(_: Any, pattern: Any, value: Any, __: Any) -> Iterator[Any]:
    """A server chooses the expression and somebody's text meets it: one that could take for ever
    holds up every thread, so it is left to the server to check."""
    from jsonschema import ValidationError

    if isinstance(value, str) and _is_calm(pattern, value) and not re.search(pattern, value):
        yield ValidationError(f"{value[:80]!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: Mapping[str, Any], value: Any, _: Any
) -> Iterator[Any]:
    if not isinstance(value, Mapping):
        return
    for pattern, schema in patterns.items():
        for key, inner in cast("Mapping[str, Any]", value).items():
            if _is_calm(pattern, key) and re.search(pattern, key):
                yield from validator.descend(inner, schema, path=key, schema_path=pattern)


def _is_calm(pattern: Any, value: str) -> bool:
    """Whether the expression is one of Python's and cannot backtrack without end: no repeated
    group, few open repeats, a short text."""
    if not isinstance(pattern, str) or len(pattern) > 500 or len(value) > 1_000:
        return False
    bare = re.sub(r"\\.|\[(?:\\.|[^\]\\])+\]", "x", pattern)
    if re.search(r"\)\s*[*+{]", bare) or len(re.findall(r"[*+]|\{\d*,\d*\}", bare)) > 3:
        return False
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _sentence(error: Any) -> str:
    where = ".".join(str(part) for part in error.absolute_path) or "the arguments"
    message = str(error.message)
    if error.validator == "additionalProperties" and isinstance(error.instance, Mapping):
        known: list[str] = list(error.schema.get("properties", {}))
        given = cast("Mapping[str, Any]", error.instance)
        unknown = [key for key in given if key not in known]
        near = difflib.get_close_matches(unknown[0], known, 1) if unknown else []
        hint = f", did you mean {near[0]!r}?" if near else f"; known are {', '.join(known)}"
        message = f"{', '.join(map(repr, unknown))} is not known{hint}"
    elif error.validator == "required":
        message = message.replace(" is a required property", " is missing")
    return f"{where}: {message[:_SHOWN_CHARACTERS]}"
