"""Finds the rectangles of a sheet that belong together: several tables stand on one sheet."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core.specialists.sheets.grid import Rows, is_empty


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """From 0; the ends are not part of it."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def range(self) -> str:
        """As spreadsheets write it: `A4:G9`."""
        first, last = letters(self.left), letters(self.right - 1)
        return f"{first}{self.top + 1}:{last}{self.bottom}"


def regions(rows: Rows) -> list[Region]:
    """Split on empty rows, then on empty columns, until nothing is left to split; in reading
    order."""
    if not rows:
        return []
    whole = Region(top=0, bottom=len(rows), left=0, right=len(rows[0]))
    return list(_split(rows, whole))


def letters(column: int) -> str:
    """0 → A, 26 → AA."""
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


def _split(rows: Rows, region: Region) -> Iterator[Region]:
    bands = _runs(
        region.top,
        region.bottom,
        lambda row: any(not is_empty(v) for v in rows[row][region.left : region.right]),
    )
    for top, bottom in bands:
        stripes = _runs(
            region.left,
            region.right,
            lambda column, top=top, bottom=bottom: any(
                not is_empty(rows[row][column]) for row in range(top, bottom)
            ),
        )
        for left, right in stripes:
            part = Region(top=top, bottom=bottom, left=left, right=right)
            if len(stripes) > 1:
                yield from _split(rows, part)
            else:
                yield part


def _runs(start: int, end: int, is_filled: Callable[[int], bool]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    begun: int | None = None
    for place in range(start, end):
        if is_filled(place):
            begun = place if begun is None else begun
        elif begun is not None:
            found.append((begun, place))
            begun = None
    if begun is not None:
        found.append((begun, end))
    return found
