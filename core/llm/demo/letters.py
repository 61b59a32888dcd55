"""The texts that the demo model proposes: a subject, and a body made of results."""

import re
from collections.abc import Sequence

from core.llm.demo.memory import HONEST
from core.llm.demo.results import Result, Table, holds_file, prose, table
from core.llm.demo.tables import heading, numeric_columns, readable

_CITE = re.compile(r"\s*\[\d+\]")
_MARKS = re.compile(r"[*_`]{1,2}(?=\S)|(?<=\S)[*_`]{1,2}")
_KEPT = re.compile(r"^\(evidence kept: .*\)$", re.MULTILINE)
"""What the host notes below an earlier answer."""
_GREETS = re.compile(r"^(?:hi|hello|dear|hey|good (?:morning|afternoon|evening))\b", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|our|my|an?|all|this|that)\s+", re.IGNORECASE)
_VERB = re.compile(r"^(?:show|list|give|tell|put|write|find|get)(?: me| us)?\s+", re.IGNORECASE)
MOST_ROWS = 40
LONGEST = 6_000
_SUBJECT = 80


def body(results: Sequence[Result]) -> str:
    """What was found, one result after the other."""
    parts = [plain(result.text) for result in results]
    if any(holds_file(result.text) for result in results):
        parts.append("The file is attached.")
    return "\n\n".join(part for part in parts if part)


def greeted(text: str, name: str) -> str:
    if _GREETS.match(text):
        return text
    return f"Hello {name},\n\n{text}".replace("Hello ,", "Hello,")


def plain(markdown: str) -> str:
    """The text for a reader of plain text: lines instead of a table, no marks, no citations."""
    markdown = _KEPT.sub("", markdown)
    found = table(markdown)
    if found is not None:
        found = readable(found)
    told = _MARKS.sub("", _CITE.sub("", prose(markdown).replace(HONEST, ""))).strip()
    if found is None:
        return _cut(told)
    told += "" if not told or told[-1] in ".!?:" else "."
    return _cut(f"{told}\n\n{_lines(found)}".strip())


def subject(said: str, content: str, title: str, text: str) -> str:
    """What the mail is about, in the person's own words as far as there are any."""
    asked = _ARTICLE.sub("", _VERB.sub("", content.strip()))
    named = _ARTICLE.sub("", said.strip())
    for words in (
        named,
        asked,
        title.partition("\n")[0].partition(":")[0],
        text.partition("\n")[0],
    ):
        bare = words.strip(" .?!,")
        if bare:
            short = bare if len(bare) <= _SUBJECT else bare[:_SUBJECT].rsplit(" ", 1)[0] + " …"
            return short[:1].upper() + short[1:]
    return ""


def _lines(found: Table) -> str:
    shown = found.rows[:MOST_ROWS]
    lines = ["- " + ": ".join(filter(None, (row[0], _told(found, row)))) for row in shown]
    left = len(found.rows) - len(shown)
    return "\n".join(lines) + (f"\n… and {left} more" if left else "")


def _told(found: Table, row: Sequence[str]) -> str:
    """“13 orders, 76 units, revenue 63,660.60 EUR”"""
    counted = numeric_columns(found)
    parts: list[str] = []
    for place, (name, cell) in enumerate(zip(found.head[1:], row[1:], strict=False), start=1):
        words, _, unit = heading(name).lower().partition(" (")
        if unit:
            parts.append(f"{words} {cell} {unit.rstrip(')').upper()}")
        elif cell:
            parts.append(f"{cell} {words}" if place in counted else f"{words} {cell}")
    return ", ".join(parts)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0] + " …"
