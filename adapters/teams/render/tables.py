"""Shows a table as an element of an Adaptive Card, with lines of text for clients without it."""

import re

from adapters.teams.render import limits
from adapters.teams.render.markdown import Table
from core.records import Json

CARD = "application/vnd.microsoft.card.adaptive"
SCHEMA = "https://adaptivecards.io/schemas/adaptive-card.json"
_FIGURE = re.compile(r"[-+−]?[\d.,\s]*\d[\d.,]*\s?[%€$£]?")
VERSION = "1.5"
"""The newest that Teams' clients on every platform read."""


def attachment(content: Json) -> Json:
    return {"contentType": CARD, "content": content}


def card(body: list[Json], actions: list[Json] | None = None) -> Json:
    made: Json = {"type": "AdaptiveCard", "$schema": SCHEMA, "version": VERSION, "body": body}
    if actions:
        made["actions"] = actions
    return made | {"msteams": {"width": "Full"}}


def cards(tables: list[Table]) -> list[Json]:
    """One card for each piece of a table that fits into one; nothing is left out."""
    found: list[Json] = []
    for number, table in enumerate(tables, start=1):
        pieces = _pieces(table)
        for place, piece in enumerate(pieces, start=1):
            name = f"Table {number}" if len(tables) > 1 else ""
            if len(pieces) > 1:
                name = f"{name or 'Table'}, part {place} of {len(pieces)}"
            title = [_text(name, is_strong=True)] if name else []
            found.append(card([*title, element(piece)]))
    return found


def element(table: Table) -> Json:
    wide = len(table.header)
    return {
        "type": "Table",
        "firstRowAsHeaders": True,
        "showGridLines": True,
        "columns": [_column(table, place) for place in range(wide)],
        "rows": [_row(table.header, is_strong=True), *(_row(row) for row in table.rows)],
        "fallback": {
            "type": "Container",
            "items": [
                _text(" · ".join(row), is_strong=place == 0)
                for place, row in enumerate((table.header, *table.rows))
            ],
        },
    }


def _column(table: Table, place: int) -> Json:
    """Figures stand on the right, so that their digits meet."""
    column: Json = {"width": 1}
    if table.rows and all(_FIGURE.fullmatch(row[place]) for row in table.rows):
        column["horizontalCellContentAlignment"] = "Right"
    return column


def _row(cells: tuple[str, ...], *, is_strong: bool = False) -> Json:
    return {
        "type": "TableRow",
        "cells": [
            {"type": "TableCell", "items": [_text(cell, is_strong=is_strong)]} for cell in cells
        ],
    }


def _text(shown: str, *, is_strong: bool = False) -> Json:
    """Words and nothing else: a run of text has no markup."""
    cut = shown if len(shown) <= limits.CELL else shown[: limits.CELL - 1] + "…"
    run: Json = {"type": "TextRun", "text": cut or " "}
    if is_strong:
        run["weight"] = "Bolder"
    return {"type": "RichTextBlock", "inlines": [run]}


def _pieces(table: Table) -> list[Table]:
    found: list[Table] = []
    for narrow in _narrowed(table):
        rows: list[tuple[str, ...]] = []
        for row in narrow.rows:
            tried = Table(header=narrow.header, rows=(*rows, row))
            is_full = len(rows) >= limits.TABLE_ROWS
            if rows and (is_full or limits.size(element(tried)) > limits.CARD_BYTES - 1_000):
                found.append(Table(header=narrow.header, rows=tuple(rows)))
                rows = []
            rows.append(row)
        found.append(Table(header=narrow.header, rows=tuple(rows)))
    return found


def _narrowed(table: Table) -> list[Table]:
    """Tables of fewer columns, each with the first one."""
    most = limits.TABLE_COLUMNS
    if len(table.header) <= most:
        return [table]
    found: list[Table] = []
    for start in range(1, len(table.header), most - 1):
        chosen = [0, *range(start, min(start + most - 1, len(table.header)))]
        found.append(
            Table(
                header=tuple(table.header[at] for at in chosen),
                rows=tuple(tuple(row[at] for at in chosen) for row in table.rows),
            )
        )
    return found
