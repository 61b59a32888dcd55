"""What a mail written in HTML says, as text or as a tree of harmless elements."""

import re
from html.parser import HTMLParser

from bot.workspace.microsoft.records import Json

KEPT = frozenset(
    "a b blockquote br code div em h1 h2 h3 hr i li ol p pre span strong table tbody td th thead "
    "tr u ul".split()
)
BREAKS = frozenset("blockquote br div h1 h2 h3 hr li p pre table tr".split())
EMPTY = frozenset({"br", "hr"})
SILENT = frozenset({"head", "noscript", "script", "style", "template", "title"})
SAFE_LINK = re.compile(r"^(https?://|mailto:)", re.IGNORECASE)
DEPTH = 60


class _Tree(HTMLParser):
    """Unknown elements vanish, their texts stay; scripts and styles vanish with their texts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root: Json = {"tag": "div", "children": []}
        self._open = [self.root]
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in SILENT:
            self._silent += 1
        if self._silent or tag not in KEPT or len(self._open) > DEPTH:
            return
        node: Json = {"tag": tag, "children": []}
        address = dict(attrs).get("href") or ""
        if tag == "a" and SAFE_LINK.match(address):
            node["href"] = address
        self._open[-1]["children"].append(node)
        if tag not in EMPTY:
            self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        if tag in SILENT:
            self._silent = max(0, self._silent - 1)
        for index in range(len(self._open) - 1, 0, -1):
            if self._open[index]["tag"] == tag:
                del self._open[index:]
                return

    def _written(self, data: str) -> None:
        if not self._silent:
            self._open[-1]["children"].append(data)

    handle_data = _written


def tree_of(markup: str) -> Json:
    """`{tag, children, href?}` with texts among the children; nothing in it can run."""
    reader = _Tree()
    reader.feed(markup)
    reader.close()
    return reader.root


def text_of(markup: str) -> str:
    lines = _flat(tree_of(markup))
    text = re.sub(r"[ \t\r\f]+", " ", lines)
    return re.sub(r" ?\n ?(?:\n ?)+", "\n\n", text).strip()


def _flat(node: Json | str) -> str:
    if isinstance(node, str):
        return node.replace("\n", " ")
    inner = "".join(_flat(child) for child in node["children"])
    if node["tag"] in BREAKS:
        return f"\n{inner}\n" if node["tag"] != "br" else "\n"
    return f"{inner}\t" if node["tag"] in ("td", "th") else inner
