"""Writes the rows of a figure as a file for a spreadsheet."""

import csv
import io

from core.figures import Cell, Figure


def as_csv(figure: Figure) -> bytes:
    """All rows that there are; nothing in it is a formula."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(map(_safe, figure.columns))
    writer.writerows([_safe(cell) for cell in row] for row in figure.rows)
    return out.getvalue().encode("utf-8-sig")


def name(figure: Figure) -> str:
    return f"{figure.title or 'table'}.csv"


def _safe(cell: Cell) -> Cell:
    """A text that a spreadsheet would run stays a text."""
    is_formula = isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{cell}" if is_formula else cell
