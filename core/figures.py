"""The tables and charts of an answer, as values."""

from dataclasses import dataclass
from typing import Literal

Cell = int | float | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A table or a chart, drawn from the rows that a tool brought."""

    kind: Literal["table", "bar", "line", "pie"]
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    """As many cells as columns; texts are plain and hold no live address."""
    total: int
    """How many rows there are; `rows` may be the first ones."""
