"""What of a semantic model exists for one person: tables, columns, measures, relationships."""

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    name: str
    type: str = ""
    """The model's own word: `Text`, `Integer`, `DateTime`."""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    table: str
    name: str
    expression: str = ""
    """Its DAX; empty where the person may not see it."""
    format: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    name: str
    columns: tuple[Column, ...] = ()
    description: str = ""

    def column(self, name: str) -> Column | None:
        folded = name.casefold()
        return next((one for one in self.columns if one.name.casefold() == folded), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Relationship:
    """From the side of many rows to the side of one."""

    table: str
    column: str
    to_table: str
    to_column: str
    is_active: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    tables: tuple[Table, ...] = ()
    measures: tuple[Measure, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    refreshed: str = ""
    """When its data was last loaded, as the service says it: `2026-11-30T05:12:44Z`."""
    is_committed: bool = False
    """Read from the file that was committed beside the configuration: the service would not say."""

    def table(self, name: str) -> Table | None:
        folded = name.casefold()
        return next((one for one in self.tables if one.name.casefold() == folded), None)

    def measure(self, name: str) -> Measure | None:
        folded = name.casefold()
        return next((one for one in self.measures if one.name.casefold() == folded), None)


def within(model: Model, tables: Sequence[str]) -> Model:
    """The model cut down to these tables; all of it where none are named."""
    if not tables:
        return model
    kept = {name.casefold() for name in tables}
    return replace(
        model,
        tables=tuple(one for one in model.tables if one.name.casefold() in kept),
        measures=tuple(one for one in model.measures if one.table.casefold() in kept),
        relationships=tuple(
            one
            for one in model.relationships
            if one.table.casefold() in kept and one.to_table.casefold() in kept
        ),
    )
