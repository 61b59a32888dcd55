"""Finds the verified query that answers a question."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Protocol, TypeVar


class Known(Protocol):
    """A question with whatever answers it."""

    @property
    def question(self) -> str: ...

    @property
    def owner(self) -> str:
        """Who answers for it."""
        ...

    @property
    def checked(self) -> str:
        """The day it was last looked at, `2026-10-01`."""
        ...


Verified = TypeVar("Verified", bound=Known)

EXAMPLES = 3
NEAR = 60.0
"""Of 100: how alike two questions are for the one's query to be an example for the other."""
SAME = 86.0
"""From here on a model that writes no SQL takes them for the same."""


def exact(question: str, known: Sequence[Verified]) -> Verified | None:
    """The one whose question is the same but for case, accents and punctuation."""
    asked = _plain(question)
    return next((one for one in known if _plain(one.question) == asked), None)


def near(question: str, known: Sequence[Verified]) -> list[Verified]:
    """Those worth showing as examples, the nearest first."""
    return [one for score, one in _scored(question, known) if score >= NEAR][:EXAMPLES]


def same(question: str, known: Sequence[Verified]) -> Verified | None:
    """The nearest, where it is near enough to be answered in the question's place."""
    return next((one for score, one in _scored(question, known) if score >= SAME), None)


def in_words(one: Known) -> str:
    by = f", checked by {one.owner}" if one.owner else ""
    return f"{one.question}{by}{f' on {one.checked}' if one.checked else ''}"


def _scored(question: str, known: Sequence[Verified]) -> list[tuple[float, Verified]]:
    from rapidfuzz import fuzz

    asked = _plain(question)
    scored = [
        ((fuzz.token_set_ratio(asked, said) + fuzz.token_sort_ratio(asked, said)) / 2, one)
        for one in known
        for said in [_plain(one.question)]
    ]
    return sorted(scored, key=lambda pair: -pair[0])


def _plain(text: str) -> str:
    flat = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(mark for mark in flat if not unicodedata.combining(mark))
    return " ".join(re.findall(r"\w+", bare))
