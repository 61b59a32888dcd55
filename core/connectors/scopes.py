"""The permissions that each reading tool of the office server uses."""

from core.records import Tool

SERVER = "office"
READING: dict[str, tuple[str, ...]] = {
    "search_mail": ("Mail.Read",),
    "read_mail": ("Mail.Read",),
    "list_events": ("Calendars.Read",),
    "find_free_time": ("Calendars.Read",),
    "search_files": ("Files.Read",),
    "read_file": ("Files.Read",),
    "find_people": ("User.ReadBasic.All",),
    "list_chats": ("Chat.ReadBasic",),
    "list_channels": ("Team.ReadBasic.All", "Channel.ReadBasic.All"),
}


def credentials_for(tool: Tool) -> tuple[str, ...]:
    """The permissions of the token that goes along as `authorization: Bearer …` when the tool is
    called; empty for a tool that takes none."""
    return READING.get(tool.name, ()) if tool.server == SERVER else ()
