"""Puts a call of a tool that nobody has described into words: its arguments as labelled fields."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from core.cards import CardField
from core.connectors.outcome import Description
from core.records import Json, Tool

_SENTENCE = re.compile(r".+?(?<=[.!?])(?=\s|$)|.+", re.S)
_INSIDE = " › "


def facts(tool: Tool) -> Json:
    """What a card says of the tool, kept in the row: the tool may be gone when it is drawn."""
    first = _SENTENCE.match(" ".join(tool.description.split()))
    return {
        "title": f"{words(tool.name)} ({tool.server})",
        "does": first[0][:400] if first else "",
        "labels": _labels(tool.schema),
    }


def describe(arguments: Json, facts: Json) -> Description:
    """Every argument as a line, however deep it lies."""
    labels = cast("Mapping[str, str]", facts.get("labels", {}))
    fields = [
        CardField(label=label, value=value, is_long="\n" in value)
        for label, value in _lines(arguments, (), labels)
    ]
    does = str(facts.get("does", ""))
    return Description(
        title=str(facts.get("title", "")),
        fields=(*((CardField(label="What it does", value=does),) if does else ()), *fields),
    )


def words(name: str) -> str:
    """`create_lead`, `createLead` → `Create lead`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\-.]+", " ", name).strip()
    return f"{spaced[:1].upper()}{spaced[1:].lower()}" if spaced else name


def _labels(schema: Mapping[str, Any]) -> dict[str, str]:
    """The schema's own titles of the outermost arguments."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    return {
        str(name): str(title)
        for name, inner in cast("Mapping[str, Any]", properties).items()
        if isinstance(inner, Mapping)
        and isinstance(title := cast("Mapping[str, Any]", inner).get("title"), str)
        and title
    }


def _lines(
    value: Any, path: tuple[str, ...], labels: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    label = _INSIDE.join(path)
    if isinstance(value, Mapping) and (value or not path):
        for key, inner in cast("Mapping[str, Any]", value).items():
            named = labels.get(key, "") if not path else ""
            yield from _lines(inner, (*path, named or words(key)), labels)
    elif isinstance(value, list) and any(
        isinstance(one, Mapping | list) for one in cast("list[Any]", value)
    ):
        for number, inner in enumerate(cast("list[Any]", value), start=1):
            yield from _lines(inner, (*path, str(number)), labels)
    else:
        yield label, _said(value)


def _said(value: Any) -> str:
    match value:
        case None:
            return "(nothing)"
        case bool():
            return "yes" if value else "no"
        case str():
            return value
        case list():
            said = [_said(one) for one in cast("list[Any]", value)]
            return ("\n" if any("," in one for one in said) else ", ").join(said) or "(none)"
        case Mapping():
            return "(nothing)"
        case _:
            return str(value)
