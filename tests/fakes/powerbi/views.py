"""What the stand-in says of a model itself: the INFO.VIEW functions."""

from typing import Any

from tests.fakes.powerbi.grammar import DaxError

TYPES = {"VARCHAR": "Text", "INTEGER": "Integer", "BIGINT": "Integer", "DATE": "DateTime"}


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def text(value: object) -> str:
    return "NULL" if value is None else "'" + str(value).replace("'", "''") + "'"


def view(model: Any, name: str) -> tuple[str, list[str]]:
    """The SQL of `INFO.VIEW.…` and its columns. Raises DaxError for the other INFO functions."""
    found = model.db.execute(
        "SELECT table_name, column_name, data_type FROM information_schema.columns"
    ).fetchall()
    types = {(table, column): kind for table, column, kind in found}
    views: dict[str, tuple[list[str], list[tuple[Any, ...]]]] = {
        "INFO.VIEW.TABLES": (
            ["Name", "Description", "IsHidden"],
            [(one, None, one in model.hidden) for one in model.tables],
        ),
        "INFO.VIEW.COLUMNS": (
            ["Table", "Name", "DataType", "IsHidden"],
            [
                (
                    table,
                    column,
                    TYPES.get(types.get((table, column), ""), "Decimal"),
                    f"{table}[{column}]" in model.hidden,
                )
                for table, columns in model.tables.items()
                for column in columns
            ],
        ),
        "INFO.VIEW.MEASURES": (
            ["Table", "Name", "Expression", "IsHidden"],
            [(t, name, dax, name in model.hidden) for name, (t, dax) in model.measures.items()],
        ),
        "INFO.VIEW.RELATIONSHIPS": (
            ["FromTable", "FromColumn", "ToTable", "ToColumn", "IsActive"],
            [(*one, True) for one in model.relationships],
        ),
    }
    if name not in views:
        raise DaxError("Failed to execute the DAX query.", 3239575574)
    names, rows = views[name]
    titles = [f"[{one}]" for one in names]

    def said(value: object) -> str:
        return str(value).upper() if isinstance(value, bool) else text(value)

    selects = [
        "SELECT " + ", ".join(f"{said(v)} AS {quoted(t)}" for v, t in zip(row, titles, strict=True))
        for row in rows
    ]
    return " UNION ALL ".join(selects), titles
