"""Resolves every name of a query to a table or column that exists for the asking person."""

import difflib
import re
from dataclasses import dataclass, field
from typing import cast

from sqlglot import exp
from sqlglot.errors import OptimizeError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import traverse_scope

from core.specialists.sql.guard import Refused
from core.specialists.sql.guarding import columns
from core.specialists.sql.schema import Relation, Schema
from core.specialists.sql.source import Dialect

MOST_GROWTH = 2_000


@dataclass(frozen=True, slots=True)
class Resolved:
    tree: exp.Expr
    """Every column carries its table, no star is left but that of COUNT(*), names are quoted."""
    tables: tuple[Relation, ...]
    columns: frozenset[tuple[str, str]]
    """(key of the relation, column)"""
    origins: dict[int, tuple[str, str]] = field(default_factory=dict[int, tuple[str, str]])
    """By the id of a column's node: which column of which relation it is."""


def resolved(tree: exp.Expr, schema: Schema, dialect: Dialect) -> Resolved:
    """Raises `Refused`, with names that do exist where one does not."""
    _refuse_recursion(tree)
    _refuse_doubling(tree)
    headings = columns.headings(tree, dialect)
    _fold(tree)
    tables = _tables(tree, schema)
    try:
        tree = qualify(
            tree,
            dialect=dialect,
            schema=cast("dict[str, object]", _shapes(tables)),
            validate_qualify_columns=True,
            quote_identifiers=True,
        )
    except OptimizeError as error:
        raise _unknown(str(error), tables) from error
    columns.refuse_rows(tree)
    columns.replace_aliases(tree)
    origins = columns.spell(tree, tables)
    columns.head(tree, headings, origins)
    return Resolved(
        tree,
        tuple(dict.fromkeys(tables.values())),
        frozenset(origins.values()),
        origins,
    )


def _refuse_recursion(tree: exp.Expr) -> None:
    for part in tree.find_all(exp.CTE):
        name = part.alias.lower()
        for table in part.this.find_all(exp.Table):
            if table.name.lower() == name and not table.args.get("db"):
                raise Refused(
                    f"WITH {part.alias} may not read {part.alias} itself; give it another name."
                )


def _refuse_doubling(tree: exp.Expr) -> None:
    """A column may be written with those before it; each time, the query grows by what they are."""
    for select in tree.find_all(exp.Select):
        sizes: dict[str, int] = {}
        for projection in select.expressions:
            used = [one.name for one in projection.find_all(exp.Column) if not one.table]
            sizes[projection.alias_or_name] = 1 + sum(sizes.get(one, 0) for one in used)
        if sum(sizes.values()) > MOST_GROWTH:
            raise Refused("The columns are built upon one another too often.")


def _fold(tree: exp.Expr) -> None:
    """Names are looked up without regard to case; what they resolve to is spelt as the database
    spells it."""
    for name in tree.find_all(exp.Identifier):
        name.set("this", name.name.casefold())


def _tables(tree: exp.Expr, schema: Schema) -> dict[str, Relation]:
    """Give each table the key of its relation for a name. By that key: what is read."""
    seen = set[int]()
    found = dict[str, Relation]()
    scopes = traverse_scope(tree)
    _drop_prefixes(tree)
    for scope in scopes:
        seen.update(id(table) for table in scope.tables)
        for source in scope.sources.values():
            if not isinstance(source, exp.Table) or isinstance(source.this, exp.Func):
                continue
            if id(source) in seen and source.args.get("known"):
                continue
            relation = _relation(source, schema)
            found[relation.key.casefold()] = relation
            _rename(source, relation.key.casefold())
    for table in tree.find_all(exp.Table):
        if id(table) not in seen:
            raise Refused(f"{table.name} may not be read from there.")
    return found


def _drop_prefixes(tree: exp.Expr) -> None:
    """`public.orders.amount` says no more than `orders.amount`: a table is looked up in FROM."""
    names = {table.alias_or_name for table in tree.find_all(exp.Table)}
    for column in tree.find_all(exp.Column):
        if column.table in names and column.text("db") not in names:
            column.set("db", None)
            column.set("catalog", None)


def _relation(table: exp.Table, schema: Schema) -> Relation:
    name = ".".join(part.name for part in table.parts)
    found = schema.named(name)
    if len(found) == 1:
        return found[0]
    if found:
        names = tuple(one.key for one in found)
        raise Refused(f"{name} is not clear: there are {' and '.join(names)}.", names)
    near = _near(name, [one.key for one in schema])
    raise Refused(f"There is no table {name} here.{_meant(near)}", near)


def _rename(table: exp.Table, key: str) -> None:
    if table.alias_column_names:
        # They count a table's columns as they stand in the database, the hidden ones included.
        raise Refused(f"The columns of {table.name} may not be renamed in FROM; use AS in SELECT.")
    if not table.alias:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)))
    table.set("this", exp.to_identifier(key, quoted=True))
    table.set("db", None)
    table.set("catalog", None)
    table.set("known", True)


def _shapes(tables: dict[str, Relation]) -> dict[str, dict[str, exp.DataType]]:
    unknown = exp.DataType(this=exp.DataType.Type.UNKNOWN)
    return {
        f'"{key}"': {f'"{column.name.casefold()}"': unknown for column in relation.columns}
        for key, relation in tables.items()
    }


_NAMED = re.compile(r"[Cc]olumn:? ['\"]?([^'\"\s]+)['\"]?|table:? ['\"]?([^'\"\s]+)['\"]?")


def _unknown(message: str, tables: dict[str, Relation]) -> Refused:
    match = _NAMED.search(message)
    name = (match[1] or match[2]).strip('"`[]').rpartition(".")[2] if match else ""
    if "mbiguous" in message:
        holders = [one.key for one in tables.values() if one.column(name)]
        names = tuple(f"{holder}.{name}" for holder in holders)
        return Refused(f"The column {name} is not clear: say of which table.", names)
    known = [f"{one.key}.{column.name}" for one in tables.values() for column in one.columns]
    near = _near(name, known)
    if not name:
        return Refused("A name in this query cannot be resolved.", near)
    return Refused(f"There is no column {name} here.{_meant(near)}", near)


def _near(name: str, known: list[str]) -> tuple[str, ...]:
    """Up to five known names like this one, compared by their last part."""
    last = name.rpartition(".")[2].casefold()
    by_last: dict[str, list[str]] = {}
    for one in known:
        by_last.setdefault(one.rpartition(".")[2].casefold(), []).append(one)
    near = difflib.get_close_matches(last, list(by_last), 5, 0.5)
    near += [one for one in by_last if last and last in one and one not in near]
    return tuple(one for each in near for one in by_last[each])[:5]


def _meant(near: tuple[str, ...]) -> str:
    return f" There is {', '.join(near)}." if near else ""
