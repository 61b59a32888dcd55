"""Reads out of a query what it filters by."""

from collections.abc import Iterator, Mapping

from sqlglot import exp

from core.specialists.sql.guard import Filter
from core.specialists.sql.source import Dialect

_CONDITIONS = (
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Like, exp.ILike, exp.Between,
    exp.Is, exp.RegexpLike, exp.SimilarTo, exp.NullSafeEQ,
)  # fmt: skip


def filters(
    tree: exp.Expr, origins: Mapping[int, tuple[str, str]], dialect: Dialect
) -> tuple[Filter, ...]:
    """Each condition that compares one column with something that is no column."""
    found: dict[str, Filter] = {}
    for condition in _conditions(tree):
        columns = {id(one): one for one in condition.find_all(exp.Column)}
        if not columns or condition.find(exp.Select):
            continue
        names = {origins.get(key, ("", one.name)) for key, one in columns.items()}
        if len(names) != 1:
            continue
        relation, column = names.pop()
        text = _plain(condition, dialect)
        found[text] = Filter(
            column=f"{relation}.{column}" if relation else column,
            text=text,
            values=_values(condition),
        )
    return tuple(found.values())


def _conditions(tree: exp.Expr) -> Iterator[exp.Expr]:
    for clause in tree.find_all(exp.Where, exp.Having, exp.Join, exp.Filter, exp.Qualify):
        whole = clause.args.get("on") if isinstance(clause, exp.Join) else clause.args.get("this")
        if isinstance(clause, exp.Filter):
            where = clause.expression
            whole = where.this if isinstance(where, exp.Where) else where
        if isinstance(whole, exp.Expr):
            yield from _outermost(whole)


def _outermost(whole: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(whole, exp.Not) and isinstance(whole.this, _CONDITIONS):
        yield whole
    elif isinstance(whole, _CONDITIONS):
        yield whole
    elif isinstance(whole, exp.And | exp.Or | exp.Paren | exp.Not):
        for part in whole.iter_expressions():
            yield from _outermost(part)


def _values(condition: exp.Expr) -> tuple[str, ...]:
    """The texts that the column itself, or the column in lower or upper case, has to equal."""
    if not isinstance(condition, exp.EQ | exp.In | exp.NullSafeEQ):
        return ()
    sides = list(condition.iter_expressions())
    if not any(isinstance(_bare(one), exp.Column) for one in sides):
        return ()
    texts = [_bare(one) for one in sides]
    return tuple(one.name for one in texts if isinstance(one, exp.Literal) and one.is_string)


def _bare(side: exp.Expr) -> exp.Expr:
    while isinstance(side, exp.Lower | exp.Upper | exp.Trim | exp.Paren):
        side = side.this
    return side


def _plain(condition: exp.Expr, dialect: Dialect) -> str:
    copy = condition.copy()
    for name in copy.find_all(exp.Identifier):
        name.set("quoted", False)
    for column in copy.find_all(exp.Column):
        column.set("table", None)
    return copy.sql(dialect=dialect, comments=False)
