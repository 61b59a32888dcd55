"""Looks whether every part of a query is of a kind that only reads and of a bounded size."""

import re

from sqlglot import exp

from core.specialists.sql.guard import Refused
from core.specialists.sql.guarding import allowed
from core.specialists.sql.source import Dialect

MOST_NODES = 5_000
LONGEST_SERIES = 1_000_000
LONGEST_TEXT = 1_000
"""Characters that `repeat` and its like may be asked for."""


def look(tree: exp.Expr, dialect: Dialect) -> None:
    """Raises `Refused` at the first part that is not on the lists."""
    count = 0
    for node in tree.walk():
        count += 1
        if count > MOST_NODES:
            raise Refused("The query is too large.")
        _look_at_kind(node, dialect)
        _look_at_parts(node)
        if isinstance(node, exp.Table):
            _look_at_table(node, dialect)
        elif isinstance(node, exp.DataType):
            _look_at_type(node)
        elif isinstance(node, exp.Identifier):
            _look_at_name(node, dialect)
        elif isinstance(node, exp.Dot):
            _look_at_dot(node)
        elif isinstance(node, exp.Literal | exp.RawString):
            _look_at_text(node, dialect)
        elif isinstance(node, exp.Func):
            _look_at_size(node, dialect)


def called(node: exp.Expr) -> str:
    """The name that a function without a class of its own is called by, lower case."""
    name = node.this
    return str(name if isinstance(name, str) else name.name).lower()


def _look_at_kind(node: exp.Expr, dialect: Dialect) -> None:
    kind = type(node).__name__
    if isinstance(node, exp.Anonymous):
        name = called(node)
        is_table = isinstance(node.parent, exp.Table | exp.Lateral)
        if name in allowed.ANONYMOUS[dialect]:
            return
        if is_table and name in allowed.FROM_FUNCTIONS[dialect]:
            return
        raise Refused(f"The function {name} may not be used.")
    if kind in allowed.NODES or kind in allowed.FUNCTIONS:
        return
    if isinstance(node, exp.Func):
        raise Refused(f"The function {node.sql_name().lower()} may not be used.")
    raise Refused(f"{_in_words(kind)} may not stand in a query.")


def _in_words(kind: str) -> str:
    return "".join(f" {one.lower()}" if one.isupper() else one for one in kind).strip().capitalize()


def _look_at_parts(node: exp.Expr) -> None:
    parts = allowed.ARGUMENTS.get(type(node).__name__)
    if parts is None:
        return
    if isinstance(node, exp.Select) and not node.expressions:
        raise Refused("SELECT names at least one column.")
    for name, value in node.args.items():
        if value and name not in parts:
            what = f"{type(node).__name__} with {name.strip('_')}"
            raise Refused(f"{_in_words(what)} may not stand in a query.")


def _look_at_table(node: exp.Table, dialect: Dialect) -> None:
    if isinstance(node.this, exp.Func):
        name = called(node.this) if isinstance(node.this, exp.Anonymous) else ""
        name = name or node.this.sql_name().lower()
        if name not in allowed.FROM_FUNCTIONS[dialect]:
            raise Refused(f"The function {name} may not stand in FROM.")
    elif not isinstance(node.this, exp.Identifier):
        raise Refused("Only tables, views and queries may stand in FROM.")


def _look_at_type(node: exp.DataType) -> None:
    kind = node.this
    name = kind.value if isinstance(kind, exp.DataType.Type) else str(kind)
    if name not in allowed.TYPES:
        raise Refused(f"A cast to {node.sql().lower()} may not be used.")


def _look_at_name(node: exp.Identifier, dialect: Dialect) -> None:
    is_bare = dialect == "tsql" and not node.args.get("quoted")
    if is_bare and node.name.upper() in allowed.STATEMENT_WORDS:
        raise Refused(f"{node.name.upper()} begins a statement; as a name it stands in brackets.")


def _look_at_dot(node: exp.Dot) -> None:
    if not isinstance(node.expression, exp.Identifier):
        raise Refused("A function is called by its plain name.")


def _look_at_text(node: exp.Expr, dialect: Dialect) -> None:
    """Where a backslash escapes, a text with both is read in two ways, as the session is set."""
    if dialect == "databricks" and "\\" in node.name and ("'" in node.name or '"' in node.name):
        raise Refused("A text may not hold both a backslash and a quotation mark.")


def _look_at_size(node: exp.Expr, dialect: Dialect) -> None:
    kind = type(node).__name__
    name = called(node) if isinstance(node, exp.Anonymous) else ""
    if kind in allowed.SIZED:
        _look_at_length(node)
    if name in allowed.PRINTING or isinstance(node, exp.Format):
        _look_at_format(node)
    if kind in allowed.SERIES or name in allowed.SERIES_NAMES:
        for bound in node.iter_expressions():
            _look_at_bound(bound)


def _look_at_length(node: exp.Expr) -> None:
    if node.find_ancestor(exp.Repeat, exp.Pad, exp.Space):
        raise Refused("A text of a given length may not be made of another one.")
    for part in node.iter_expressions():
        if isinstance(part, exp.Literal):
            if not part.is_string and _number(part) > LONGEST_TEXT:
                raise Refused(f"A text may be filled up to {LONGEST_TEXT} characters.")
        elif not isinstance(part, exp.Column | exp.Cast):
            raise Refused("The length of a text is given as a number.")


def _look_at_format(node: exp.Expr) -> None:
    parts = list(node.iter_expressions())
    for text in (one.name for one in parts if isinstance(one, exp.Literal) and one.is_string):
        if "*" in text or re.search(r"\d{4}", text):
            raise Refused("A format says no more than 999 places.")
    if not any(isinstance(one, exp.Literal) for one in parts):
        raise Refused("A format is given as a text.")


def _look_at_bound(bound: exp.Expr) -> None:
    """A series may run over dates and small numbers."""
    if bound.find(exp.Mul, exp.Pow, exp.Exp):
        raise Refused("The ends of a series are numbers or dates, without products.")
    for literal in bound.find_all(exp.Literal):
        if _number(literal) > LONGEST_SERIES:
            raise Refused(f"A series may have up to {LONGEST_SERIES} numbers.")


def _number(literal: exp.Literal) -> float:
    try:
        return abs(float(literal.name))
    except ValueError:
        return 0.0
