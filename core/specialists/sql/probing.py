"""Looks whether the texts that a query compares with exist, and how they are really spelt."""

from dataclasses import dataclass

from core.specialists.sql.desk import Desk
from core.specialists.sql.engine import QueryFailed, Rows
from core.specialists.sql.guard import Admitted, Filter
from core.specialists.sql.schema import Relation, Schema

MOST = 12
"""Values that are looked up for one query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    hints: tuple[str, ...] = ()
    """For whoever wrote the query: how a value is spelt."""
    question: str = ""
    """For the person, where several values may be meant."""
    notes: tuple[str, ...] = ()


async def probe(desk: Desk, schema: Schema, admitted: Admitted, rows: Rows) -> Probed:
    """Where nothing came back, or where one of several values may be missing."""
    is_empty = not rows.rows or all(all(not cell for cell in row) for row in rows.rows)
    hints: list[str] = []
    notes: list[str] = []
    left = MOST
    for one in admitted.filters:
        place = _column(one, schema)
        if place is None or not (is_empty or len(one.values) > 1):
            continue
        relation, column = place
        for wanted in one.values[:left]:
            left -= 1
            try:
                match = await desk.find(relation, column, wanted)
            except QueryFailed:
                continue
            if wanted in match.values and match.how in ("exact", "close"):
                continue
            if match.how in ("exact", "close"):
                spelt = " or ".join(repr(value) for value in match.values[:3])
                hints.append(f"{one.column} has no {wanted!r}; it is spelt {spelt}.")
            elif match.how == "ask":
                listed = ", ".join(match.values[:5])
                return Probed(question=f"Which {column} is meant by {wanted!r}: {listed}?")
            else:
                notes.append(f"{one.column} holds no {wanted!r} or anything like it.")
    if is_empty and not hints and not notes and admitted.filters:
        listed = "; ".join(one.text for one in admitted.filters)
        notes.append(f"Nothing fits all of these conditions together: {listed}.")
    return Probed(hints=tuple(hints), notes=tuple(notes))


def _column(one: Filter, schema: Schema) -> tuple[Relation, str] | None:
    key, _, column = one.column.rpartition(".")
    found = next((relation for relation in schema if relation.key == key), None)
    return (found, column) if found is not None and one.values else None
