"""Settles what each column of a qualified query is, and what the result's columns are called."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from core.specialists.sql.guard import Refused
from core.specialists.sql.schema import Relation
from core.specialists.sql.source import Dialect


def headings(tree: exp.Expr, dialect: Dialect) -> list[str]:
    """What the query calls the columns of its result, as the database would spell it."""
    first = _first_select(tree)
    return [_heading(one, dialect) for one in first.expressions] if first else []


def _heading(projection: exp.Expr, dialect: Dialect) -> str:
    name = projection.args.get("alias") if isinstance(projection, exp.Alias) else projection.this
    is_quoted = isinstance(name, exp.Identifier) and bool(name.args.get("quoted"))
    text = projection.alias_or_name
    return text.lower() if dialect == "postgres" and not is_quoted else text


def _first_select(tree: exp.Expr) -> exp.Select | None:
    node: object = tree
    while isinstance(node, exp.SetOperation | exp.Subquery):
        node = node.this
    return node if isinstance(node, exp.Select) else None


def refuse_rows(tree: exp.Expr) -> None:
    """A row as one value holds its hidden columns too. Raises `Refused`."""
    names = {one.alias_or_name for one in tree.find_all(exp.Table, exp.Subquery, exp.Lateral)}
    for node in tree.walk():
        is_row = isinstance(node, exp.Column) and isinstance(node.this, exp.Star)
        if is_row or type(node).__name__ == "TableColumn":
            raise Refused("A whole row is no value; name its columns.")
        if isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count):
            raise Refused("A star may stand for the columns of SELECT or in COUNT(*) alone.")
        if isinstance(node, exp.Column) and not node.table and node.name in names:
            raise Refused(f"{node.name} is a table: name its columns, or call the result else.")


def replace_aliases(tree: exp.Expr) -> None:
    """Put what it stands for in the place of a name that SELECT gives, but for a plain ORDER BY.

    Dialects differ in where such a name is seen. Where it is not, it would be a column of the
    table, which may be a hidden one. Raises `Refused` for a name that nothing gives.
    """
    for column in list(tree.find_all(exp.Column)):
        if column.table or column.find_ancestor(exp.Pivot):
            # PIVOT stands behind a query in brackets, whose columns are looked at by themselves.
            continue
        query = column.find_ancestor(exp.Select, exp.SetOperation)
        first = _first_select(query) if query else None
        given = {one.alias_or_name: one for one in first.expressions} if first else {}
        meant = given.get(column.name)
        if meant is None:
            raise Refused(f"There is no column {column.name} here.")
        if _is_plain(column, query):
            continue
        if isinstance(query, exp.SetOperation):
            raise Refused("The rows of UNION are ordered by the names of its columns alone.")
        value = meant.unalias()
        if value.find(exp.Column) is column or column in value.find_all(exp.Column):
            raise Refused(f"There is no column {column.name} here.")
        column.replace(exp.paren(value.copy(), copy=False))


def _is_plain(column: exp.Column, query: exp.Expr | None) -> bool:
    holder = column.parent
    if isinstance(holder, exp.Ordered):
        order = holder.parent
        return isinstance(order, exp.Order) and order.parent is query
    return isinstance(holder, exp.Tuple) and isinstance(holder.parent, exp.Distinct)


def spell(tree: exp.Expr, tables: Mapping[str, Relation]) -> dict[int, tuple[str, str]]:
    """Write tables and columns as the database does. By the node: which column of which relation
    it is. Raises `Refused` for a column of no table that is read."""
    origins: dict[int, tuple[str, str]] = {}
    settled = set[int]()
    pivots = {one.alias for one in tree.find_all(exp.Pivot)}
    for scope in traverse_scope(tree):
        for column in scope.columns:
            source = scope.sources.get(column.table)
            if source is None or _is_within(column, source):
                continue
            settled.add(id(column))
            relation = _relation(source, tables)
            known = relation.column(column.name) if relation else None
            if relation and not known:
                raise Refused(f"There is no column {column.name} in {relation.key}.")
            if relation and known:
                origins[id(column)] = (relation.key, known.name)
                column.set("this", exp.to_identifier(known.name, quoted=True))
    for column in tree.find_all(exp.Column):
        if column.table in ("", *pivots) or column.find_ancestor(exp.Pivot):
            continue
        if id(column) not in settled:
            raise Refused(f"There is no table {column.table} for the column {column.name}.")
    for table in tree.find_all(exp.Table):
        _spell_table(table, tables)
    return origins


def _is_within(column: exp.Column, source: exp.Expr | Scope) -> bool:
    """Whether the column stands in the very query that it is said to come from."""
    node: exp.Expr | None = column
    while isinstance(source, Scope) and node is not None:
        if node is source.expression:
            return True
        node = node.parent
    return False


def _relation(source: exp.Expr | Scope, tables: Mapping[str, Relation]) -> Relation | None:
    is_known = isinstance(source, exp.Table) and source.args.get("known")
    return tables.get(source.name) if isinstance(source, exp.Table) and is_known else None


def _spell_table(table: exp.Table, tables: Mapping[str, Relation]) -> None:
    relation = _relation(table, tables)
    table.args.pop("known", None)
    if relation is None:
        return
    table.set("this", exp.to_identifier(relation.name, quoted=True))
    for part, name in (("db", relation.schema), ("catalog", relation.catalog)):
        table.set(part, exp.to_identifier(name, quoted=True) if name else None)


def head(tree: exp.Expr, said: Sequence[str], origins: Mapping[int, tuple[str, str]]) -> None:
    """Give the result's columns the names that the query or the database has for them."""
    first = _first_select(tree)
    if first is None:
        return
    spelt = {one.casefold(): one for one in said}
    renamed: dict[str, str] = {}
    for projection in first.expressions:
        if isinstance(projection, exp.Alias):
            name = _name(projection, spelt, origins)
            if projection.alias.startswith("_col_"):
                name = next(one for one in _numbered(name) if one not in renamed.values())
            renamed[projection.alias] = name
            projection.set("alias", exp.to_identifier(name, quoted=True))
    top = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    for clause in (top.args.get("order"), first.args.get("distinct")):
        for column in clause.find_all(exp.Column) if clause else ():
            if not column.table and column.name in renamed:
                column.set("this", exp.to_identifier(renamed[column.name], quoted=True))


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}_{number}" for number in count(2))


def _name(
    projection: exp.Alias, spelt: Mapping[str, str], origins: Mapping[int, tuple[str, str]]
) -> str:
    value, alias = projection.this, projection.alias
    origin = origins.get(id(value))
    if origin and origin[1].casefold() == alias:
        return origin[1]
    if alias.startswith("_col_") and alias not in spelt:
        return value.sql_name().lower() if isinstance(value, exp.Func) else "value"
    return spelt.get(alias, alias)
