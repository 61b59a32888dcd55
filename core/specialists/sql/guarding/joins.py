"""Refuses queries whose tables are not joined: their rows multiply without a bound."""

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from core.specialists.sql.guard import Refused


def look(tree: exp.Expr) -> None:
    """`tree` with every column qualified. One pair of unjoined tables is let through; a part that
    has one row counts for none. Raises `Refused`."""
    for scope in traverse_scope(tree):
        if isinstance(scope.expression, exp.Select):
            _look_at(scope)


def _look_at(scope: Scope) -> None:
    groups = {name: name for name, source in scope.sources.items() if _can_be_many(source)}
    selected = {node.alias_or_name for node in _parts(scope.expression)}
    groups = {name: name for name in groups if name in selected}
    if len(groups) <= 2:
        return

    def root(name: str) -> str:
        while groups[name] != name:
            name = groups[name]
        return name

    for names in _linked(scope.expression):
        known = [root(name) for name in names if name in groups]
        for name in known[1:]:
            groups[name] = known[0]
    if len({root(name) for name in groups}) > 2:
        raise Refused("Several tables stand beside one another without a join condition.")


def _can_be_many(source: exp.Expr | Scope) -> bool:
    """Whether it may have more than one row: an aggregate without groups has one."""
    if isinstance(source, Scope):
        select = source.expression
        if isinstance(select, exp.Select):
            limit = select.args.get("limit")
            bound = limit.expression if isinstance(limit, exp.Limit) else None
            if isinstance(bound, exp.Literal) and bound.name == "1":
                return False
            if not select.args.get("from_"):
                return False
            is_whole = not select.args.get("group") and not select.args.get("distinct")
            if is_whole and select.expressions:
                return not all(_is_total(one) for one in select.expressions)
    return True


def _is_total(projection: exp.Expr) -> bool:
    return projection.find(exp.AggFunc) is not None and projection.find(exp.Window) is None


def _parts(select: exp.Expr) -> list[exp.Expr]:
    first = select.args.get("from_")
    parts = [first.this] if first else []
    return [*parts, *(join.this for join in select.args.get("joins") or ())]


def _linked(select: exp.Expr) -> list[set[str]]:
    """Names that a condition, or a part that reads from another one, ties together."""
    conditions = [join.args.get("on") for join in select.args.get("joins") or ()]
    where = select.args.get("where")
    conditions.append(where.this if where else None)
    links = [
        _names(one)
        for condition in conditions
        if condition is not None
        for one in condition.find_all(
            exp.EQ,
            exp.NullSafeEQ,
            exp.GT,
            exp.GTE,
            exp.LT,
            exp.LTE,
            exp.Between,
            exp.Like,
            exp.ILike,
        )
    ]
    for part in _parts(select):
        if isinstance(part, exp.Lateral | exp.Unnest | exp.Table):
            outer = _names(part)
            if isinstance(part, exp.Lateral) or outer:
                links.append({part.alias_or_name, *outer})
    return links


def _names(part: exp.Expr) -> set[str]:
    return {column.table for column in part.find_all(exp.Column) if column.table}
