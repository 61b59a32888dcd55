"""The server of posted spreadsheets: one tool, behind which the SQL specialist answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, ToolAnnotations

from core.errors import NeedsAccount, SourceFailed
from core.records import FileRef, PersonId, ThreadId
from core.specialists.errand import errand
from core.specialists.server import tags
from core.specialists.sheets.describing import remarks, source_of, whole
from core.specialists.sheets.preview import preview
from core.specialists.sheets.shelf import Shelf, Shelved, is_table_file
from core.specialists.sql.desk import Profiles
from core.specialists.sql.engine import Engine, engine_for
from core.specialists.sql.server import Open, Rooms, Wording, answered
from core.specialists.sql.source import Source
from core.specialists.sql.values import Values

NAME = "posted"
OPEN = 8
"""Threads whose tables are kept open."""
_DESCRIPTION = (
    "Look up rows and sums in the files with tables (csv, ods, xls and the like) that were posted"
    " in this thread. Takes a question in words: totals, counts, averages, lists, single rows. It"
    " reads the files itself and says what it left out or had to judge."
)


class Files(Protocol):
    """The host's way to the files of a thread."""

    async def of(self, thread: ThreadId) -> Sequence[FileRef]: ...

    async def fetch(self, file: FileRef, *, limit: int, person: PersonId) -> bytes:
        """See `core.ports.Surface.fetch`. Raises `SourceFailed` and `NeedsAccount`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheets:
    """One for the process."""

    shelf: Shelf
    files: Files
    rooms: Rooms
    opened: dict[Path, tuple[Engine, Profiles]] = field(
        default_factory=dict[Path, tuple[Engine, Profiles]]
    )
    """The tables that are open, the newest last."""

    async def ask_posted(self, question: Wording, call: Context[Any, Any]) -> CallToolResult:
        try:
            billing = errand(call.headers).billing
        except ValueError as fault:
            raise ToolError(f"{fault}.") from None
        shelved, faults = await self._read(billing.thread, billing.person, call)
        if shelved.database is None:
            raise ToolError(" ".join(faults) or "No spreadsheet was posted in this thread.")
        source = source_of(shelved, question)
        if not source.tables:
            # A source without tables would be one with everything in scope.
            raise ToolError("All sheets that were posted here are hidden; they have to be named.")
        one = await self._open(shelved, shelved.database, source)
        said = remarks(shelved, source, faults)
        if self.rooms.ask is None:
            return await preview(one, shelved, self.rooms)
        return await answered(one, self.rooms, question, call, said)

    async def _read(
        self, thread: ThreadId, person: PersonId, call: Context[Any, Any]
    ) -> tuple[Shelved, list[str]]:
        """Everything that was posted, and what is wrong with what could not be read."""
        shelved = self.shelf.of(thread)
        faults: list[str] = []
        for file in await self.files.of(thread):
            if not is_table_file(file) or file.id in shelved.known:
                continue
            await call.report_progress(0, None, f"reading {file.name}")
            try:
                limit = self.shelf.quota.file
                content = await self.files.fetch(file, limit=limit, person=person)
                shelved = await self.shelf.add(thread, file, content)
            except (SourceFailed, NeedsAccount) as fault:
                faults.append(str(fault))
        return shelved, faults

    async def _open(self, shelved: Shelved, database: Path, source: Source) -> Open:
        """The source with an engine, which stays for the next question to the same tables."""
        kept = self.opened.pop(database, None)
        engine, profiles = kept or (engine_for(whole(shelved)), Profiles())
        self.opened[database] = (engine, profiles)
        while len(self.opened) > OPEN:
            oldest, _ = self.opened.pop(next(iter(self.opened)))
            await oldest.close()
        values = Values(source, engine)
        return Open(source=source, engine=engine, values=values, profiles=profiles)


def sheet_server(sheets: Sheets) -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer(
        NAME, instructions="Answers from posted spreadsheets.", version="1", log_level="ERROR"
    )
    server.add_tool(
        sheets.ask_posted,
        description=_DESCRIPTION,
        annotations=ToolAnnotations(read_only_hint=True),
        meta=tags("connector:sheets"),
    )
    return server
