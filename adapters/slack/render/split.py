"""Cuts a Markdown text into parts that Slack takes, each of which reads well by itself."""

import re
import unicodedata
from dataclasses import dataclass

from adapters.slack.render import limits, tables
from adapters.slack.render.markdown import Block, blocks

_FENCE = re.compile(r"^([ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?)(`{3,}|~{3,})([^\n]*)$")
_FLAGS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
"""Two of these letters are one flag."""
_CLINGING = frozenset("\u200d\ufe0e\ufe0f\u2060")
ROOM = limits.PART_TEXT - 100
"""What a part may weigh, so that the note of a long answer still fits on it."""
LONG_NOTE = "_The answer goes on: the whole of it is in the file below._"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a text is shown. With `needs_file` the parts do not hold all of it: the whole text has
    to follow as a file."""

    parts: tuple[str, ...]
    needs_file: bool = False


def plan(text: str, most: int = limits.PARTS) -> Plan:
    """All parts, or the first ones with a note where there would be too many."""
    found = parts(text)
    if len(found) <= most:
        return Plan(parts=tuple(found))
    kept = found[:most]
    return Plan(parts=(*kept[:-1], kept[-1] + "\n\n" + LONG_NOTE), needs_file=True)


def parts(text: str, room: int = ROOM) -> list[str]:
    """Parts that weigh no more than `room`. Nothing is lost and the order is kept.

    A code block that is cut is closed and opened again with its language; a table repeats its
    header; a heading stays with what follows it.
    """
    normal = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if not normal.strip():
        return []
    small = [piece for block in blocks(normal) for piece in _fitting(block, room)]
    found: list[str] = []
    current: list[Block] = []
    for piece in small:
        if current and not _fits([*current, piece], room):
            carried = _trailing_headings(current, piece, room)
            found.append(_joined(current[: len(current) - len(carried)]))
            current = carried
        current.append(piece)
    found.append(_joined(current))
    return [part for part in found if part.strip()]


def _fits(pieces: list[Block], room: int) -> bool:
    return (
        limits.weight(_joined(pieces)) <= room
        and sum(piece.items for piece in pieces) <= limits.PART_ITEMS
        and sum(piece.shape == "table" for piece in pieces) <= limits.PART_TABLES
    )


def _trailing_headings(current: list[Block], piece: Block, room: int) -> list[Block]:
    """The headings at the end, as long as something stays and they fit in with what follows."""
    count = 0
    while count < len(current) - 1 and _leads_on(current[-1 - count]):
        count += 1
    carried = current[len(current) - count :]
    return carried if _fits([*carried, piece], room) else []


def _leads_on(piece: Block) -> bool:
    return piece.shape == "heading" or not piece.text.strip()


def _joined(pieces: list[Block]) -> str:
    return "\n".join(piece.text for piece in pieces).strip("\n")


def _fitting(block: Block, room: int) -> list[Block]:
    if block.shape == "table":
        cut = tables.cut(block.text, room)
        if all(limits.weight(table) < room for table in cut):
            # The blank line keeps the tables, or the table and what follows, apart.
            return [Block(text=table + "\n", shape="table", items=1) for table in cut]
    if _fits([block], room):
        return [block]
    most = limits.PART_ITEMS if block.items > limits.PART_ITEMS else 0
    return [
        Block(text=text, shape="prose", items=min(block.items, limits.PART_ITEMS))
        for text in _by_lines(block.text, most, room)
    ]


def _by_lines(text: str, most_lines: int, room: int) -> list[str]:
    """Chunks of whole lines where possible, with open code blocks closed and opened again."""
    chunks: list[str] = []
    taken: list[str] = []
    size = 0
    fence: re.Match[str] | None = None
    for line in short_lines(text, room // 2):
        end = closing(fence)
        cost = limits.weight(line) + 1
        is_full = size + cost + len(end) > room
        if taken and (is_full or (most_lines and len(taken) >= most_lines)):
            chunks.append("\n".join([*taken, end] if end else taken))
            taken = [fence[0]] if fence else []
            size = limits.weight(fence[0]) + 1 if fence else 0
        taken.append(line)
        size += cost
        fence = _after(line, fence)
    return [*chunks, "\n".join(taken)]


def _after(line: str, fence: re.Match[str] | None) -> re.Match[str] | None:
    """The code block that is open once this line has been read."""
    found = _FENCE.match(line)
    if fence is None:
        # Backticks after backticks are inline code.
        is_inline = found and found[2].startswith("`") and "`" in found[3]
        return None if is_inline else found
    is_end = found and found[2].startswith(fence[2]) and not found[3].strip()
    return None if is_end else fence


def open_fence(text: str) -> re.Match[str] | None:
    """The code block that is open at the end of the text."""
    fence: re.Match[str] | None = None
    for line in text.split("\n"):
        fence = _after(line, fence)
    return fence


def closing(fence: re.Match[str] | None) -> str:
    """The line that ends the code block."""
    return re.sub(r"[-*+\d.)]", " ", fence[1]) + fence[2] if fence else ""


def short_lines(text: str, longest: int) -> list[str]:
    """Lines of at most half a part, so that one of them and a fence always fit."""
    short: list[str] = []
    for line in text.split("\n"):
        rest = line
        while limits.weight(rest) > longest:
            at = _cutting_point(rest, limits.prefix(rest, longest))
            short.append(rest[:at])
            rest = rest[at:]
        short.append(rest)
    return short


def _cutting_point(line: str, longest: int) -> int:
    """After a sentence or a word outside of inline code, else between two characters."""
    for mark in (". ", " "):
        at = line.rfind(mark, longest // 2, longest)
        while at > 0:
            end = at + len(mark)
            if line.count("`", 0, end) % 2 == 0:
                return end
            at = line.rfind(mark, longest // 2, at)
    return _between_graphemes(line, longest)


def _between_graphemes(line: str, longest: int) -> int:
    """The last place up to `longest` where no sign is cut that a reader sees as one; `longest`
    itself in a text that has none, such as a letter with ten thousand accents."""
    at = longest
    while at > 1 and _cling(line[at - 1], line[at], line[:at]):
        at -= 1
    return at if at > 1 else longest


def _cling(left: str, right: str, before: str) -> bool:
    """Whether the two signs belong to one: accents, joiners, skin tones, flags, tags, Hangul."""
    if unicodedata.combining(right) or unicodedata.category(right) in ("Mn", "Mc", "Me"):
        return True
    if _CLINGING & {left, right} or "\U0001f3fb" <= right <= "\U0001f3ff":
        return True
    if "\U000e0020" <= right <= "\U000e007f":
        return True
    if _is_flag(left) and _is_flag(right):
        flags = len(before) - len(before.rstrip(_FLAGS))
        return flags % 2 == 1
    return "\u1100" <= left <= "\u11ff" and "\u1160" <= right <= "\u11ff"


def _is_flag(sign: str) -> bool:
    return sign in _FLAGS
