"""The process that opens a DuckDB file: it can be killed, and may have only so much memory.

Run by its path, with nothing of this project imported. One JSON object a line comes in, `{"sql": …,
"tables": …, "columns": …, "rows": …}` or `{"catalog": true}`, and one goes out.
"""

import json
import os
import resource
import sys
import threading
import time as clock
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

MIB = 1024 * 1024
BESIDE = 768
"""MiB of address space for what is no query: Python, DuckDB's code, threads' stacks."""

_TABLES = """
    SELECT t.schema_name, t.table_name, t.estimated_size, false, t.comment
    FROM duckdb_tables() t WHERE NOT t.internal AND t.database_name = current_database()
    UNION ALL
    SELECT v.schema_name, v.view_name, NULL, true, v.comment
    FROM duckdb_views() v WHERE NOT v.internal AND v.database_name = current_database()
    ORDER BY 1, 2
"""
_COLUMNS = """
    SELECT c.schema_name, c.table_name, c.column_name, c.data_type, c.comment
    FROM duckdb_columns() c WHERE NOT c.internal AND c.database_name = current_database()
    ORDER BY 1, 2, c.column_index
"""
_FILE = "the_file"
"""What the database file is called beside the views."""
_KEYS = """
    SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table,
        referenced_column_names
    FROM duckdb_constraints() WHERE constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY')
"""


def main() -> None:
    path, memory = sys.argv[1], int(sys.argv[2])
    for limit, value in (
        (resource.RLIMIT_AS, (memory + BESIDE) * MIB),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (value, value))
    threading.Thread(target=_follow, args=(os.getppid(),), daemon=True).start()
    import duckdb

    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Whatever a library prints must not stand between two answers.
    os.dup2(2, 1)
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            told = _told(duckdb, path, memory, asked)
        except duckdb.Error as error:
            told = {"failed": type(error).__name__, "text": str(error)[:1000]}
        except MemoryError:
            told = {"failed": "OutOfMemoryException", "text": "the query needs too much memory"}
        answers.write(json.dumps(told, ensure_ascii=True) + "\n")
        answers.flush()


def _follow(parent: int) -> None:
    """End with the process that asks, also in the middle of a query that would never end."""
    while os.getppid() == parent:
        clock.sleep(0.5)
    os._exit(1)


def _told(duckdb: Any, path: str, memory: int, asked: dict[str, Any]) -> dict[str, Any]:
    if asked.get("catalog"):
        with duckdb.connect(path, read_only=True, config=_config(memory)) as connection:
            connection.execute("SET enable_external_access = false")
            return {
                name: [list(map(_cell, row)) for row in connection.execute(sql).fetchall()]
                for name, sql in (("tables", _TABLES), ("columns", _COLUMNS), ("keys", _KEYS))
            }
    with duckdb.connect(config=_config(memory)) as connection:
        connection.execute(f"ATTACH {_text(path)} AS {_FILE} (READ_ONLY)")
        if fault := _second_opinion(duckdb, connection, asked):
            return {"failed": "PermissionException", "text": fault}
        _narrow(connection, asked["tables"], asked["columns"])
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        cursor = connection.execute(asked["sql"])
        rows = cursor.fetchmany(asked["rows"])
        return {
            "columns": [one[0] for one in cursor.description],
            "rows": [list(map(_cell, row)) for row in rows],
        }


def _config(memory: int) -> dict[str, str]:
    return {
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "allow_community_extensions": "false",
        "memory_limit": f"{memory}MB",
        "threads": "1",
        "temp_directory": "",
    }


def _second_opinion(duckdb: Any, connection: Any, asked: dict[str, Any]) -> str:
    """What DuckDB's own parser finds in the text that is no query or names another table. Asked
    before there are views: it would name what stands behind these."""
    statements = connection.extract_statements(asked["sql"])
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        return "this is not one query"
    named = connection.get_table_names(asked["sql"], qualified=True)
    others = {_bare(name) for name in named} - {table.casefold() for table in asked["tables"]}
    return f"{', '.join(sorted(others))} may not be read" if others else ""


def _narrow(connection: Any, tables: list[str], columns: list[str]) -> None:
    """DuckDB has no rights on columns: what a query names are views of the permitted ones, and of
    the file itself nothing else can be named."""
    for table in tables:
        schema, _, name = table.partition(".")
        held = [one.removeprefix(f"{table}.") for one in columns if one.startswith(f"{table}.")]
        listed = ", ".join(map(_name, filter(None, held))) or "NULL"
        place = f"{_name(schema)}.{_name(name)}"
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {_name(schema)}")
        # Names cannot be parameters; each is quoted.
        connection.execute(f"CREATE VIEW {place} AS SELECT {listed} FROM {_FILE}.{place}")  # noqa: S608


def _bare(name: str) -> str:
    """`main.sales AS s` without what it is called in the query."""
    return name.partition(" AS ")[0].replace('"', "").casefold()


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _cell(value: Any) -> Any:
    """JSON has neither decimals nor dates: these come as `[kind, text]`."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if value == value and abs(value) != float("inf") else ["float", str(value)]
        case Decimal():
            return ["decimal", str(value)]
        case datetime():
            return ["moment", value.isoformat()]
        case date():
            return ["date", value.isoformat()]
        case time():
            return ["time", value.isoformat()]
        case bytes():
            return ["bytes", value.hex()]
        case _:
            return ["json", json.dumps(value, default=str, ensure_ascii=False)]


if __name__ == "__main__":
    main()
