"""Reads a query's text into the one statement that it holds."""

import logging
import unicodedata

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from core.specialists.sql.guard import Refused
from core.specialists.sql.guarding.allowed import ROOTS
from core.specialists.sql.source import Dialect

LONGEST = 20_000
"""Characters."""
DEEPEST = 60
"""Brackets within brackets."""

# It tells its readers on standard error what it does not understand; we refuse that.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)


def parsed(text: str, dialect: Dialect) -> exp.Expr:
    """Raises `Refused` for anything but one query."""
    _look_at(text)
    try:
        found = sqlglot.parse(text, dialect=dialect)
    except SqlglotError as error:
        raise Refused(f"This is not understood as SQL: {_first_line(error)}") from error
    except RecursionError as error:
        raise Refused("The query is nested too deeply.") from error
    statements = [one for one in found if one is not None and not isinstance(one, exp.Semicolon)]
    if len(statements) != 1:
        raise Refused(f"One query is wanted; this holds {len(statements)} statements.")
    tree = statements[0]
    if type(tree).__name__ not in ROOTS:
        raise Refused("Only a query that reads may run: it begins with SELECT or WITH.")
    return tree


def _look_at(text: str) -> None:
    if len(text) > LONGEST:
        raise Refused(f"The query is longer than {LONGEST} characters.")
    depth = 0
    for one in text:
        if one in "([{":
            depth += 1
        elif one in ")]}":
            depth -= 1
        if depth > DEEPEST:
            raise Refused("The query is nested too deeply.")
        if one not in "\n\r\t" and _is_odd(one):
            raise Refused(f"The character U+{ord(one):04X} is not taken in a query.")


def _is_odd(one: str) -> bool:
    category = unicodedata.category(one)
    return category in ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp") or (
        category == "Zs" and one != " "
    )


def _first_line(error: SqlglotError) -> str:
    first = str(error).partition("\n")[0]
    return first[:200].replace("\x1b[4m", "").replace("\x1b[0m", "")
