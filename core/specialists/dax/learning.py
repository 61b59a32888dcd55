"""Learns what a semantic model holds, from the service or from its committed definition."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping

from core.specialists.dax import committed
from core.specialists.dax.client import Cell, Table
from core.specialists.dax.failures import DaxFailed
from core.specialists.dax.model import Column, Measure, Model, Relationship, within
from core.specialists.dax.model import Table as ModelTable
from core.specialists.dax.source import SemanticModel

Query = Callable[[str], Awaitable[Table]]
"""Runs a query of ours under the asking person's rights. Raises `DaxFailed`."""
TABLES = "EVALUATE FILTER(INFO.VIEW.TABLES(), NOT [IsHidden])"
COLUMNS = "EVALUATE FILTER(INFO.VIEW.COLUMNS(), NOT [IsHidden])"
MEASURES = "EVALUATE FILTER(INFO.VIEW.MEASURES(), NOT [IsHidden])"
RELATIONSHIPS = "EVALUATE INFO.VIEW.RELATIONSHIPS()"
"""They work with the permission Build; INFO.TABLES and its like do not. Source: five accounts of
2026, against the reference, which says that none does."""


async def learn(source: SemanticModel, query: Query) -> Model:
    """What this person may see of the model, within its scope. Raises `DaxFailed`."""
    failed: DaxFailed | None = None
    asked: list[asyncio.Task[_Rows]] = []
    try:
        async with asyncio.TaskGroup() as group:
            asked = [
                group.create_task(_asked(query, dax))
                for dax in (TABLES, COLUMNS, MEASURES, RELATIONSHIPS)
            ]
    except* DaxFailed as failures:
        failed = next(_leaves(failures))
    if failed is None:
        return within(_model(*(one.result() for one in asked)), source.tables)
    if failed.kind == "query" and source.definition:
        return within(committed.read(source.definition), source.tables)
    raise failed


def _leaves(group: BaseExceptionGroup[DaxFailed]) -> Iterator[DaxFailed]:
    for one in group.exceptions:
        if isinstance(one, BaseExceptionGroup):
            yield from _leaves(one)
        else:
            yield one


_Rows = list[Mapping[str, Cell]]


async def _asked(query: Query, dax: str) -> _Rows:
    table = await query(dax)
    names = [name.rpartition("[")[2].rstrip("]") for name in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def _model(tables: _Rows, columns: _Rows, measures: _Rows, relationships: _Rows) -> Model:
    by_table: dict[str, list[Column]] = {_said(row, "Name"): [] for row in tables}
    for row in columns:
        if (listed := by_table.get(_said(row, "Table"))) is not None:
            listed.append(
                Column(
                    name=_said(row, "Name"),
                    type=_said(row, "DataType"),
                    description=_said(row, "Description"),
                )
            )
    about = {_said(row, "Name"): _said(row, "Description") for row in tables}
    return Model(
        tables=tuple(
            ModelTable(name=name, columns=tuple(found), description=about[name])
            for name, found in by_table.items()
        ),
        measures=tuple(
            Measure(
                table=_said(row, "Table"),
                name=_said(row, "Name"),
                expression=_said(row, "Expression"),
                format=_said(row, "FormatString"),
                description=_said(row, "Description"),
            )
            for row in measures
        ),
        relationships=tuple(_relationships(relationships)),
    )


def _relationships(rows: _Rows) -> Iterator[Relationship]:
    for row in rows:
        found = Relationship(
            table=_said(row, "FromTable"),
            column=_said(row, "FromColumn"),
            to_table=_said(row, "ToTable"),
            to_column=_said(row, "ToColumn"),
            is_active=row.get("IsActive") is not False,
        )
        # The engine keeps a row number for each table; nobody filters by it.
        if all((found.table, found.column, found.to_table, found.to_column)):
            yield found


def _said(row: Mapping[str, Cell], name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value)
