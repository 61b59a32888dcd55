"""Shows what posted sheets hold where there is no model that could ask them anything."""

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent

from core.specialists.sheets.describing import place
from core.specialists.sheets.shelf import Shelved
from core.specialists.sql import result
from core.specialists.sql.engine import QueryFailed
from core.specialists.sql.guard import Refused, admit
from core.specialists.sql.result import Brought, Query
from core.specialists.sql.schema import within
from core.specialists.sql.server import Open, Rooms
from core.times import local

ROWS = 20
SAID = "The demo model writes no SQL, so this shows the rows and works nothing out."


async def preview(one: Open, shelved: Shelved, rooms: Rooms) -> CallToolResult:
    """The first rows of the first table, with what the files hold besides. Raises ToolError."""
    shown = next(table for table in shelved.tables if not table.is_hidden)
    name = shown.name.replace('"', '""')
    try:
        schema = within(await one.engine.schema(""), one.source)
        # A name of ours, quoted, and the guard reads the whole statement.
        admitted = admit(f'SELECT * FROM "{name}"', schema, one.source, ROWS)  # noqa: S608
        rows = await one.engine.run(admitted, "", rooms.seconds)
    except (QueryFailed, Refused) as failure:
        raise ToolError(str(failure)) from None
    others = [table for table in shelved.tables if table.name != shown.name]
    notes = [SAID, *shown.notes]
    notes += [f"There is also {place(table)} with {table.rows} rows." for table in others]
    brought = Brought(
        title=shown.title or place(shown),
        rows=rows,
        query=Query(
            source=one.source.title,
            sql=admitted.sql,
            tables=admitted.tables,
            filters=(),
            rows=len(rows.rows),
            is_complete=not rows.is_truncated,
            time_zone="UTC",
            as_of=f"{local(rooms.clock(), 'UTC'):%Y-%m-%d %H:%M} UTC",
            seconds=rows.seconds,
            notes=tuple(notes),
        ),
    )
    return CallToolResult(
        content=[TextContent(text=result.text(brought))],
        structured_content=result.structured(brought),
    )
