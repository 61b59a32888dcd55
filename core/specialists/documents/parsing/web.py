"""Turns HTML into Markdown: headings, lists, tables and text, and no address."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from core.specialists.documents.parsing.pages import Page, table
from core.specialists.documents.parsing.plain import decoded

_SILENT = frozenset(("script", "style", "template", "noscript", "svg", "iframe", "object"))
_BLOCKS = frozenset(
    "address article aside blockquote div dl dd dt fieldset figcaption figure footer form header"
    " hr main nav ol p pre section ul".split()
)
_CHARSET = re.compile(rb"<meta[^>]+charset=[\"']?([\w-]{3,20})", re.IGNORECASE)
_DEEPEST_LIST = 6


def markdown(html: str) -> tuple[str, str]:
    """The text as Markdown, and the title that the page gives itself."""
    writer = _Writer()
    writer.feed(html)
    writer.close()
    return writer.text(), " ".join(writer.title.split())


def read(content: bytes) -> Iterator[Page]:
    found = _CHARSET.search(content[:2048])
    try:
        html = content.decode(found[1].decode()) if found else decoded(content)
    except (LookupError, UnicodeDecodeError):
        html = decoded(content)
    text, title = markdown(html)
    is_titled = re.search(r"^# ", text, re.MULTILINE) is not None
    yield Page(text=text if is_titled or not title else f"# {title}\n\n{text}")


class _Writer(HTMLParser):
    """Collects lines while the parser walks through the tags."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self._blocks: list[str] = []
        self._line: list[str] = []
        self._prefix = ""
        self._silence = 0
        self._lists: list[str] = []
        self._tables: list[list[list[str]]] = []
        self._is_title = False
        self._is_verbatim = False

    def text(self) -> str:
        self._end()
        joined = "\n\n".join(block for block in self._blocks if block.strip())
        # The points of a list stay together.
        return re.sub(r"(?m)^([ \t]*(?:-|\d+\.) .*)\n\n(?=[ \t]*(?:-|\d+\.) )", r"\1\n", joined)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silence += 1
        elif tag == "title":
            self._is_title = True
        elif len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self._end("#" * int(tag[1]) + " ")
        elif tag in ("ul", "ol"):
            self._end()
            self._lists.append(tag)
        elif tag == "li":
            depth = min(max(len(self._lists) - 1, 0), _DEEPEST_LIST)
            self._end("  " * depth + "- ")
        elif tag == "br":
            self._line.append("\n" if not self._tables else " ")
        elif tag in ("table", "tr", "td", "th"):
            self._table_begins(tag)
        elif tag in _BLOCKS and not self._tables:
            self._end(self._prefix if not self._said() else "")
            self._is_verbatim = tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silence = max(0, self._silence - 1)
        elif tag == "title":
            self._is_title = False
        elif tag in ("ul", "ol"):
            self._end()
            del self._lists[-1:]
        elif tag in ("td", "th", "table"):
            self._table_ends(tag)
        elif (tag in _BLOCKS or tag[:1] == "h" or tag == "li") and not self._tables:
            self._end()
            self._is_verbatim = False

    def handle_data(self, data: str) -> None:
        if self._is_title:
            self.title += data
        elif not self._silence:
            self._line.append(data)

    def _said(self) -> bool:
        return any(piece.strip() for piece in self._line)

    def _end(self, prefix: str = "") -> None:
        """End the block, and begin one with this prefix."""
        if self._tables and self._tables[-1]:
            self._prefix = ""
            return
        text = "".join(self._line)
        if not self._is_verbatim:
            lines = (" ".join(line.split()) for line in text.split("\n"))
            text = "\n".join(line for line in lines if line)
        if text.strip():
            self._blocks.append(self._prefix + text.strip("\n"))
        self._line, self._prefix = [], prefix

    def _table_begins(self, tag: str) -> None:
        if tag == "table":
            if not self._tables:
                self._end()
            self._tables.append([])
        elif self._tables and tag == "tr":
            self._tables[-1].append([])
        elif self._tables and len(self._tables) == 1:
            self._line = []

    def _table_ends(self, tag: str) -> None:
        if not self._tables:
            return
        if tag == "table":
            rows = self._tables.pop()
            if not self._tables:
                self._line, self._prefix = [], ""
                self._blocks.append(table(rows))
        elif len(self._tables) == 1:
            if not self._tables[-1]:
                self._tables[-1].append([])
            self._tables[-1][-1].append("".join(self._line))
            self._line = []
