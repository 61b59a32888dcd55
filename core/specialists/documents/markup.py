"""Shows a passage's Markdown as HTML without an address, an image or anything that runs."""

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby

_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+)$")
_POINT = re.compile(r"^([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)$")
_RULE = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+\s*$")


def html(markdown: str) -> str:
    """Every sign of the text that is not structure is escaped."""
    return "".join(_blocks(markdown.splitlines()))


def _blocks(lines: list[str]) -> Iterator[str]:
    for kind, group in groupby(lines, _kind):
        found = list(group)
        if kind == "heading":
            yield from (_heading(line) for line in found)
        elif kind == "row":
            yield _table(found)
        elif kind == "point":
            items = (match[2] for line in found if (match := _POINT.match(line)))
            yield f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>"
        elif kind == "text":
            yield f"<p>{'<br>'.join(escape(line) for line in found)}</p>"


def _kind(line: str) -> str:
    if not line.strip():
        return ""
    if _HEADING.match(line):
        return "heading"
    if line.startswith("|"):
        return "row"
    return "point" if _POINT.match(line) else "text"


def _heading(line: str) -> str:
    found = _HEADING.match(line)
    level = min(len(found[1]) + 1, 4) if found else 4
    return f"<h{level}>{escape(found[2] if found else line)}</h{level}>"


def _table(lines: list[str]) -> str:
    has_head = len(lines) > 1 and bool(_RULE.match(lines[1]))
    rows: list[str] = []
    for number, line in enumerate(lines):
        if _RULE.match(line):
            continue
        tag = "th" if has_head and number == 0 else "td"
        cells = line.strip().strip("|").split("|")
        made = "".join(f"<{tag}>{escape(cell.strip())}</{tag}>" for cell in cells)
        rows.append(f"<tr>{made}</tr>")
    return f"<table>{''.join(rows)}</table>"
