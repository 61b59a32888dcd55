"""What the stand-in for SQL Server answers: T-SQL, carried over to DuckDB."""

import re
import threading
from dataclasses import dataclass, field
from typing import Any

import duckdb
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError


class SqlError(Exception):
    """An error of SQL Server's, with its number."""

    def __init__(self, number: int, message: str, severity: int = 16) -> None:
        super().__init__(message)
        self.number = number
        self.severity = severity


class Cancelled(Exception):
    """The client sent an attention."""


@dataclass(frozen=True, slots=True)
class Result:
    columns: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    rows: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])


class Answers:
    """`setup` makes the tables, in DuckDB's dialect. `said` is what was asked, and by whom."""

    def __init__(self, setup: tuple[str, ...]) -> None:
        self._database = duckdb.connect(config={"threads": "1"})
        for statement in setup:
            self._database.execute(statement)
        self.said: list[tuple[str, str]] = []
        self.stopped = threading.Event()
        """A statement was stopped before its end."""
        self._lock = threading.Lock()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        return self._database.cursor()

    def answer(self, sql: str, user: str, cursor: duckdb.DuckDBPyConnection) -> Result:
        """Raises SqlError or Cancelled."""
        with self._lock:
            self.said.append((user, sql))
        if re.match(r"\s*(SET|USE|BEGIN TRAN|COMMIT|ROLLBACK|IF @@TRANCOUNT)\b", sql, re.I):
            return Result()
        try:
            cursor.execute(_carried_over(sql, user))
            rows = cursor.fetchall()
        except duckdb.InterruptException as error:
            self.stopped.set()
            raise Cancelled from error
        except duckdb.Error as error:
            raise _as_the_server_says(error) from error
        columns = [(str(one[0]), str(one[1])) for one in cursor.description or ()]
        return Result(columns, rows)


def _carried_over(sql: str, user: str) -> str:
    try:
        statements = [one for one in sqlglot.parse(sql, dialect="tsql") if one is not None]
    except SqlglotError as error:
        raise SqlError(102, "Incorrect syntax near the statement.", 15) from error
    if len(statements) != 1:
        raise SqlError(102, "Incorrect syntax near ';'.", 15)

    def ours(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Table) and node.db.lower() == "dbo":
            node.set("db", exp.to_identifier("main"))
        if isinstance(node, exp.CurrentUser):
            return exp.Literal.string(user)
        return node

    return statements[0].transform(ours).sql(dialect="duckdb")


def _as_the_server_says(error: duckdb.Error) -> SqlError:
    text = str(error)
    if named := re.search(r"Table with name (\S+)", text):
        return SqlError(208, f"Invalid object name '{named[1]}'.")
    if named := re.search(r"Function with name (\S+)", text):
        return SqlError(195, f"'{named[1]}' is not a recognized built-in function name.", 15)
    if named := re.search(r'column "?([\w.]+)"? not found', text):
        return SqlError(207, f"Invalid column name '{named[1]}'.")
    if isinstance(error, duckdb.ConversionException):
        return SqlError(245, "Conversion failed when converting the varchar value to int.")
    return SqlError(50000, text.partition("\n")[0])
