"""Turns what a person typed in Teams into plain words that are addressed to the bot, or not."""

import html
import re
from collections import deque

from adapters import fields
from core.records import Json

_AT = re.compile(r"<at(?:\s[^<>]*)?>(.*?)</at>", re.DOTALL | re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>|</p>\s*<p>", re.IGNORECASE)
_BLANK = re.compile(r"[ \t\u00a0]+")


def is_addressed(activity: Json, own: str) -> bool:
    """Whether one of the mentions is of the bot with that id."""
    return any(who == own for _, who in _mentions(activity))


def words(activity: Json, own: str) -> str:
    """Plain text: our own mention is gone and nothing else, others are readable as @name.

    The text says `<at>name</at>` and an entity says who that is, in the same order. A name may be
    spread over several of them, and the same words may stand elsewhere as plain words.
    """
    known: dict[str, deque[str]] = {}
    for shown, who in _mentions(activity):
        known.setdefault(_same(shown), deque()).append(who)

    def replaced(match: re.Match[str]) -> str:
        waiting = known.get(_same(match[0]))
        who = waiting[0] if waiting else ""
        if waiting and len(waiting) > 1:
            waiting.popleft()
        return " " if who and who == own else f"@{match[1]}"

    text = _AT.sub(replaced, fields.text(activity, "text"))
    lines = html.unescape(_BREAK.sub("\n", text)).replace("\r\n", "\n").split("\n")
    return "\n".join(_BLANK.sub(" ", line).strip() for line in lines).strip()


def _mentions(activity: Json) -> list[tuple[str, str]]:
    """(what stands in the text, the id of who is meant)."""
    return [
        (fields.text(entity, "text"), fields.text(fields.child(entity, "mentioned"), "id"))
        for entity in fields.children(activity, "entities")
        if fields.text(entity, "type").lower() == "mention"
    ]


def _same(markup: str) -> str:
    """Attributes and entities may be written in the text and left out in the entity."""
    found = _AT.fullmatch(markup.strip())
    return " ".join(html.unescape(found[1] if found else markup).split())
