"""What stands in an admitted query: its limit, its sums over joins, its ideas of the present."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from core.specialists.sql.source import Dialect

if TYPE_CHECKING:
    from sqlglot import exp

_NOW = ("getdate", "sysdatetime", "now", "getutcdate", "localtimestamp")


@dataclass(frozen=True, slots=True)
class Join:
    """`left.column = right.column`, each relation by the name that the query gives its table."""

    left: str
    left_column: str
    right: str
    right_column: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Select:
    """One SELECT, also one inside another."""

    tables: dict[str, str]
    """Alias → the table's name as written."""
    joins: tuple[Join, ...]
    added: tuple[tuple[str, str, str], ...]
    """(function, alias, column) for each column inside SUM, AVG or COUNT, unless DISTINCT."""
    grouped: frozenset[str]
    """Columns that are grouped by or compared with something, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anatomy:
    limit: int | None
    """How many rows the query itself asks for."""
    reads_clock: bool
    selects: tuple[Select, ...]


def anatomy(sql: str, dialect: Dialect) -> Anatomy:
    """Of a statement that the guard wrote: it is known to parse."""
    import sqlglot
    from sqlglot import exp

    tree = sqlglot.parse_one(sql, dialect=dialect)
    return Anatomy(
        limit=_limit(tree),
        reads_clock=_reads_clock(tree),
        selects=tuple(_select(one) for one in tree.find_all(exp.Select)),
    )


def _limit(tree: "exp.Expr") -> int | None:
    from sqlglot import exp

    if not isinstance(tree, exp.Query):
        return None
    found = tree.args.get("limit")
    count = found.args.get("count") if isinstance(found, exp.Fetch) else None
    if isinstance(found, exp.Limit):
        count = found.expression
    if isinstance(count, exp.Paren):
        count = count.this
    is_number = isinstance(count, exp.Literal) and not count.is_string and count.name.isdigit()
    return int(count.name) if is_number and isinstance(count, exp.Literal) else None


def _reads_clock(tree: "exp.Expr") -> bool:
    from sqlglot import exp

    clocks = (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentTime, exp.CurrentDatetime)
    if tree.find(*clocks) is not None:
        return True
    if any(one.name.casefold() in _NOW for one in tree.find_all(exp.Anonymous)):
        return True
    return any(
        one.is_string
        and one.name.strip().casefold() in ("now", "today", "yesterday")
        and isinstance(one.parent, exp.Func | exp.Cast)
        for one in tree.find_all(exp.Literal)
    )


def _select(select: "exp.Select") -> Select:
    from sqlglot import exp

    tables: dict[str, str] = {}
    origin = cast("exp.Expr | None", select.args.get("from_") or select.args.get("from"))
    joined = cast("list[exp.Expr]", select.args.get("joins") or [])
    for part in [*([origin] if origin is not None else []), *joined]:
        table: object = part.this
        if isinstance(table, exp.Table):
            path = [piece.name for piece in (*table.parts,)]
            tables[table.alias_or_name] = ".".join(path)
    joins: list[Join] = []
    for part in joined:
        for equal in part.find_all(exp.EQ):
            left, right = cast("tuple[object, object]", (equal.this, equal.expression))
            if isinstance(left, exp.Column) and isinstance(right, exp.Column):
                joins.append(Join(left.table, left.name, right.table, right.name))
    where, group = select.args.get("where"), select.args.get("group")
    grouped = {
        column.name
        for part in (where, group)
        if isinstance(part, exp.Expr)
        for column in part.find_all(exp.Column)
    }
    return Select(
        tables=tables, joins=tuple(joins), added=_added(select), grouped=frozenset(grouped)
    )


def _added(select: "exp.Select") -> tuple[tuple[str, str, str], ...]:
    from sqlglot import exp

    found: list[tuple[str, str, str]] = []
    for result in select.expressions:
        for function in result.find_all(exp.Sum, exp.Avg, exp.Count):
            if isinstance(function.this, exp.Distinct):
                continue
            name = function.sql_name()
            found += [(name, column.table, column.name) for column in function.find_all(exp.Column)]
    return tuple(dict.fromkeys(found))
