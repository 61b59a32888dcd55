"""Cuts a DAX text into its tokens."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from core.errors import CountersignError

Kind = Literal["number", "string", "table", "bracket", "name", "mark", "end"]
_TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|--[^\n]*|/\*.*?\*/)
      | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)
      | (?P<string>"(?:[^"]|"")*")
      | (?P<table>'(?:[^']|'')*')
      | (?P<bracket>\[(?:[^\]]|\]\])*\])
      | (?P<name>[^\W\d][\w.]*)
      | (?P<mark>==|<>|<=|>=|&&|\|\||[-+*/^&<>=(){},])""",
    re.VERBOSE | re.DOTALL,
)
LONGEST = 20_000
"""Characters of a query."""


class Refused(CountersignError):
    """A query that is not run. `reason` is for whoever wrote it, a model or a person; `candidates`
    are names that may have been meant."""

    def __init__(self, reason: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.candidates = candidates


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str
    """As it was written."""
    at: int

    @property
    def value(self) -> str:
        """A string, a table or a name in brackets without its marks."""
        if self.kind == "string":
            return self.text[1:-1].replace('""', '"')
        if self.kind == "table":
            return self.text[1:-1].replace("''", "'")
        if self.kind == "bracket":
            return self.text[1:-1].replace("]]", "]")
        return self.text

    @property
    def word(self) -> str:
        """A keyword or a function in capitals; empty for what is no name."""
        return self.text.upper() if self.kind == "name" else ""


def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a text and one of the kind `end`; comments and blanks are gone. Raises
    `Refused`."""
    if len(text) > LONGEST:
        raise Refused(f"The query is longer than {LONGEST:,} characters.")
    return tuple(_cut(text))


def _cut(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise Refused(f"{place(text, at)}: {text[at]!r} is not DAX, or is never closed.")
        if found.lastgroup != "blank":
            kind: Kind = found.lastgroup  # pyright: ignore[reportAssignmentType]
            yield Token(kind, found[0], at)
        at = found.end()
    yield Token("end", "", at)


def place(text: str, at: int) -> str:
    """`Line 2, character 7`, counted as editors do."""
    line = text.count("\n", 0, at) + 1
    return f"Line {line}, character {at - (text.rfind(chr(10), 0, at) + 1) + 1}"
