"""Resolves every name of a query to a table or column that exists for the asking person."""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from sqlglot import exp
from sqlglot.errors import OptimizeError, SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, traverse_scope

from core.specialists.sql.guard import Refused
from core.specialists.sql.schema import Relation, Schema
from core.specialists.sql.source import Dialect


@dataclass(frozen=True, slots=True)
class Resolved:
    tree: exp.Expression
    """Every column carries its table, no star is left but that of COUNT(*), names are quoted."""
    tables: tuple[Relation, ...]
    columns: frozenset[tuple[str, str]]
    """(key of the relation, column)"""
    origins: dict[int, tuple[str, str]] = field(default_factory=dict[int, tuple[str, str]])
    """By the id of a column's node: which column of which relation it is."""


def resolved(tree: exp.Expression, schema: Schema, dialect: Dialect) -> Resolved:
    """Raises `Refused`, with names that do exist where one does not."""
    _refuse_recursion(tree)
    headings = _headings(tree)
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
    except (SqlglotError, RecursionError, KeyError, AttributeError, TypeError) as error:
        raise Refused("The names of this query cannot be resolved; write it plainer.") from error
    _refuse_whole_rows(tree)
    origins = _spell(tree, tables)
    _name_columns(tree, headings, origins, dialect)
    return Resolved(
        tree,
        tuple(dict.fromkeys(tables.values())),
        frozenset(origins.values()),
        origins,
    )


def _refuse_recursion(tree: exp.Expression) -> None:
    for part in tree.find_all(exp.CTE):
        name = part.alias.lower()
        for table in part.this.find_all(exp.Table):
            if table.name.lower() == name and not table.args.get("db"):
                raise Refused(
                    f"WITH {part.alias} may not read {part.alias} itself; give it another name."
                )


def _headings(tree: exp.Expression) -> list[str]:
    """What the query calls the columns of its result, as it spells them."""
    first = _first_select(tree)
    return [one.alias_or_name for one in first.expressions] if first else []


def _first_select(tree: exp.Expression) -> exp.Select | None:
    node: object = tree
    while isinstance(node, exp.SetOperation | exp.Subquery):
        node = node.this
    return node if isinstance(node, exp.Select) else None


def _fold(tree: exp.Expression) -> None:
    """Names are looked up without regard to case; what they resolve to is spelt as the database
    spells it."""
    for name in tree.find_all(exp.Identifier):
        name.set("this", name.name.casefold())


def _tables(tree: exp.Expression, schema: Schema) -> dict[str, Relation]:
    """Give each table the key of its relation for a name. By that key: what is read."""
    seen = set[int]()
    found = dict[str, Relation]()
    try:
        scopes = traverse_scope(tree)
    except (SqlglotError, RecursionError, AttributeError) as error:
        raise Refused("The parts of this query cannot be told apart; write it plainer.") from error
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


def _drop_prefixes(tree: exp.Expression) -> None:
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
    columns = [f"{one.key}.{column.name}" for one in tables.values() for column in one.columns]
    near = _near(name, columns)
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


def _refuse_whole_rows(tree: exp.Expression) -> None:
    """A row as one value holds its hidden columns too."""
    for node in tree.walk():
        if type(node).__name__ == "TableColumn":
            raise Refused("A whole row is no value; name its columns.")
        if isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count):
            raise Refused("A star may stand for the columns of SELECT or in COUNT(*) alone.")
        if isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
            raise Refused("A whole row is no value; name its columns.")
    for scope in traverse_scope(tree):
        names = set(scope.sources)
        for column in scope.columns:
            if not column.table and column.name in names:
                raise Refused("A whole row is no value; name its columns.")


def _spell(tree: exp.Expression, tables: dict[str, Relation]) -> dict[int, tuple[str, str]]:
    """Write tables and columns as the database does. By the node: where each column comes from."""
    origins: dict[int, tuple[str, str]] = {}
    for scope, column in _columns(tree):
        source = scope.sources.get(column.table)
        relation = tables.get(source.name) if isinstance(source, exp.Table) else None
        known = relation.column(column.name) if relation else None
        if relation and known:
            origins[id(column)] = (relation.key, known.name)
            column.set("this", exp.to_identifier(known.name, quoted=True))
    for table in tree.find_all(exp.Table):
        relation = tables.get(table.name) if table.args.get("known") else None
        if relation:
            table.set("this", exp.to_identifier(relation.name, quoted=True))
            for part, name in (("db", relation.schema), ("catalog", relation.catalog)):
                table.set(part, exp.to_identifier(name, quoted=True) if name else None)
        table.args.pop("known", None)
    return origins


def _columns(tree: exp.Expression) -> Iterator[tuple[Scope, exp.Column]]:
    for scope in traverse_scope(tree):
        for column in scope.columns:
            yield scope, column


def _name_columns(
    tree: exp.Expression,
    headings: list[str],
    origins: dict[int, tuple[str, str]],
    dialect: Dialect,
) -> None:
    """Give the result's columns the names that the query or the database has for them."""
    first = _first_select(tree)
    if first is None:
        return
    spelt = {one.casefold(): one for one in headings if dialect != "postgres"}
    renamed: dict[str, str] = {}
    for projection in first.expressions:
        if not isinstance(projection, exp.Alias):
            continue
        name = spelt.get(projection.alias, projection.alias)
        origin = origins.get(id(projection.this))
        if origin and origin[1].casefold() == projection.alias:
            name = origin[1]
        renamed[projection.alias] = name
        projection.set("alias", exp.to_identifier(name, quoted=True))
    top = tree.this if isinstance(tree, exp.Subquery) else tree
    for part in ("group", "having", "qualify", "order"):
        clause = top.args.get(part)
        for column in clause.find_all(exp.Column) if clause else ():
            if not column.table and column.name in renamed:
                column.set("this", exp.to_identifier(renamed[column.name], quoted=True))
