"""The queries that describe a column, in each dialect; the guard admits them like any other."""

# ruff: noqa: S608 - the names are quoted, and what runs is what the guard writes, not this text.

from core.specialists.sql.schema import Relation
from core.specialists.sql.source import Dialect

COMMON = 10
"""Values that are shown with how often they occur."""


def counts(relation: Relation, column: str, dialect: Dialect) -> str:
    """Rows, filled ones, distinct values, the least and the greatest."""
    name = _quoted(column, dialect)
    return (
        f"SELECT COUNT(*), COUNT({name}), COUNT(DISTINCT {name}), MIN({name}), MAX({name}) "
        f"FROM {_path(relation, dialect)}"
    )


def common(relation: Relation, column: str, dialect: Dialect) -> str:
    name = _quoted(column, dialect)
    return (
        f"SELECT {_first(COMMON, dialect)}{name}, COUNT(*) FROM {_path(relation, dialect)} "
        f"WHERE {name} IS NOT NULL GROUP BY {name} ORDER BY COUNT(*) DESC, {name}"
        f"{_last(COMMON, dialect)}"
    )


def values(relation: Relation, column: str, dialect: Dialect) -> str:
    name = _quoted(column, dialect)
    return (
        f"SELECT DISTINCT {name} FROM {_path(relation, dialect)} "
        f"WHERE {name} IS NOT NULL ORDER BY {name}"
    )


def _first(count: int, dialect: Dialect) -> str:
    return f"TOP {count} " if dialect == "tsql" else ""


def _last(count: int, dialect: Dialect) -> str:
    return "" if dialect == "tsql" else f" LIMIT {count}"


def _path(relation: Relation, dialect: Dialect) -> str:
    return ".".join(_quoted(part, dialect) for part in relation.path)


def _quoted(name: str, dialect: Dialect) -> str:
    match dialect:
        case "tsql":
            return "[" + name.replace("]", "]]") + "]"
        case "databricks":
            return "`" + name.replace("`", "``") + "`"
        case _:
            return '"' + name.replace('"', '""') + '"'
