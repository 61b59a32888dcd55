"""Reads a semantic model from its committed definition: a `.bim` file or TMDL."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from core.specialists.dax.model import Column, Measure, Model, Relationship, Table

_HEAD = re.compile(r"(\t*)(table|column|measure|relationship)\s+(?:'((?:[^']|'')+)'|([^=\s]+))(.*)")
_PROPERTY = re.compile(r"(\t+)(\w+)(?::\s*(.*)|)$")


def read(text: str) -> Model:
    """The model of a definition, without what is hidden. Raises ValueError for a text that is
    neither form."""
    if text.lstrip().startswith("{"):
        return _of_bim(json.loads(text))
    found = _of_tmdl(text)
    if not found.tables:
        raise ValueError("a definition is a .bim file or TMDL, and holds a table")
    return found


def _of_bim(whole: object) -> Model:
    model = _mapping(_mapping(whole).get("model")) or _mapping(whole)
    tables: list[Table] = []
    measures: list[Measure] = []
    for given in _seen(model.get("tables")):
        name = str(given.get("name", ""))
        columns = tuple(
            Column(
                name=str(one.get("name", "")),
                type=str(one.get("dataType", "")),
                description=_text(one.get("description")),
            )
            for one in _seen(given.get("columns"))
            if one.get("type") != "rowNumber"
        )
        about = _text(given.get("description"))
        tables.append(Table(name=name, columns=columns, description=about))
        measures += [
            Measure(
                table=name,
                name=str(one.get("name", "")),
                expression=_text(one.get("expression")),
                format=str(one.get("formatString", "")),
                description=_text(one.get("description")),
            )
            for one in _seen(given.get("measures"))
        ]
    if not tables:
        raise ValueError("a .bim file holds a model with tables")
    relationships = tuple(
        Relationship(
            table=str(one.get("fromTable", "")),
            column=str(one.get("fromColumn", "")),
            to_table=str(one.get("toTable", "")),
            to_column=str(one.get("toColumn", "")),
            is_active=one.get("isActive") is not False,
        )
        for one in _seen(model.get("relationships"))
    )
    return Model(
        tables=tuple(tables),
        measures=tuple(measures),
        relationships=relationships,
        is_committed=True,
    )


def _seen(listed: object) -> Iterator[Mapping[str, Any]]:
    for one in cast("Sequence[object]", listed) if isinstance(listed, list) else ():
        found = _mapping(one)
        if found and found.get("isHidden") is not True:
            yield found


def _text(value: object) -> str:
    """Long texts stand as lists of lines."""
    lines = cast("Sequence[object]", value) if isinstance(value, list) else [value or ""]
    return "\n".join(map(str, lines)).strip()


class _Part:
    """A table, a column, a measure or a relationship of TMDL, with its properties."""

    def __init__(self, kind: str, name: str, expression: str, depth: int, about: str) -> None:
        self.kind, self.name, self.depth, self.about = kind, name, depth, about
        self.lines = [expression] if expression else []
        self.said: dict[str, str] = {}


def _of_tmdl(text: str) -> Model:
    tables: dict[str, list[Column]] = {}
    told: dict[str, str] = {}
    measures: list[Measure] = []
    relationships: list[Relationship] = []
    table = ""
    for part in _parts(text):
        is_hidden = "isHidden" in part.said
        if part.kind == "table":
            table = "" if is_hidden else part.name
            if table:
                tables[table], told[table] = [], part.about
        elif part.kind == "relationship":
            relationships += _relationship(part)
        elif table and not is_hidden and part.kind == "column":
            kind = part.said.get("dataType", "")
            tables[table].append(Column(name=part.name, type=kind, description=part.about))
        elif table and not is_hidden and part.kind == "measure":
            measures.append(
                Measure(
                    table=table,
                    name=part.name,
                    expression="\n".join(part.lines).strip().strip("`").strip(),
                    format=part.said.get("formatString", ""),
                    description=part.about,
                )
            )
    made = tuple(
        Table(name=name, columns=tuple(columns), description=told[name])
        for name, columns in tables.items()
    )
    return Model(
        tables=made,
        measures=tuple(measures),
        relationships=tuple(relationships),
        is_committed=True,
    )


def _parts(text: str) -> Iterator[_Part]:
    """Depth is by tabs; a `///` before a part describes it."""
    part: _Part | None = None
    about: list[str] = []
    for line in text.splitlines():
        if line.strip().startswith("///"):
            about.append(line.strip()[3:].strip())
            continue
        if head := _HEAD.fullmatch(line.rstrip()):
            if part is not None:
                yield part
            expression = head[5].strip().removeprefix("=").strip()
            name = head[3].replace("''", "'") if head[3] else head[4]
            part = _Part(head[2], name, expression, len(head[1]), " ".join(about))
            about = []
        elif part is not None and line.strip():
            _add(part, line)
    if part is not None:
        yield part


def _add(part: _Part, line: str) -> None:
    depth = len(line) - len(line.lstrip("\t"))
    found = _PROPERTY.fullmatch(line.rstrip())
    if found and depth == part.depth + 1:
        part.said[found[2]] = found[3] or ""
    elif depth > part.depth + 1 and part.kind == "measure":
        part.lines.append(line.strip())


def _relationship(part: _Part) -> list[Relationship]:
    sides = [_side(part.said.get(name, "")) for name in ("fromColumn", "toColumn")]
    if not all(sides):
        return []
    (table, column), (to_table, to_column) = sides
    return [
        Relationship(
            table=table,
            column=column,
            to_table=to_table,
            to_column=to_column,
            is_active=part.said.get("isActive", "") != "false",
        )
    ]


def _side(text: str) -> tuple[str, str]:
    """`Sales.'Date Key'` → table and column; two empty texts for what is none."""
    found = re.fullmatch(r"(?:'((?:[^']|'')+)'|([^.']+))\.(?:'((?:[^']|'')+)'|(.+))", text.strip())
    if not found:
        return "", ""
    return (found[1] or found[2]).replace("''", "'"), (found[3] or found[4]).replace("''", "'")


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
