"""Reads plain text and Markdown, whatever its encoding."""

import codecs
import re
from collections.abc import Iterator

from core.specialists.documents.parsing.pages import Page, Unread

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")


def decoded(content: bytes) -> str:
    """The text. Raises Unread for bytes that are none."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _cleaned(content.decode(encoding, "replace"))
    if b"\0" in content:
        raise Unread("is called text, and is not")
    try:
        return _cleaned(content.decode("utf-8"))
    except UnicodeDecodeError:
        # Every byte is something in it: what Western office software writes outside of UTF-8.
        return _cleaned(content.decode("cp1252", "replace"))


def read(content: bytes) -> Iterator[Page]:
    yield Page(text=decoded(content))


def _cleaned(text: str) -> str:
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n"))
