"""The way of a query through the guard, from the text that came to the text that may run."""

from sqlglot import exp
from sqlglot.errors import SqlglotError

from core.specialists.sql.guard import Admitted, Refused
from core.specialists.sql.guarding import joins, names, nodes
from core.specialists.sql.guarding.capped import capped
from core.specialists.sql.guarding.filters import filters
from core.specialists.sql.guarding.text import parsed
from core.specialists.sql.schema import Schema
from core.specialists.sql.source import Dialect

_SURPRISES = (
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What sqlglot raises over trees that it has read and did not expect."""


def admitted(text: str, schema: Schema, dialect: Dialect, row_cap: int) -> Admitted:
    """Raises `Refused`."""
    try:
        return _admitted(text, schema, dialect, row_cap)
    except (SqlglotError, *_SURPRISES) as error:
        # A tree of a shape that the steps do not expect is no query that they have understood.
        raise Refused("This query is not understood; write it plainer.") from error


def _admitted(text: str, schema: Schema, dialect: Dialect, row_cap: int) -> Admitted:
    tree = parsed(text, dialect)
    nodes.look(tree, dialect)
    found = names.resolved(tree, schema, dialect)
    nodes.look(found.tree, dialect)
    joins.look(found.tree)
    conditions = filters(found.tree, found.origins, dialect)
    has_order = bool(found.tree.args.get("order"))
    query = capped(found.tree, dialect, row_cap + 1)
    return Admitted(
        sql=_written(query, dialect),
        tables=tuple(one.key for one in found.tables),
        columns=tuple(sorted(f"{relation}.{column}" for relation, column in found.columns)),
        filters=conditions,
        row_cap=row_cap,
        has_order=has_order,
    )


def _written(query: exp.Expr, dialect: Dialect) -> str:
    """The query's text, which has to read as the same query again."""
    text = query.sql(dialect=dialect, comments=False)
    again = parsed(text, dialect)
    nodes.look(again, dialect)
    if again.sql(dialect=dialect, comments=False) != text:
        raise Refused("This query cannot be written down without doubt; write it plainer.")
    return text
