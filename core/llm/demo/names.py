"""The names, ids and free words in a question."""

import re
from collections.abc import Set

from core.llm.demo.moments import EVERYTHING, MONTHS
from core.llm.demo.words import SILENT, stem, words

_QUOTED = re.compile(r"[\"“”„«»']([^\"“”„«»']{2,80})[\"“”„«»'](?!\w)")
_CAPITALS = re.compile(
    r"[A-ZÀ-Þ0-9][\w&.'’-]*(?:\s+(?:(?:of|and|&|de|van|von|der|the)\s+)?[A-ZÀ-Þ][\w&.'’-]*)*"
)
_AFTER = re.compile(
    r"\b(?:for|of|by|from|with|named|called|customer|client|about|did|has)\s+"
    r"((?:[\w&.'’-]+\s*){1,4})",
    re.IGNORECASE,
)
_ID = re.compile(r"#?\b(?=[\w-]*\d)[A-Za-z]{0,6}[-_#]?\d[\w-]*\b")
_ABOUT = re.compile(
    r"\b(?:about|regarding|concerning|on|mentions?|mentioning|says? about|for)\s+(.+)$",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"\b(?:about|regarding|concerning|mention(?:s|ing)?|with the subject)\s+(.+)$", re.IGNORECASE
)
COMMANDS = frozenset(
    """show list find search give tell get make create export draw send look check compare
    display fetch open read write please summarise summarize count sum add look up how what which
    who where when why is are do does did can could would and also then per by""".split()
)


def proper_names(text: str, known: Set[str]) -> list[str]:
    """What is written as a name: quoted, or capitalised.

    `known` are the stems of the tools' own words and values, which are no names.
    """
    found = [m.group(1).strip() for m in _QUOTED.finditer(text)]
    timeless = EVERYTHING.sub(" ; ", text)
    found += [_trimmed(m.group(), known) for m in _CAPITALS.finditer(timeless)]
    return list(dict.fromkeys(name for name in found if _is_name(name)))


def names(text: str, known: Set[str]) -> list[str]:
    """What may be a name, the likeliest first: proper names, then what stands behind a
    preposition."""
    timeless = EVERYTHING.sub(" ; ", text)
    after = [_trimmed(_run(m.group(1), known), known) for m in _AFTER.finditer(timeless)]
    return list(dict.fromkeys([*proper_names(text, known), *filter(_is_name, after)]))


def ids(text: str) -> list[str]:
    """Tokens that look like an identifier: letters and digits, or digits alone."""
    timeless = EVERYTHING.sub(" ", text)
    return [m.group().lstrip("#") for m in _ID.finditer(timeless)]


def numbers(text: str) -> list[float]:
    """The numbers that are no time and no part of an id."""
    timeless = EVERYTHING.sub(" ", text)
    found = re.findall(r"(?<![\w.-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?![\w-])", timeless)
    return [float(n.replace(",", "")) for n in found]


def remainder(text: str, known: Set[str]) -> str:
    """The words that are neither commands nor words of the tool, as they were written."""
    quoted = _QUOTED.search(text)
    if quoted:
        return quoted.group(1).strip()
    body = text.strip().rstrip("?!. ")
    about = _ABOUT.search(body)
    if about and _kept(about.group(1), known):
        body = about.group(1)
    return " ".join(_kept(body, known))


def topic(text: str) -> str:
    """What the text says that something is about; "" where it does not."""
    if quoted := _QUOTED.search(text):
        return quoted.group(1).strip()
    about = _TOPIC.search(text.strip().rstrip("?!. "))
    return " ".join(_kept(about.group(1), set())) if about else ""


def _kept(text: str, known: Set[str]) -> list[str]:
    kept: list[str] = []
    for token in text.split():
        parts = words(token)
        if not parts or all(p in SILENT or p in COMMANDS or stem(p) in known for p in parts):
            continue
        kept.append(token.strip(',;:()"“”?!.'))
    return kept


def _run(text: str, known: Set[str]) -> str:
    """The words up to the first that is none of a name."""
    kept: list[str] = []
    for token in text.split():
        parts = words(token)
        if not parts or any(p in SILENT or stem(p) in known for p in parts):
            break
        kept.append(token)
        if token[-1] in ",;?!":
            break
    return " ".join(kept)


def _trimmed(name: str, known: Set[str]) -> str:
    """The name without commands and tool words at its ends."""
    tokens = name.strip(" .,;:?!").split()

    def is_noise(token: str) -> bool:
        parts = words(token)
        return not parts or all(
            p in SILENT or p in COMMANDS or p in MONTHS or stem(p) in known for p in parts
        )

    while tokens and is_noise(tokens[0]):
        tokens.pop(0)
    while tokens and is_noise(tokens[-1]):
        tokens.pop()
    return re.sub(r"['’]s$", "", " ".join(tokens).strip(" .,;:?!"))


def _is_name(name: str) -> bool:
    return len(name) > 1 and not re.fullmatch(r"[\d\W]+", name)
