"""The words of a text, reduced so that different forms of one word are equal."""

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:['’][a-z]+)?", re.UNICODE)
SHORT_TEXT = 400
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

SILENT = frozenset(
    """a about above after again all also am an and any are as at back be been before being below
    between both but by can could did do does doing down during each every few for from further
    get give gave given got had has have having he her here him his how i if in into is it its
    just know let like long many may me might more much my need no nor not now of off on
    once one only or other our out over own per please same say says said see she since should show
    so some such tell than that the their them then there these they thing this those through to
    too under until up us use very want was we were what whats when where which while who whom
    whose why will with would you your hello hi hey thanks thank ok okay yes
    january february march april june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday
    first second third fourth last next previous current""".split()
)
"""Words that say nothing about which tool is meant."""

_SAME = (
    "sale sell sold selling revenue turnover earned earnings income",
    "customer client buyer",
    "order purchase bought buy buys ordered ordering",
    "product item article goods sku assortment",
    "note memo minutes wiki handbook",
    "spreadsheet sheet excel xlsx workbook",
    "employee staff colleague worker",
    "find search lookup look locate",
    "region area territory",
    "supplier vendor",
    "invoice bill billed",
    "expense spend spent spending",
    "price pricing cost costs expensive cheap cheapest",
    "export download",
    "person people",
    "mail email",
    "country nation",
    "stock inventory",
)


def words(text: str) -> list[str]:
    """The words in order, lower case; `customer_id` and `customerId` are two words each."""
    return [found.group().lower() for found in _WORD.finditer(_CAMEL.sub(" ", text))]


def stem(word: str) -> str:
    """The form that all forms of the word share, and its synonyms with it."""
    form = bare(word)
    return _CANONICAL.get(form, form)


def stems(text: str) -> tuple[str, ...]:
    """Stems of the words that say something, in order, each once."""
    return _short_stems(text) if len(text) <= SHORT_TEXT else _stems(text)


def _stems(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stem(w) for w in words(text) if w not in SILENT))


_short_stems = lru_cache(2048)(_stems)
"""Names and descriptions of tools come again with every question."""


def squeezed(text: str) -> str:
    """The text without runs of blanks, over which patterns would take their time."""
    lines = (" ".join(line.split()) for line in text.strip().splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def first_sentence(text: str) -> str:
    """Up to the first full stop that ends a sentence, or the first paragraph; on one line."""
    paragraph = " ".join(text.strip().partition("\n\n")[0].split())
    found = re.search(r"[.!?](?=\s|$)", paragraph)
    return paragraph[: found.end()] if found else paragraph


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text."""
    parts = re.split(r"(?<=[.!?])\s+|\n+", text)
    return [part.strip() for part in parts if part.strip()]


def bare(word: str) -> str:
    """The word without its ending; synonyms stay apart."""
    word = re.sub(r"['’](s|re|ve|ll|d|m|t)$", "", word)
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed", "ment", "ly"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            word = word[: -len(ending)]
            return word[:-1] if word[-1] == word[-2] and word[-1] not in "lse" else word
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


_CANONICAL = {bare(member): bare(group.split()[0]) for group in _SAME for member in group.split()}
