"""What the stand-in for a Databricks warehouse answers: its SQL, carried over to DuckDB."""

import re
import threading
from dataclasses import dataclass, field
from typing import Any

import duckdb
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

_TYPES = {
    "VARCHAR": "STRING",
    "INTEGER": "INT",
    "HUGEINT": "DECIMAL(38,0)",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMP",
}


class SparkError(Exception):
    """An error with its class and SQLSTATE, as the warehouse writes them."""

    def __init__(self, name: str, state: str, text: str) -> None:
        super().__init__(f"[{name}] {text} SQLSTATE: {state}")
        self.name = name
        self.state = state


@dataclass(slots=True)
class Statement:
    cursor: duckdb.DuckDBPyConnection
    columns: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    rows: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    error: SparkError | None = None
    is_over: bool = False
    given: int = 0
    """Rows that were fetched already."""


class Warehouse:
    """`setup` makes the tables, in DuckDB's dialect. `said` is what was asked, and by whom."""

    def __init__(self, setup: tuple[str, ...]) -> None:
        self._database = duckdb.connect(config={"threads": "1"})
        for statement in setup:
            self._database.execute(statement)
        self.said: list[tuple[str, str]] = []
        self.sessions: list[dict[str, str]] = []
        """The settings that each session was opened with."""
        self.cancelled = threading.Event()
        """A client has cancelled a statement."""
        self._lock = threading.Lock()

    def begin(self, sql: str, user: str) -> Statement:
        """Start a statement in a thread of its own; `is_over` says when it has ended."""
        with self._lock:
            self.said.append((user, sql))
            statement = Statement(self._database.cursor())
        working = threading.Thread(target=self._run, args=(statement, sql), daemon=True)
        working.start()
        working.join(0.2)
        return statement

    def _run(self, statement: Statement, sql: str) -> None:
        cursor = statement.cursor
        try:
            cursor.execute(_carried_over(sql))
            statement.rows = cursor.fetchall()
            statement.columns = [(str(one[0]), _type(str(one[1]))) for one in cursor.description]
        except SparkError as error:
            statement.error = error
        except duckdb.Error as error:
            statement.error = _as_the_warehouse_says(error)
        statement.is_over = True


def _type(kind: str) -> str:
    return _TYPES.get(kind, kind)


def _carried_over(sql: str) -> str:
    try:
        statements = [one for one in sqlglot.parse(sql, dialect="databricks") if one is not None]
    except SqlglotError as error:
        text = "Syntax error at or near the statement."
        raise SparkError("PARSE_SYNTAX_ERROR", "42601", text) from error
    if len(statements) != 1:
        raise SparkError("PARSE_SYNTAX_ERROR", "42601", "Syntax error at or near ';'.")

    def ours(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Table) and node.db.lower() == "information_schema":
            node.set("catalog", None)
        if isinstance(node, exp.Column) and node.name == "full_data_type":
            node.set("this", exp.to_identifier("data_type"))
        if isinstance(node, exp.Column) and node.name == "comment":
            return exp.null()
        return node

    return statements[0].transform(ours).sql(dialect="duckdb")


def _as_the_warehouse_says(error: duckdb.Error) -> SparkError:
    text = str(error)
    if isinstance(error, duckdb.InterruptException):
        return SparkError("QUERY_EXECUTION_CANCELLED", "HY008", "The query was cancelled.")
    if named := re.search(r"Table with name (\S+)", text):
        said = f"The table or view `{named[1]}` cannot be found."
        return SparkError("TABLE_OR_VIEW_NOT_FOUND", "42P01", said)
    if named := re.search(r"Function with name (\S+)", text):
        said = f"Cannot resolve routine `{named[1]}` on search path."
        return SparkError("UNRESOLVED_ROUTINE", "42883", said)
    if named := re.search(r'column "?([\w.]+)"? not found', text):
        offered = re.findall(r'"(\w+)"', text.partition("Candidate bindings:")[2])
        said = (
            f"A column with name `{named[1]}` cannot be resolved. Did you mean one of the "
            f"following? [{', '.join(f'`{one}`' for one in offered)}]."
        )
        return SparkError("UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", said)
    if isinstance(error, duckdb.ConversionException):
        return SparkError("CAST_INVALID_INPUT", "22018", "The value cannot be cast.")
    return SparkError("INTERNAL_ERROR", "XX000", text.partition("\n")[0])
