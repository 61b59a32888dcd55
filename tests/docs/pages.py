"""The documentation, taken apart: links, code spans and snippets of each page."""

import re
from collections.abc import Iterator
from functools import cache

from tests.architecture.sources import ROOT, tracked

FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@cache
def pages() -> dict[str, str]:
    """Every Markdown file of the project by its path."""
    return {str(n): (ROOT / n).read_text("utf-8") for n in tracked() if n.suffix == ".md"}


def snippets(language: str) -> Iterator[tuple[str, str]]:
    """(page, text) of every fenced block in that language; "" for those that name none."""
    for page, text in pages().items():
        for found, snippet in FENCE.findall(text):
            if found == language:
                yield page, snippet


def spans() -> Iterator[tuple[str, str]]:
    """(page, text) of every code span outside of fenced blocks."""
    for page, text in pages().items():
        for span in SPAN.findall(FENCE.sub("", text)):
            yield page, span


def links() -> Iterator[tuple[str, str]]:
    """(page, target) of every link and picture."""
    for page, text in pages().items():
        for target in LINK.findall(FENCE.sub("", text)):
            yield page, target


def anchors(text: str) -> set[str]:
    """The names under which a page's headings can be linked to."""
    titles = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
