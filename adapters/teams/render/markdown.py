"""Reads an answer's Markdown as Teams shows it: prose in the text, tables apart."""

import re
from dataclasses import dataclass, field

from adapters.teams.render import limits

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_DELIMITER = re.compile(r"^\s*\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*)*\|?\s*$")
_BAR = re.compile(r"(?<!\\)\|")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_STRONG = re.compile(r"(\*\*|__|`)(.+?)\1")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(slots=True)
class Read:
    prose: str
    tables: list[Table] = field(default_factory=list[Table])


def read(text: str) -> Read:
    """Tables are taken out of the prose; where words follow one, a note stands in its place."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    kept: list[str] = []
    tables: list[Table] = []
    notes: list[int] = []
    at, fence = 0, ""
    while at < len(lines):
        fence = fenced(lines[at], fence)
        if not fence and (end := _table_end(lines, at)):
            tables.append(_table(lines[at:end]))
            notes.append(len(kept))
            kept.append("")
            at = end
            continue
        kept.append(lines[at])
        at += 1
    for number, place in enumerate(notes, start=1):
        if any(line.strip() for line in kept[place + 1 :]):
            name = "The table" if len(notes) == 1 else f"Table {number}"
            kept[place] = f"_{name} is below._"
    return Read(inert("\n".join(kept).strip()), tables)


def parts(text: str, room: int = limits.TEXT_UNITS) -> list[str]:
    """Pieces of at most that many UTF-16 units, cut between paragraphs where there are any, then
    between lines, then anywhere. A code block that is cut is closed and opened again."""
    if limits.weight(text) <= room:
        return [text] if text.strip() else []
    found: list[str] = []
    current: list[str] = []
    size, fence = 0, ""
    for line in _short(text.split("\n"), room // 2):
        cost = limits.weight(line) + 1
        if current and size + cost + len(fence) > room:
            cut = len(current) if fence else _paragraph_end(current)
            head, rest = current[:cut], current[cut:]
            found.append("\n".join([*head, fence] if fence else head).strip("\n"))
            current = [fence, *rest] if fence else rest
            size = sum(limits.weight(one) + 1 for one in current)
        current.append(line)
        size += cost
        fence = fenced(line, fence)
    return [part for part in [*found, "\n".join(current).strip("\n")] if part.strip()]


def plain(text: str) -> str:
    """For where no markup is read: cells, notifications."""
    return _LINK.sub(r"\1", _STRONG.sub(r"\2", text)).replace("\\|", "|").strip()


def inert(text: str) -> str:
    """No tag of the text is read as one: nobody is mentioned, nothing is loaded."""
    return _TAG.sub("&lt;", text)


def fenced(line: str, fence: str) -> str:
    """The mark of the code block that is open after this line; empty for none."""
    found = _FENCE.match(line)
    if not found:
        return fence
    if not fence:
        return found[1]
    return "" if found[1].startswith(fence) else fence


def _table_end(lines: list[str], at: int) -> int:
    """Where the table that begins here ends; 0 where none does."""
    if at + 1 >= len(lines) or "|" not in lines[at] or not _DELIMITER.match(lines[at + 1]):
        return 0
    if "|" not in lines[at + 1] or len(_cells(lines[at])) != len(_cells(lines[at + 1])):
        return 0
    end = at + 2
    while end < len(lines) and "|" in lines[end] and lines[end].strip():
        end += 1
    return end


def _table(lines: list[str]) -> Table:
    header = tuple(plain(cell) for cell in _cells(lines[0]))
    rows = [[plain(cell) for cell in _cells(line)] for line in lines[2:]]
    wide = len(header)
    return Table(
        header=header,
        rows=tuple(tuple((row + [""] * wide)[:wide]) for row in rows),
    )


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.strip() for cell in _BAR.split(inner)]


def _paragraph_end(lines: list[str]) -> int:
    """After the last blank line in the second half; all of them where there is none."""
    for at in range(len(lines) - 1, len(lines) // 2, -1):
        if not lines[at].strip():
            return at + 1
    return len(lines)


def _short(lines: list[str], longest: int) -> list[str]:
    found: list[str] = []
    for line in lines:
        rest = line
        while limits.weight(rest) > longest:
            # A half leaves room for characters that count twice.
            window = rest[: longest // 2]
            at = window.rfind(" ", len(window) // 2) + 1 or len(window)
            found.append(rest[:at])
            rest = rest[at:]
        found.append(rest)
    return found
