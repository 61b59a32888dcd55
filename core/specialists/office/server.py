"""The office server: mail, calendar, files, people and chats as MCP tools."""

from collections.abc import Collection
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

from core.connectors.scopes import SERVER
from core.policy.tags import REQUIRES_APPROVAL
from core.specialists.office.calendar import CalendarReading
from core.specialists.office.files import FileReading
from core.specialists.office.mail import MailReading
from core.specialists.office.people import PeopleReading
from core.specialists.office.reader import Reader, telling
from core.specialists.office.writing import TOOLS
from core.specialists.server import tags

NAME = SERVER
_READS = ToolAnnotations(read_only_hint=True)


def office_server(reader: Reader | None, writing: Collection[str]) -> MCPServer[Any]:
    """The reading tools where `reader` is there, and those writing tools that have an effect:
    `writing` are the keys of `core.connectors.effects.effects`."""
    server: MCPServer[Any] = MCPServer(
        NAME,
        instructions="Mail, calendar, files, people and chats of the person who asks.",
        version="1",
        log_level="ERROR",
    )
    if reader is not None:
        mail, calendar = MailReading(reader), CalendarReading(reader)
        files, people = FileReading(reader), PeopleReading(reader)
        for tool, kind in (
            (mail.search_mail, "mail"),
            (mail.read_mail, "mail"),
            (calendar.list_events, "calendar"),
            (calendar.find_free_time, "calendar"),
            (files.search_files, "files"),
            (files.read_file, "files"),
            (people.find_people, "people"),
            (people.list_chats, "chat"),
            (people.list_channels, "chat"),
        ):
            meta = tags("connector:office", f"office:{kind}")
            server.add_tool(telling(tool), annotations=_READS, meta=meta)
    for tool in TOOLS:
        if f"{NAME}/{tool.__name__}" in writing:
            server.add_tool(tool, meta=tags("connector:office", REQUIRES_APPROVAL))
    return server
