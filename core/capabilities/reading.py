"""Reads a part of a kept result again: some rows, some columns, or some characters.

The host's own tool. Whoever runs it has made sure that the evidence may be read here.
"""

import csv
import difflib
import io
import json
from collections.abc import Sequence
from typing import Any, cast

from core.capabilities import shapes
from core.capabilities.pins import digest
from core.capabilities.results import LIMIT, shorten
from core.capabilities.servers import HOST
from core.errors import BadArguments
from core.records import Evidence, Json, Tool

_NAME = "read_result"
_DESCRIPTION = (
    "Read a part of an earlier tool result again that was shortened. Give its evidence id, and "
    "either rows (first_row, last_row, optionally columns) of a table, or a range of characters "
    "(from_character, to_character). Rows count from 1, characters from 0."
)
_SCHEMA: Json = {
    "type": "object",
    "properties": {
        "evidence": {"type": "string", "description": "The evidence id that the note names."},
        "first_row": {"type": "integer", "minimum": 1},
        "last_row": {"type": "integer", "minimum": 1},
        "columns": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Names of the columns to show; all when left out.",
        },
        "from_character": {"type": "integer", "minimum": 0},
        "to_character": {"type": "integer", "minimum": 0},
    },
    "required": ["evidence"],
    "additionalProperties": False,
}

READ_RESULT = Tool(
    server=HOST,
    name=_NAME,
    description=_DESCRIPTION,
    schema=_SCHEMA,
    is_idempotent=True,
    digest=digest(_NAME, _DESCRIPTION, _SCHEMA, (), is_idempotent=True),
)
"""Every turn has it; it is no server's, so no rule and no pin concerns it."""

_Row = dict[str, Any]
_CELL = 500


def read_result(evidence: Evidence, arguments: Json, limit: int = LIMIT) -> str:
    """The part that the (validated) arguments ask for, itself within the limit.

    Raises BadArguments when rows are asked of what is no table, or a column or range does not
    exist.
    """
    wants_rows = any(key in arguments for key in ("first_row", "last_row", "columns"))
    wants_text = any(key in arguments for key in ("from_character", "to_character"))
    if wants_rows and wants_text:
        raise BadArguments("ask for rows or for characters, not for both")
    if wants_rows:
        return _read_rows(evidence, arguments, limit)
    return _read_characters(evidence, arguments, limit)


def rows_of(evidence: Evidence) -> list[_Row]:
    """The rows of a result, from its structure, else from its text (JSON, a Markdown table, CSV);
    empty when it holds no table."""
    if evidence.structured is not None and (rows := _objects(evidence.structured)):
        return rows
    text = evidence.text.strip()
    return _json_rows(text) or _markdown_rows(text) or _csv_rows(text)


def _read_characters(evidence: Evidence, arguments: Json, limit: int) -> str:
    start = arguments.get("from_character", 0)
    end = min(arguments.get("to_character", len(evidence.text)), len(evidence.text))
    if start >= end:
        raise BadArguments(f"the result has {len(evidence.text):,} characters, counted from 0")
    whole = evidence.text[start:end]
    head = f"Characters {start:,} to {end:,} of {len(evidence.text):,}:\n"
    if len(head) + len(whole) <= limit:
        return head + whole
    room = max(1, limit - len(head) - 120)
    shown = whole[:room]
    tail = f"\n[{len(whole) - room:,} more; read on from_character {start + room}.]"
    return (head.replace(f"to {end:,}", f"to {start + room:,}") + shown + tail)[:limit]


def _read_rows(evidence: Evidence, arguments: Json, limit: int) -> str:
    rows = rows_of(evidence)
    if not rows:
        raise BadArguments("this result is no table: ask for characters")
    columns = _columns(rows, arguments.get("columns"))
    first = arguments.get("first_row", 1)
    last = min(arguments.get("last_row", len(rows)), len(rows))
    if first > last:
        raise BadArguments(f"the result has rows 1 to {len(rows):,}")
    table = [_line(columns), _line(["---"] * len(columns))]
    room = limit - 160 - sum(len(line) + 1 for line in table)
    shown = first - 1
    for row in rows[first - 1 : last]:
        line = _line([_cell(row.get(column)) for column in columns])
        room -= len(line) + 1
        if room < 0:
            break
        table.append(line)
        shown += 1
    if shown < first:
        raise BadArguments("one row is too wide: name fewer columns")
    more = f" Read on with first_row {shown + 1}." if shown < last else ""
    head = f"Rows {first:,} to {shown:,} of {len(rows):,}.{more}"
    return shorten("\n".join((head, "", *table)), evidence.id, limit)


def _columns(rows: Sequence[_Row], wanted: Sequence[str] | None) -> list[str]:
    known = list(dict.fromkeys(key for row in rows for key in row))
    if not wanted:
        return known
    folded = {name.casefold(): name for name in known}
    for name in wanted:
        if name.casefold() not in folded:
            near = difflib.get_close_matches(name.casefold(), list(folded), 1)
            hint = f"did you mean {folded[near[0]]!r}?" if near else f"known: {', '.join(known)}"
            raise BadArguments(f"there is no column {name!r}; {hint}"[:1_000])
    return [folded[name.casefold()] for name in wanted]


def _objects(value: Any) -> list[_Row]:
    """A list of objects: the value itself, or the first such list among its entries."""
    if isinstance(value, dict):
        for inner in shapes.mapping(value).values():
            if isinstance(inner, list) and (rows := _objects(inner)):
                return rows
        return []
    listed = shapes.listing(value)
    return [shapes.mapping(row) for row in listed] if _are_objects(listed) else []


def _are_objects(listed: list[Any]) -> bool:
    return bool(listed) and all(isinstance(row, dict) for row in listed)


def _json_rows(text: str) -> list[_Row]:
    if not text.startswith(("[", "{")):
        return []
    try:
        return _objects(json.loads(text))
    except (ValueError, RecursionError):
        return []


def _markdown_rows(text: str) -> list[_Row]:
    """The first table of the text."""
    lines = text.splitlines()
    for index in range(len(lines) - 1):
        if "|" in lines[index] and "-" in lines[index + 1] and set(lines[index + 1]) <= set("|-: "):
            head = _cells(lines[index])
            body: list[_Row] = []
            for line in lines[index + 2 :]:
                if "|" not in line:
                    break
                body.append(dict(zip(head, _cells(line), strict=False)))
            return body
    return []


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|").replace("\\|", "\x00")
    return [cell.strip().replace("\x00", "|") for cell in inner.split("|")]


def _csv_rows(text: str) -> list[_Row]:
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    if not head.count(delimiter) or "\n" not in text:
        return []
    try:
        read = list(csv.reader(io.StringIO(text), delimiter=delimiter, strict=True))
    except csv.Error:
        return []
    names, body = read[0], [row for row in read[1:] if row]
    if not body or any(len(row) != len(names) for row in body) or len(set(names)) < len(names):
        return []
    return [cast("_Row", dict(zip(names, row, strict=True))) for row in body]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    plain = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return " ".join(plain.split()).replace("|", "\\|")[:_CELL]
