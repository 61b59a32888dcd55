"""Reads Markdown as a row of blocks, and shows it as plain text where blocks are not wanted."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

Shape = Literal["prose", "heading", "table"]
_COUNTED = frozenset(
    {
        "heading_open",
        "paragraph_open",
        "bullet_list_open",
        "ordered_list_open",
        "blockquote_open",
        "table_open",
        "fence",
        "code_block",
        "html_block",
        "hr",
    }
)
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*$", re.MULTILINE)
_STRONG = re.compile(r"(?<!\w)(\*\*|__)(?=\S)([^\n`*_]+)(?<=\S)\1(?!\w)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Whole lines of the text. `items` is how many blocks Slack will make of it."""

    text: str
    shape: Shape
    items: int


@cache
def _parser() -> MarkdownIt:
    """Block structure alone: what stands inside of lines is Slack's to read."""
    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


def blocks(text: str) -> list[Block]:
    """Cut between top-level blocks; the blocks joined by newlines are the text again."""
    lines = text.split("\n")
    tokens = _parser().parse(text)
    tops = [(token, *token.map) for token in tokens if token.level == 0 and token.map]
    counts = _items(tokens, [start for _, start, _ in tops])
    found: list[Block] = []
    position = 0
    for (token, start, end), count in zip(tops, counts, strict=True):
        found.extend(_unclaimed(lines[position:start]))
        found.append(Block(text="\n".join(lines[start:end]), shape=_shape(token), items=count))
        position = end
    return [*found, *_unclaimed(lines[position:])]


def _unclaimed(lines: list[str]) -> list[Block]:
    """Lines that belong to no block: blank ones and definitions of link references."""
    return [Block(text="\n".join(lines), shape="prose", items=0)] if lines else []


def _shape(token: Token) -> Shape:
    if token.type == "table_open":
        return "table"
    return "heading" if token.type == "heading_open" else "prose"


def _items(tokens: list[Token], starts: list[int]) -> list[int]:
    counts = [0] * len(starts)
    for token in tokens:
        if token.map and token.type in _COUNTED and not token.hidden:
            counts[bisect_right(starts, token.map[0]) - 1] += 1
    return counts


def plain(text: str) -> str:
    """Without the marks of headings and strong words. Code keeps its marks: what stands in them
    is read as code by Slack too, and no address in it becomes a link."""
    return _STRONG.sub(r"\2", _HEADING.sub(r"\1", text)).strip()
