"""What a tool's tags say: its formats, and whether a request speaks of one of them."""

import re
from collections.abc import Iterable

REQUIRES_APPROVAL = "requires_approval"
PRODUCES_FILE = "produces_file"

_WORDS: dict[str, tuple[str, ...]] = {
    "xlsx": ("xls", "excel", "spreadsheet", "sheet", "workbook", "tabellenkalkulation"),
    "csv": ("comma separated", "comma delimited"),
    "pdf": ("portable document",),
    "pptx": (
        *("ppt", "slide", "slides", "slide deck", "deck", "powerpoint", "presentation"),
        *("folie", "folien", "präsentation"),
    ),
    "docx": ("word document", "word doc", "word file", "ms word", "microsoft word", "wordfile"),
    "chart": (
        *("graph", "plot", "diagram", "histogram", "visualise", "visualize", "visualisation"),
        *("visualization", "pie chart", "bar chart", "line chart", "diagramm"),
    ),
    "png": ("picture", "image", "bild"),
    "md": ("markdown",),
    "ics": ("calendar file", "icalendar"),
}
"""Per format, the words beside its own name by which people ask for it: English first, and the
German words that share no stem with them."""


def values(tags: Iterable[str], prefix: str) -> tuple[str, ...]:
    """The words behind `prefix:` among the tags: `values(tags, "format")` -> `("xlsx",)`."""
    return tuple(sorted(tag[len(prefix) + 1 :] for tag in tags if tag.startswith(f"{prefix}:")))


def speaks_of(text: str, word: str) -> bool:
    """Whether the text asks for this format in any of the usual words, as whole words and in any
    case; a plural, a leading dot (`.xlsx`) and a hyphen instead of a space are the same word."""
    spoken = f" {_normal(text)} "
    names = (word, *_WORDS.get(word.casefold(), ()))
    return any(f" {form} " in spoken for name in names for form in _forms(_normal(name)))


def is_spoken_of(tags: Iterable[str], text: str) -> bool:
    """True for a tool without a `format:` tag, and for one whose format the text speaks of."""
    formats = values(tags, "format")
    return not formats or any(speaks_of(text, word) for word in formats)


def _normal(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _forms(name: str) -> tuple[str, ...]:
    # "Excels" is a verb.
    return (name,) if name == "excel" else (name, f"{name}s")
