"""Cuts a Markdown table that is too long or too wide into tables that each have their header."""

import re

from adapters.slack.render import limits

_BAR = re.compile(r"(?<!\\)\|")


def cut(text: str, room: int) -> list[str]:
    """Tables that weigh less than `room`, in order; nothing is left out.

    The header is repeated in each, and in tables of further columns the first column as well.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    columns = max(len(_cells(line)) for line in lines)
    if columns > limits.TABLE_COLUMNS:
        return [part for half in _narrowed(lines, columns) for part in _shortened(half, room)]
    return _shortened(lines, room)


def fits(text: str) -> bool:
    """Whether Slack takes this table as one."""
    lines = [line for line in text.split("\n") if line.strip()]
    widest = max(map(len, map(_cells, lines)), default=0)
    return len(lines) - 1 <= limits.TABLE_ROWS and widest <= limits.TABLE_COLUMNS


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.strip() for cell in _BAR.split(inner)]


def _narrowed(lines: list[str], columns: int) -> list[list[str]]:
    rows = [_cells(line) for line in lines]
    wide = limits.TABLE_COLUMNS
    later = range(wide, columns, wide - 1)
    groups = [range(wide), *(range(at, min(at + wide - 1, columns)) for at in later)]
    return [
        [_row([row[0], *_some(row, group)] if group.start else _some(row, group)) for row in rows]
        for group in groups
    ]


def _some(row: list[str], group: range) -> list[str]:
    return [row[index] if index < len(row) else "" for index in group]


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _shortened(lines: list[str], room: int) -> list[str]:
    head = lines[:2]
    left = room - limits.weight("\n".join(head)) - 2
    tables: list[str] = []
    rows: list[str] = []
    taken = 0
    for line in lines[2:]:
        cost = limits.weight(line) + 1
        if rows and (taken + cost > left or len(rows) == limits.TABLE_ROWS - 1):
            tables.append("\n".join([*head, *rows]))
            rows, taken = [], 0
        rows.append(line)
        taken += cost
    return [*tables, "\n".join([*head, *rows])]
