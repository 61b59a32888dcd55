"""Holds quotations to what they quote: words that no source holds are no quotation."""

import re
import unicodedata
from collections.abc import Sequence

WORDS = 4
"""A quotation with fewer words may be a name or a term."""
_QUOTED = re.compile(r"“([^“”\n]{12,})”|„([^„“”\n]{12,})[“”]|«([^«»\n]{12,})»|\"([^\"\n]{12,})\"")
_BLOCK = re.compile(r"^(?:[ \t]*>[^\n]*\n?)+", re.MULTILINE)
_MARK = re.compile(r"[ \t]*\[\d{1,3}(?:\.\d{1,2})?\]")
_ELLIPSIS = re.compile(r"\s*(?:\[…\]|\[\.\.\.\]|…|\.\.\.)\s*")


def held(text: str, sources: Sequence[str]) -> str:
    """The Markdown with the marks taken off each quotation that stands in none of the sources,
    word for word; an ellipsis may leave something out."""
    bodies = [_folded(source) for source in sources]

    def quoted(found: re.Match[str]) -> str:
        words = next(group for group in found.groups() if group is not None)
        return found.group() if _is_held(words, bodies) else words

    def block(found: re.Match[str]) -> str:
        lines = [re.sub(r"^[ \t]*>[ \t]?", "", line) for line in found.group().splitlines()]
        words = _MARK.sub("", "\n".join(lines))
        if _is_held(words.strip().strip('“”"„«»'), bodies):
            return found.group()
        return "\n".join(lines) + ("\n" if found.group().endswith("\n") else "")

    return _QUOTED.sub(quoted, _BLOCK.sub(block, text))


def _is_held(words: str, bodies: Sequence[str]) -> bool:
    parts = [_folded(part) for part in _ELLIPSIS.split(words)]
    if sum(len(part.split()) for part in parts) < WORDS:
        return True
    return any(_in_order(parts, body) for body in bodies)


def _in_order(parts: Sequence[str], body: str) -> bool:
    at = 0
    for part in parts:
        found = body.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _folded(text: str) -> str:
    """Letters and digits alone: signs, cases and line ends differ when nothing does."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"\w+", plain))
