"""Lays a growing text out over messages that can only be added to."""

import re
from dataclasses import dataclass

from adapters.slack.render import limits, split, tables
from adapters.slack.render.markdown import blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What one message holds, and how far its source has been taken."""

    text: str = ""
    taken: int = 0
    """Characters of the source."""
    begun: str = ""
    """What the message begins with that is not of the source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What a message takes on next."""

    words: str
    written: Written
    is_full: bool = False
    """More of the source is there and belongs into a next message."""


def extend(written: Written, source: str) -> Added:
    """As much of the source as the message still holds, in whole lines where a line fits at all.

    The message with `closing` behind it keeps every limit. Where a message that holds nothing yet
    is full and nothing was added, this text cannot be laid out line by line.
    """
    rest = source[written.taken :]
    if not written.text:
        skipped = len(rest) - len(rest.lstrip("\n"))
        written, rest = Written(taken=written.taken + skipped), rest[skipped:]
    if _holds(written.text + rest):
        return _added(written, rest, is_full=False)
    lines = rest.splitlines(keepends=True)
    low, high = 0, len(lines) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if _holds(written.text + "".join(lines[:middle])):
            low = middle
        else:
            high = middle - 1
    words = _without_headings("".join(lines[:low]), has_before=bool(written.text.strip()))
    if not words and written.text == written.begun and lines:
        words = _part_of_a_line(written.begun, lines[0])
    return _added(written, words, is_full=True)


def closing(text: str) -> str:
    """What ends a message that stops here: the mark of a code block that is open."""
    fence = split.open_fence(text)
    if fence is None:
        return ""
    return ("" if text.endswith("\n") else "\n") + split.closing(fence)


def opening(text: str, source: str, taken: int) -> str:
    """What the next message begins with: the fence of a code block that goes on, the header of a
    table that goes on."""
    fence = split.open_fence(text)
    if fence is not None:
        return fence[0] + "\n"
    head = _open_table(text)
    line = source[taken:].partition("\n")[0]
    return head if head and "|" in line and line.strip() else ""


def _added(written: Written, words: str, *, is_full: bool) -> Added:
    text, taken = written.text + words, written.taken + len(words)
    after = Written(text=text, taken=taken, begun=written.begun)
    return Added(words=words, written=after, is_full=is_full)


def _holds(text: str) -> bool:
    """Whether one message holds this text."""
    if limits.weight(text) + limits.weight(closing(text)) > split.ROOM:
        return False
    found = blocks(text)
    shown = [block for block in found if block.shape == "table"]
    return (
        sum(block.items for block in found) <= limits.PART_ITEMS
        and len(shown) <= limits.PART_TABLES
        and all(tables.fits(block.text) for block in shown)
    )


def _without_headings(words: str, *, has_before: bool) -> str:
    """Headings at the end go into the next message with what they lead to, as long as something
    stays."""
    lines = words.splitlines(keepends=True)
    count = len(lines)
    while count and (not lines[count - 1].strip() or re.match(r" {0,3}#{1,6}\s", lines[count - 1])):
        count -= 1
    is_heading = any(line.strip() for line in lines[count:])
    if not is_heading or split.open_fence(words) is not None or not (count or has_before):
        return words
    return "".join(lines[:count])


def _part_of_a_line(begun: str, line: str) -> str:
    """The beginning of a line that no message holds whole."""
    short = split.short_lines(line.rstrip("\n"), split.ROOM // 2)
    return short[0] if len(short) > 1 and _holds(begun + short[0]) else ""


def _open_table(text: str) -> str:
    """The header of a table at the very end, with its rule."""
    if not text.endswith("\n") or text.endswith("\n\n"):
        return ""
    found = [block for block in blocks(text.rstrip("\n")) if block.text.strip()]
    if not found or found[-1].shape != "table":
        return ""
    return "\n".join(found[-1].text.split("\n")[:2]) + "\n"
