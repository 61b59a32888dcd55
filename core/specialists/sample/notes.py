"""Finds the company notes of Larkspur Cycles that speak of something."""

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

ADDRESS = "https://larkspur-cycles.example/handbook/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    slug: str
    title: str
    text: str

    @property
    def url(self) -> str:
        return f"{ADDRESS}{self.slug}"


@cache
def notes() -> tuple[Note, ...]:
    text = files("core.specialists.sample").joinpath("notes.json").read_text(encoding="utf-8")
    return tuple(Note(**entry) for entry in json.loads(text))


def search(query: str, most: int = 2) -> list[Note]:
    """The notes that share the most words with the query, the best first; a word of the title
    counts three times, and words are compared by their first letters."""
    wanted = _stems(query)
    scored = [
        (3 * len(wanted & _stems(note.title)) + len(wanted & _stems(note.text)), note)
        for note in notes()
    ]
    found = sorted((pair for pair in scored if pair[0]), key=lambda pair: (-pair[0], pair[1].slug))
    return [note for score, note in found[:most] if score * 2 >= found[0][0]]


_COMMON = frozenset(
    (
        *("what", "when", "where", "which", "much", "many", "long", "have", "does", "with", "from"),
        *("that", "this", "your", "ours", "about", "there", "they", "their", "will", "would"),
        *("policy", "company", "note", "notes", "larkspur", "days"),
    )
)


def _stems(text: str) -> set[str]:
    words = re.findall(r"[a-z]+", text.casefold())
    return {word[:6] for word in words if len(word) > 3 and word not in _COMMON}
