"""What a file is read into: pages of Markdown, or the sentence that says why not."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


class Unread(Exception):
    """The file cannot be read; the message is a sentence without the file's name as its subject,
    such as `is protected by a password`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page, slide or sheet. `number` counts from 1; 0 for the whole of a file without pages."""

    number: int = 0
    text: str = ""
    """Markdown without any address."""
    name: str = ""
    """What people call it: a sheet's name."""
    image: bytes = b""
    """A PNG of a page that holds a picture and no text."""
    is_scanned: bool = False


def table(rows: Iterable[Iterable[object]]) -> str:
    """The rows as a Markdown table, the first one as its head; empty rows are left out."""
    cells = [[_cell(value) for value in row] for row in rows]
    kept = [row for row in cells if any(row)]
    if not kept:
        return ""
    width = max(len(row) for row in kept)
    return "\n".join(_lines(kept, width))


def _lines(rows: list[list[str]], width: int) -> Iterator[str]:
    for number, row in enumerate(rows):
        yield f"| {' | '.join([*row, *[''] * (width - len(row))])} |"
        if number == 0:
            yield f"|{' --- |' * width}"


def _cell(value: object) -> str:
    return " ".join(str("" if value is None else value).split()).replace("|", "¦")
