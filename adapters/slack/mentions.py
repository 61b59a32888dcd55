"""Turns what a person typed in Slack into plain words that are addressed to the bot, or not."""

import re
from collections.abc import Iterator

from adapters.slack import fields
from core.records import Json

_QUOTED = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`|^(?:&gt;|>)[^\n]*", re.DOTALL | re.MULTILINE)
"""Code and quotations: what stands in them was said to somebody else."""
_ENTITY = re.compile(r"<([^<>\n]*)>([:,]?[ \t]*)")
_NOT_SPOKEN = frozenset({"rich_text_quote", "rich_text_preformatted"})


def is_addressed(event: Json, own: frozenset[str]) -> bool:
    """Whether one of our ids is mentioned outside of code and quotations."""
    rich = [block for block in fields.children(event, "blocks") if block.get("type") == "rich_text"]
    if rich:
        return any(found in own for block in rich for found in _spoken_to(block))
    spoken = _QUOTED.sub(" ", fields.text(event, "text"))
    return any(_mentioned(match[1]) in own for match in _ENTITY.finditer(spoken))


def _spoken_to(element: Json) -> Iterator[str]:
    for inner in fields.children(element, "elements"):
        if fields.text(inner, "type") in _NOT_SPOKEN:
            continue
        if inner.get("type") == "user" and not fields.child(inner, "style").get("code"):
            yield fields.text(inner, "user_id")
        else:
            yield from _spoken_to(inner)


def words(text: str, own: frozenset[str]) -> str:
    """Plain text: our own mention is gone, others are readable, entities are decoded."""
    pieces: list[str] = []
    position = 0
    for quoted in _QUOTED.finditer(text):
        pieces.append(_readable(text[position : quoted.start()], own))
        pieces.append(_readable(quoted[0], frozenset()))
        position = quoted.end()
    pieces.append(_readable(text[position:], own))
    return "".join(pieces).strip()


def _readable(piece: str, own: frozenset[str]) -> str:
    def replaced(match: re.Match[str]) -> str:
        if _mentioned(match[1]) in own:
            return ""
        return _name(match[1]) + match[2]

    shown = _ENTITY.sub(replaced, piece)
    # The ampersand last: "&amp;lt;" is what somebody typed as "&lt;".
    return shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _mentioned(entity: str) -> str:
    """The id of `@U…` or `@U…|name`, an empty string for anything else."""
    return entity[1:].partition("|")[0] if entity.startswith("@") else ""


def _name(entity: str) -> str:
    target, _, label = entity.partition("|")
    if target.startswith(("@", "#")):
        return f"{target[0]}{label} ({target[1:]})" if label else target
    if target.startswith("!"):
        word = label or target[1:].rpartition("^")[2]
        return word if target.startswith("!date") else "@" + word.removeprefix("@")
    address = target.removeprefix("mailto:").removeprefix("tel:")
    if not label or label == address or address.endswith("://" + label):
        return address
    return f"{label} ({address})"
