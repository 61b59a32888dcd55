"""The one door for addresses in an answer: none leaves but an evidence address, as a chip.

A model writes what it read, and what it read may be an attack: a link that carries data out when it
is clicked, or when a chat client fetches it. So an answer keeps no address of its own. An address
that stands character for character in the evidence becomes a citation; every other one goes.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

from linkify_it.tlds import TLDS

from core.records import Chip

REMOVED = "(link removed)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Citable:
    """A piece of evidence as the answer may cite it: by `[number]`, by `[number.place]` of one of
    its links, counted from 1, or by an address of those."""

    number: int
    label: str
    links: tuple[tuple[str, str], ...] = ()
    """(label, address) pairs."""


# Format characters hide an address from a reader or from a pattern; none is needed around ASCII.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_JOINER_BY_ASCII = re.compile("(?<=[\x21-\x7e])[\u200c\u200d]|[\u200c\u200d](?=[\x21-\x7e])")
_ENTITY = re.compile(
    r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|colon|sol|bsol|period|commat|quest|num);?"
)

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.M | re.S)
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)

_LABEL = r"\[((?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.)*\])*)\]"
_DESTINATION = (
    r"\(\s*(<[^<>\n]*>|(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*)"
    r"(?:\s+[^()]*(?:\([^()]*\))?[^()]*)?\)"
)
_INLINE = re.compile(r"!?" + _LABEL + _DESTINATION)
_DEFINITION = re.compile(
    r"^[ >\t]{0,8}\[[^\[\]]+\]:[ \t]*\n?[ \t]*\S+[ \t]*"
    r"(?:\"[^\"]*\"|'[^']*'|\([^()]*\))?[ \t]*$\n?",
    re.M,
)
_REFERENCE = re.compile(r"!?" + _LABEL + r"\[[^\[\]]*\]")
_PIPED = re.compile(r"<([^<>|\s@#!][^<>|\s]*)\|([^<>|]*)>")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|<!--.*?-->", re.S)

_OPAQUE = (
    "about|blob|callto|chrome|cid|data|facetime|file|ftp|geo|git|im|intent|javascript|ldap|magnet"
    "|mailto|maps|market|mid|ms-[a-z-]+|msteams|news|nntp|onenote|sip|sips|skype|slack|sms|ssh|tel"
    "|tg|urn|vbscript|view-source|vscode|webcal|whatsapp|xmpp|zoommtg|zoomus"
)
_TAIL = r"[^\s<>`\"|\]})]"
_SCHEME = re.compile(
    rf"(?<![a-z0-9])[a-z][a-z0-9+.-]{{1,30}}\\?:(?:\\?[/\\])+"
    rf"(?:[^\s/\[\]]*\[[0-9a-f:.%]*\])?(?:{_TAIL}+(?:\([^\s()]*\))?)*"
    rf"|(?<![a-z0-9-])(?:{_OPAQUE}):(?=[^\s*_])(?:{_TAIL}+)"
    rf"|(?<![a-z0-9:/\\.])\\?/\\?/(?=[a-z0-9-]+\.[a-z])(?:{_TAIL}+)"
    rf"|(?<![a-z0-9])https?(?::|%3a)(?:{_TAIL}+)",
)
_HOST = re.compile(
    r"(?<![\w@./\\-])(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+([^\W\d_][\w-]{1,62})\.?"
    rf"(?P<more>:\d{{1,5}}(?:[/?#]{_TAIL}*)?|[/?#]{_TAIL}*)?(?![\w@])"
)
_ADDRESS = re.compile(
    rf"(?<![\w.])(?:\d{{1,3}}\.){{3}}\d{{1,3}}(?::\d+)?[/?#]{_TAIL}*"
    rf"|\[[0-9a-f:]*::[0-9a-f:.]*\](?:[:/]{_TAIL}*)"
)
_OPEN, _CLOSE = 0xE000, 0xE001
_TRAILING = ".,;:!?'*_~"
_MARK = re.compile(
    r"[ \t]?(?:\[(\d{1,3})(?:\.(\d{1,2}))?\](?![(:]|\[(?!\d))|【(\d{1,3})(?:†[^】]*)?】)"
)
_TOP_LEVEL = frozenset(name.lower() for name in TLDS)


def settle(text: str, citables: Sequence[Citable]) -> tuple[str, tuple[Chip, ...]]:
    """Take every address out of an answer, and turn citations into numbered chips.

    `text` is Markdown as the model wrote it. Returns Markdown without a live address, where each
    citation stands as `[1]`, `[2]`, … in the order of appearance, and the chips in that order. A
    number or an address that belongs to no evidence disappears.
    """
    desk = _Desk(citables)
    settled = _plain(text)
    # Two passes: what the first one takes away can join its neighbours into a new address.
    for _ in range(2):
        pieces = _by_code(settled)
        settled = "".join(
            desk.scan(piece, in_code=True) if is_code else desk.prose(piece)
            for is_code, piece in pieces
        )
    return desk.number(settled)


def _plain(text: str) -> str:
    text = _INVISIBLE.sub("", _ENTITY.sub(_decoded, text)).translate({_OPEN: None, _CLOSE: None})
    return _JOINER_BY_ASCII.sub("", text)


def _decoded(entity: re.Match[str]) -> str:
    """A character reference of an ASCII sign that an address is made of, decoded; others stay."""
    sign = unescape(entity.group() if entity.group().endswith(";") else entity.group() + ";")
    return sign if sign.isascii() and sign.isprintable() and sign not in "<>&" else entity.group()


def _by_code(text: str) -> Iterator[tuple[bool, str]]:
    """Split Markdown into (is code, piece), in order and without loss."""
    at = 0
    for fence in _FENCE.finditer(text):
        yield from _by_span(text[at : fence.start()])
        yield True, fence.group()
        at = fence.end()
    yield from _by_span(text[at:])


def _by_span(text: str) -> Iterator[tuple[bool, str]]:
    at = 0
    for span in _SPAN.finditer(text):
        yield False, text[at : span.start()]
        yield True, span.group()
        at = span.end()
    yield False, text[at:]


def _shadow(text: str) -> str:
    """The text as an address parser would read it, sign for sign: same length, folded."""
    return text.lower() if text.isascii() else "".join(map(_folded, text))


@lru_cache(maxsize=4096)
def _folded(sign: str) -> str:
    if sign in "。．｡":
        return "."
    folded = unicodedata.normalize("NFKC", sign).lower()
    return folded if len(folded) == 1 else sign


class _Desk:
    """Collects the chips of one answer while its pieces are cleaned.

    A citation stands as an index between two private-use signs until the order of appearance is
    known.
    """

    def __init__(self, citables: Sequence[Citable]) -> None:
        self._by_number = {citable.number: citable for citable in citables}
        self._by_address = {
            address: (citable.number, label or citable.label)
            for citable in citables
            for label, address in citable.links
            if address
        }
        self._cited: list[tuple[int, str, str]] = []

    def number(self, text: str) -> tuple[str, tuple[Chip, ...]]:
        order: dict[int, int] = {}

        def numbered(match: re.Match[str]) -> str:
            return f"[{order.setdefault(int(match.group(1)), len(order) + 1)}]"

        text = re.sub(f"{chr(_OPEN)}(\\d+){chr(_CLOSE)}", numbered, text)
        chips = tuple(
            Chip(number=number, label=self._cited[index][1], url=self._cited[index][2])
            for index, number in order.items()
        )
        return re.sub(r"[ \t]+$", "", text, flags=re.M).strip(), chips

    def prose(self, text: str) -> str:
        text = _DEFINITION.sub("", text)
        text = _INLINE.sub(lambda m: self._link(m.group(1), m.group(2).strip("<>")), text)
        text = _REFERENCE.sub(
            lambda m: m.group() if _MARK.fullmatch(f"[{m.group(1)}]") else m.group(1), text
        )
        text = _PIPED.sub(lambda m: self._link(m.group(2), m.group(1)), text)
        text = self.scan(text, in_code=False)
        text = _TAG.sub("", text)
        return _MARK.sub(self._mark, text)

    def scan(self, text: str, *, in_code: bool) -> str:
        for pattern in (_SCHEME, _ADDRESS, _HOST):
            text = self._replace(pattern, text, in_code=in_code)
        return text

    def _link(self, label: str, address: str) -> str:
        mark = self._known(address)
        if not mark:
            return label or REMOVED
        return f"{label} {mark}" if label and label != address else mark

    def _known(self, address: str) -> str:
        if (found := self._by_address.get(address)) is None:
            return ""
        number, label = found
        return self._cite(number, label, address)

    def _mark(self, match: re.Match[str]) -> str:
        citable = self._by_number.get(int(match.group(1) or match.group(3)))
        part = int(match.group(2) or 0)
        if citable is None or part > len(citable.links):
            return ""
        if part:
            label, address = citable.links[part - 1]
            return " " + self._cite(citable.number, label or citable.label, address)
        address = citable.links[0][1] if citable.links else ""
        return " " + self._cite(citable.number, citable.label, address)

    def _cite(self, number: int, label: str, address: str) -> str:
        keys = [(cited, to or named) for cited, named, to in self._cited]
        key = (number, address or label)
        if key not in keys:
            keys.append(key)
            self._cited.append((number, label, address))
        return f"{chr(_OPEN)}{keys.index(key)}{chr(_CLOSE)}"

    def _replace(self, pattern: re.Pattern[str], text: str, *, in_code: bool) -> str:
        parts: list[str] = []
        at = 0
        for match in pattern.finditer(_shadow(text)):
            start, end = match.span()
            found = text[start:end].rstrip(_TRAILING)
            parts.append(text[at:start])
            parts.append(self._instead(pattern, match, found, in_code=in_code))
            at = start + len(found)
        parts.append(text[at:])
        return "".join(parts)

    def _instead(
        self, pattern: re.Pattern[str], match: re.Match[str], found: str, *, in_code: bool
    ) -> str:
        if mark := self._known(found):
            return mark
        if pattern is not _HOST:
            return REMOVED
        more = match.group("more") or ""
        if match.group(1) not in _TOP_LEVEL and not match.group(1).startswith("xn--"):
            return REMOVED if "?" in more.rstrip("?") else found
        if more or match.group().startswith("www."):
            return REMOVED
        # A bare host name is a fact that people ask for; as code no client turns it into a link.
        return found if in_code else f"`{found}`"
