"""Makes hidden text visible and markup harmless, so that a card shows what will be sent."""

import re
import unicodedata
from typing import NamedTuple

HIDDEN = "hidden characters"
MARKUP = "markup"
MIXED = "look-alike"

_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800\u180e\u034f\u17b4\u17b5")
"""Letters and marks that look like nothing."""
_JOINER, _PICTURE = "\u200d", "\ufe0f"
_KEYS = "#*0123456789"
"""What a keycap is drawn on."""
_MOST_MARKS = 3
"""Combining marks on one letter; more of them cover what stands around."""
_TAG = re.compile(r"<([!@#/?a-zA-Z][^<>\n]{0,2000})>")
_CALL = re.compile(r"(?<![\w.@+-])@(?=\w)")
_LINK = re.compile(r"(?<=\])\(|(?<=\])\[(?=[^\]]*\])")
_GAP = re.compile(r"(?:[ \t\u00a0]*\n){4,}|[ \t\u00a0]{24,}")
_WORD = re.compile(r"\w+")
_BREAK = re.compile(r"[\n\t]")


class Shown(NamedTuple):
    text: str
    marks: tuple[str, ...]
    """What was found, each once: `hidden characters`, `markup`, `look-alike`."""


def visible(text: str) -> Shown:
    """The text as a card shows it.

    What cannot be seen stands there by its code point (`⟨U+202E⟩`), long emptiness by its length,
    and what a chat would take for a mention, a link or a tag no longer works (`‹!channel›`).
    """
    spelled = _spelled(text)
    gapped = _GAP.sub(_gap, spelled)
    inert = _LINK.sub(lambda m: "❨" if m[0] == "(" else "❲", gapped)
    inert = _CALL.sub("＠", _TAG.sub(r"‹\1›", inert))
    marks: list[str] = []
    if gapped != text:
        marks.append(HIDDEN)
    if inert != gapped:
        marks.append(MARKUP)
    if any(has_mixed_scripts(word) for word in _WORD.findall(text)):
        marks.append(MIXED)
    return Shown(inert, tuple(marks))


def has_mixed_scripts(word: str) -> bool:
    """Whether a word is put together from scripts whose letters are alike: `pаypal` with a
    Cyrillic а."""
    if word.isascii():
        return False
    return len({script for char in word if (script := _script(char))}) > 1


def _script(char: str) -> str:
    """`LATIN`, `CYRILLIC`, `GREEK`, … for a letter of a script that is mixed to deceive."""
    if not char.isalpha() or char in "ªº":
        return ""
    name = unicodedata.name(char, "")
    first = name.partition(" ")[0]
    if first in ("FULLWIDTH", "MATHEMATICAL", "MODIFIER", "LISU", "COPTIC", "ROMAN", "CIRCLED"):
        return first
    return first if first in ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE") else ""


def _spelled(text: str) -> str:
    if text.isascii() and _BREAK.sub("", text).isprintable():
        return text
    pieces: list[str] = []
    marks = 0
    for place, char in enumerate(text):
        marks = marks + 1 if unicodedata.combining(char) else 0
        if _is_hidden(text, place) or marks > _MOST_MARKS:
            pieces.append(f"⟨U+{ord(char):04X}⟩")
        else:
            pieces.append(char)
    return "".join(pieces)


def _is_hidden(text: str, place: int) -> bool:
    char = text[place]
    if char in "\n\t":
        return False
    if char == _PICTURE or char == _JOINER:
        return not _is_in_picture(text, place)
    category = unicodedata.category(char)
    return (
        category in ("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp")
        or char in _BLANK
        or "\ufe00" <= char <= "\ufe0e"
        or "\U000e0100" <= char <= "\U000e01ef"
    )


def _is_in_picture(text: str, place: int) -> bool:
    """A joiner between two pictures makes one of them; anywhere else it hides."""
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    is_drawn = bool(before) and (
        unicodedata.category(before) in ("So", "Sk") or before in _KEYS or before == _PICTURE
    )
    if text[place] == _PICTURE:
        return is_drawn and before != _PICTURE
    return is_drawn and bool(after) and unicodedata.category(after) in ("So", "Sk")


def _gap(found: re.Match[str]) -> str:
    if "\n" in found[0]:
        return f"\n⟨{found[0].count(chr(10))} empty lines⟩\n"
    return f" ⟨{len(found[0])} spaces⟩ "
