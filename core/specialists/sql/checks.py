"""Looks at a query and its rows for what makes figures wrong though nothing failed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.specialists.sql.anatomy import Anatomy, Join, Select
from core.specialists.sql.engine import Profile, Rows
from core.specialists.sql.schema import Relation, Schema

_TOTAL = re.compile(
    r"\s*(?:(?:grand |sub-?)?totals?|sum|i alt|summe|gesamt|totaal|totale|suma)\s*:?\s*",
    re.IGNORECASE,
)
_CURRENCY = re.compile(r"(?:^|_)(?:currency|currency_code|ccy|valuta|waehrung|währung)$", re.I)
_SHARE = re.compile(r"(?:%|\bpercent|\bshare\b|\bpct\b|\brate\b)", re.IGNORECASE)


class Profiled(Protocol):
    """Of a column, what the person may see of it; None where it may not be looked at."""

    async def __call__(self, relation: Relation, column: str) -> Profile | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    sentence: str
    is_for_model: bool = False
    """The query may be written better; the sentence says how."""


async def doubts(seen: Anatomy, rows: Rows, schema: Schema, profiled: Profiled) -> list[Doubt]:
    """What a reader should know of these rows. Raises `QueryFailed`."""
    found: list[Doubt] = []
    for select in seen.selects:
        found += await _multiplied(select, schema, profiled)
        found += await _mixed(select, schema, profiled)
    return [*found, *_units(seen, schema), *_totals(rows), *_cut(seen, rows)]


def is_complete(seen: Anatomy, rows: Rows) -> bool:
    """Whether the rows are all that there are."""
    return not rows.is_truncated and not _is_limited(seen, rows)


def _is_limited(seen: Anatomy, rows: Rows) -> bool:
    return seen.limit is not None and len(rows.rows) == seen.limit


def _cut(seen: Anatomy, rows: Rows) -> list[Doubt]:
    count = len(rows.rows)
    if rows.is_truncated:
        return [Doubt(sentence=f"These are the first {count:,} rows; there are more.")]
    if _is_limited(seen, rows):
        return [Doubt(sentence=f"The query asks for {count:,} rows; there may be more.")]
    return []


def _totals(rows: Rows) -> list[Doubt]:
    if len(rows.rows) < 3:
        return []
    for row in rows.rows:
        for cell in row:
            if isinstance(cell, str) and _TOTAL.fullmatch(cell):
                text = f"The row {cell.strip()!r} seems to add up other rows."
                return [Doubt(sentence=text)]
    return []


async def _multiplied(select: Select, schema: Schema, profiled: Profiled) -> list[Doubt]:
    """A value that is added up is counted once for each row that its table is joined with."""
    found: list[Doubt] = []
    for function, alias, column in select.added:
        for join in select.joins:
            other = _other_side(join, alias)
            if other is None:
                continue
            relation = _relation(select, schema, other[0])
            if relation is None or _is_key(relation, other[1]):
                continue
            profile = await profiled(relation, other[1])
            if profile is None or profile.distinct >= profile.rows - profile.nulls:
                continue
            found.append(
                Doubt(
                    sentence=(
                        f"{function}({alias}.{column}) counts a row of {alias} once for each"
                        f" row of {relation.name} that it is joined with: {relation.name}."
                        f"{other[1]} is not unique. Add up before joining."
                    ),
                    is_for_model=True,
                )
            )
    return found


def _other_side(join: Join, alias: str) -> tuple[str, str] | None:
    if join.left == alias != join.right:
        return join.right, join.right_column
    if join.right == alias != join.left:
        return join.left, join.left_column
    return None


def _relation(select: Select, schema: Schema, alias: str) -> Relation | None:
    found = schema.named(select.tables.get(alias, ""))
    return found[0] if len(found) == 1 else None


def _is_key(relation: Relation, column: str) -> bool:
    keys = [one.name for one in relation.columns if one.is_key]
    return keys == [column]


async def _mixed(select: Select, schema: Schema, profiled: Profiled) -> list[Doubt]:
    """Amounts of several currencies that are added up as if they were of one."""
    found: list[Doubt] = []
    for alias in dict.fromkeys(alias for name, alias, _ in select.added if name != "COUNT"):
        relation = _relation(select, schema, alias)
        marks = [one for one in relation.columns if _CURRENCY.search(one.name)] if relation else []
        for mark in marks:
            if relation is None or mark.name in select.grouped:
                continue
            profile = await profiled(relation, mark.name)
            if profile is not None and profile.distinct > 1:
                words = ", ".join(str(value) for value, _ in profile.common[:5])
                text = (
                    f"Amounts in several currencies are added up ({words}): group by {mark.name}."
                )
                found.append(Doubt(sentence=text, is_for_model=True))
    return found


def _units(seen: Anatomy, schema: Schema) -> list[Doubt]:
    for select in seen.selects:
        for function, alias, column in select.added:
            relation = _relation(select, schema, alias)
            known = relation.column(column) if relation else None
            if function == "SUM" and known and _SHARE.search(f"{known.name} {known.comment}"):
                text = f"{known.name} is a share: its sum says little."
                return [Doubt(sentence=text)]
    return []


def notes(found: Sequence[Doubt]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.sentence for one in found))
