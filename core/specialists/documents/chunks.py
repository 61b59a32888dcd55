"""Cuts the pages of a document into chunks that keep their headings, page and offsets."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from core.specialists.documents.parsing.pages import Page

SIZE = 900
"""Characters of a chunk: with its title about the 256 tokens that the offline embedder reads."""
SMALL = 200
"""Characters up to which a section goes together with the next one of its page."""
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_RULE = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A chunk of a document. `start` and `stop` count characters of its page's text."""

    number: int
    page: int
    """0 where the file has no pages."""
    heading: tuple[str, ...]
    """From the outermost to the innermost."""
    start: int
    stop: int
    text: str


@dataclass(slots=True)
class _Section:
    heading: tuple[str, ...]
    start: int
    stop: int


def cut(pages: Sequence[Page], size: int = SIZE) -> list[Piece]:
    """The pieces in the order of the document. A table that is cut keeps its head in each."""
    pieces: list[Piece] = []
    path: list[tuple[int, str]] = []
    for page in pages:
        for section in _joined(_sections(page.text, path), page.text, size):
            for start, stop in _spans(page.text, section, size):
                text = page.text[start:stop].strip()
                if not _says_something(text):
                    continue
                piece = Piece(
                    number=len(pieces) + 1,
                    page=page.number,
                    heading=section.heading,
                    start=start,
                    stop=stop,
                    text=_with_head(page.text, section.start, start, text),
                )
                pieces.append(piece)
    return pieces


def _sections(text: str, path: list[tuple[int, str]]) -> Iterator[_Section]:
    """The text by its headings. `path` is where the page begins, and afterwards where it ends."""
    at = begins = 0
    is_code = False
    for line in text.splitlines(keepends=True):
        if _FENCE.match(line):
            is_code = not is_code
        found = None if is_code else _HEADING.match(line.rstrip())
        if found is not None:
            if at > begins:
                yield _Section(_names(path), begins, at)
            begins = at
            level = len(found[1])
            while path and path[-1][0] >= level:
                path.pop()
            path.append((level, found[2].strip("*_ ")[:120]))
        at += len(line)
    if at > begins:
        yield _Section(_names(path), begins, at)


def _names(path: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(name for _, name in path)


def _joined(sections: Iterator[_Section], text: str, size: int) -> list[_Section]:
    """Small sections go together with the next one, under the heading that both have; a heading
    alone goes with what it stands above."""
    joined: list[_Section] = []
    for section in sections:
        last = joined[-1] if joined else None
        is_small = last is not None and last.stop - last.start <= SMALL
        if last is not None and is_small and section.stop - last.start <= size:
            is_alone = not _says_something(text[last.start : last.stop])
            shared = () if is_alone else _common(last.heading, section.heading)
            last.heading = shared or section.heading
            last.stop = section.stop
        else:
            joined.append(section)
    return joined


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    shared: list[str] = []
    for here, there in zip(one, other, strict=False):
        if here != there:
            break
        shared.append(here)
    return tuple(shared)


def _spans(text: str, section: _Section, size: int) -> list[tuple[int, int]]:
    if section.stop - section.start <= size:
        return [(section.start, section.stop)]
    import semchunk

    library: Any = semchunk
    whole = text[section.start : section.stop]
    _, spans = library.chunk(whole, size, len, memoize=False, offsets=True)
    return [(section.start + start, section.start + stop) for start, stop in spans]


def _with_head(text: str, begins: int, start: int, piece: str) -> str:
    """The piece, with the head of the table in whose middle it begins."""
    if not piece.startswith("|"):
        return piece
    before = text[begins:start]
    rules = list(_RULE.finditer(before))
    if not rules or "\n\n" in before[rules[-1].end() :].rstrip("\n"):
        return piece
    line_start = before.rfind("\n", 0, max(rules[-1].start() - 1, 0)) + 1
    return f"{before[line_start : rules[-1].end()].strip()}\n{piece}"


def _says_something(text: str) -> bool:
    """Whether there is more than headings, lines and signs."""
    said = (line for line in text.splitlines() if not _HEADING.match(line.strip()))
    return any(sign.isalnum() for line in said for sign in line)
