"""Bounds how many rows a query may give, in the query itself where its dialect lets it."""

from sqlglot import exp

from core.specialists.sql.guard import Refused
from core.specialists.sql.source import Dialect

NAME = "capped"


def capped(tree: exp.Expr, dialect: Dialect, most: int) -> exp.Expr:
    """The query with at most `most` rows. What it says itself stands where it is less."""
    query = tree
    if isinstance(query, exp.Subquery) and not _own(query):
        query = query.unnest()
    if not isinstance(query, exp.Select | exp.SetOperation):
        return _around(query, most)
    limit = query.args.get("limit")
    offset = query.args.get("offset")
    if limit is None and not offset:
        if dialect == "tsql" and isinstance(query, exp.SetOperation):
            return _around_ordered(query, most)
        return query.limit(most, copy=False)
    if _is_within(limit, most):
        return query
    bound = _bound(limit)
    if limit is not None and bound is not None and not _is_open(limit):
        count = "count" if isinstance(limit, exp.Fetch) else "expression"
        limit.set(count, exp.Literal.number(most))
        return query
    if dialect == "tsql":
        if limit is None:
            query.set("limit", exp.Fetch(direction="FIRST", count=exp.Literal.number(most)))
            return query
        raise Refused("TOP and FETCH are given as a number of rows, without PERCENT and WITH TIES.")
    return _around(query, most)


def _own(query: exp.Subquery) -> bool:
    return any(query.args.get(part) for part in ("order", "limit", "offset", "with_", "joins"))


def _bound(limit: object) -> int | None:
    count = limit.expression if isinstance(limit, exp.Limit) else None
    if isinstance(limit, exp.Fetch):
        count = limit.args.get("count")
    if isinstance(count, exp.Paren):
        count = count.this
    if isinstance(count, exp.Literal) and not count.is_string and count.name.isdigit():
        return int(count.name)
    return None


def _is_within(limit: object, most: int) -> bool:
    bound = _bound(limit)
    return bound is not None and bound <= most and not _is_open(limit)


def _is_open(limit: object) -> bool:
    """The number is a share, or not the last word."""
    options = limit.args.get("limit_options") if isinstance(limit, exp.Expr) else None
    return options is not None and bool(
        options.args.get("percent") or options.args.get("with_ties")
    )


def _around(query: exp.Expr, most: int) -> exp.Select:
    inner = query if isinstance(query, exp.Subquery) else exp.Subquery(this=query)
    inner.set("alias", exp.TableAlias(this=exp.to_identifier(NAME, quoted=True)))
    return exp.Select(expressions=[exp.Star()]).from_(inner, copy=False).limit(most, copy=False)


def _around_ordered(query: exp.SetOperation, most: int) -> exp.Select:
    """T-SQL takes no ORDER BY in a part of a query, and an outer one names the same columns."""
    order = query.args.get("order")
    query.set("order", None)
    outer = _around(query, most)
    outer.set("order", order)
    return outer
