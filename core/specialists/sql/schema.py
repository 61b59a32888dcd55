"""What of a source exists for one person: tables, their columns, the types of these."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.specialists.sql.source import Source, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    name: str
    """Spelt as the database spells it."""
    type: str
    """The database's own word: `numeric(10,2)`."""
    comment: str = ""
    is_key: bool = False
    """Part of the primary key."""
    references: str = ""
    """`customers.id` for a foreign key, where the database knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A table or a view."""

    name: str
    schema: str = ""
    catalog: str = ""
    columns: tuple[Column, ...] = ()
    comment: str = ""
    rows: int | None = None
    """About how many, where the database estimates it."""
    is_view: bool = False

    @property
    def path(self) -> tuple[str, ...]:
        """Catalog, schema and name, as far as there are such."""
        return tuple(part for part in (self.catalog, self.schema, self.name) if part)

    @property
    def key(self) -> str:
        """`sales.orders`: unique within a schema."""
        return ".".join(self.path)

    def column(self, name: str) -> Column | None:
        folded = name.casefold()
        return next((one for one in self.columns if one.name.casefold() == folded), None)


@dataclass(frozen=True, slots=True)
class Schema:
    relations: tuple[Relation, ...] = ()
    default: str = ""
    """The schema in which the database looks for a table that is named without one."""

    def named(self, name: str) -> tuple[Relation, ...]:
        """The relations that `orders`, `sales.orders` or `corp.sales.orders` may mean. Without
        a schema it is the default schema's relation, where there is one."""
        wanted = tuple(part.casefold() for part in name.split("."))
        found = [one for one in self.relations if _ends(one, wanted)]
        if len(found) > 1 and len(wanted) == 1:
            at_home = [one for one in found if one.schema.casefold() == self.default.casefold()]
            found = at_home or found
        return tuple(found)

    def __iter__(self) -> Iterator[Relation]:
        return iter(self.relations)


def _ends(relation: Relation, wanted: tuple[str, ...]) -> bool:
    path = tuple(part.casefold() for part in relation.path)
    return path[-len(wanted) :] == wanted


def within(found: Schema, source: Source) -> Schema:
    """What of `found`, which the person may see, is in the source's scope, with the operator's
    descriptions in the place of comments. A table that the scope names and the person may not see
    is not there."""
    if not source.tables:
        return found
    kept: dict[str, Relation] = {}
    for table in source.tables:
        for relation in found.named(table.name):
            kept[relation.key] = _narrowed(relation, table)
    return replace(found, relations=tuple(kept.values()))


def _narrowed(relation: Relation, table: Table) -> Relation:
    hidden = {name.casefold() for name in table.hidden}
    said = {name.casefold(): text for name, text in table.columns.items()}
    columns = tuple(
        replace(column, comment=said.get(column.name.casefold()) or column.comment)
        for column in relation.columns
        if column.name.casefold() not in hidden
    )
    return replace(relation, columns=columns, comment=table.description or relation.comment)
