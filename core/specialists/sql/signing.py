"""Which permission a person's own sign-in to a source takes."""

from core.specialists.sql.source import Source

_AZURE_SQL = "https://database.windows.net/user_impersonation"
"""SQL Server with Entra sign-in, Azure SQL and the warehouses of Microsoft Fabric."""
_AZURE_DATABRICKS = "2ff814a6-3304-4ab8-85cb-cd0e6f879c1d/user_impersonation"
"""The application by which Entra knows Azure Databricks."""


def scopes_of(source: Source) -> tuple[str, ...]:
    """Empty for a source that has a login of its own, and for files."""
    if source.kind in ("mssql", "fabric") and not source.connection.get("user"):
        return (_AZURE_SQL,)
    if source.kind == "databricks" and not source.connection.get("token"):
        return (_AZURE_DATABRICKS,)
    return ()
