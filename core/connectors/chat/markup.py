"""Turns the HTML of a message in Microsoft Teams into plain words."""

import html
import re

_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|li|tr|h[1-6]|blockquote|pre)>", re.IGNORECASE)
_MENTION = re.compile(r"<at\b[^<>]*>(.*?)</at>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_BLANK = re.compile(r"[ \t\u00a0]+")


def words(markup: str) -> str:
    """Lines without tags; a mention reads as @name."""
    text = _MENTION.sub(r"@\1", markup)
    text = html.unescape(_TAG.sub("", _BREAK.sub("\n", text)))
    lines = (_BLANK.sub(" ", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)
