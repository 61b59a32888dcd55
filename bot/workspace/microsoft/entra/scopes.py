"""Delegated permissions: how they are written, what they mean, who may grant them."""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.workspace.microsoft.entra.failures import BAD_SCOPE, TWO_RESOURCES, said

GRAPH = "https://graph.microsoft.com"
GRAPH_APP = "00000003-0000-0000-c000-000000000000"
POWER_BI = "https://analysis.windows.net/powerbi/api"
AZURE_SQL = "https://database.windows.net"
"""SQL Server, Azure SQL and the warehouses of Fabric."""
DATABRICKS = "2ff814a6-3304-4ab8-85cb-cd0e6f879c1d"
"""The application of Azure Databricks."""
RESOURCES = (GRAPH, POWER_BI, AZURE_SQL, DATABRICKS)
OPENID = ("openid", "profile", "email", "offline_access")
DEFAULT = ".default"

MEANINGS: dict[str, str] = {
    "User.Read": "Sign you in and read your profile",
    "User.ReadBasic.All": "Read all users' basic profiles",
    "User.RevokeSessions.All": "Revoke your sign-in sessions",
    "People.Read": "Read your relevant people list",
    "Mail.ReadBasic": "Read your basic mail",
    "Mail.Read": "Read your mail",
    "Mail.ReadWrite": "Read and write access to your mail",
    "Mail.Send": "Send mail as you",
    "Mail.Read.Shared": "Read your and shared mail",
    "Mail.ReadWrite.Shared": "Read and write your and shared mail",
    "Mail.Send.Shared": "Send mail on behalf of others",
    "MailboxSettings.Read": "Read your mailbox settings",
    "Calendars.Read": "Read your calendars",
    "Calendars.ReadBasic": "Read basic details of your calendars",
    "Calendars.ReadWrite": "Have full access to your calendars",
    "Calendars.Read.Shared": "Read calendars you can access",
    "Calendars.ReadWrite.Shared": "Read and write to your and shared calendars",
    "Files.Read": "Read your files",
    "Files.Read.All": "Read all files that you have access to",
    "Files.ReadWrite": "Have full access to your files",
    "Files.ReadWrite.All": "Have full access to all files you have access to",
    "Sites.Read.All": "Read items in all site collections",
    "Sites.ReadWrite.All": "Edit or delete items in all site collections",
    "Sites.Selected": "Access selected site collections",
    "Chat.Create": "Create chats",
    "Chat.ReadBasic": "Read names and members of your chat threads",
    "Chat.Read": "Read your chat messages",
    "Chat.ReadWrite": "Read and write your chat messages",
    "ChatMessage.Send": "Send chat messages",
    "ChatMessage.Read": "Read your chat messages",
    "ChannelMessage.Send": "Send channel messages",
    "ChannelMessage.Read.All": "Read your channel messages",
    "Channel.ReadBasic.All": "Read the names and descriptions of channels",
    "Team.ReadBasic.All": "Read the names and descriptions of teams",
    "Directory.AccessAsUser.All": "Access the directory as you",
    "Dataset.Read.All": "View all datasets in Power BI",
    "user_impersonation": "Ask its databases as you",
}
ADMIN_ONLY = frozenset({"ChannelMessage.Read.All", "Sites.Selected", "Directory.AccessAsUser.All"})
"""Only an administrator may grant these."""
KEPT = "Maintain access to data you have given it access to"
"""What the page says for offline_access."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The scopes of one request."""

    openid: tuple[str, ...]
    resources: dict[str, frozenset[str]]
    """Per resource, the short names; `.default` alone means whatever has been granted."""
    is_long: bool
    """Graph's scopes were written with the resource, and are answered so."""

    @property
    def is_offline(self) -> bool:
        return "offline_access" in self.openid


def read(text: str) -> Asked:
    """Raises Refused for a scope that does not exist."""
    openid: list[str] = []
    found: dict[str, set[str]] = {}
    is_long = False
    for word in text.split():
        if word in OPENID:
            openid.append(word)
            continue
        resource, short = _split(word)
        is_long = is_long or word.startswith(GRAPH)
        if short != DEFAULT and short not in MEANINGS:
            raise said(BAD_SCOPE, name=word)
        found.setdefault(resource, set()).add(short)
    return Asked(
        openid=tuple(openid),
        resources={resource: frozenset(names) for resource, names in found.items()},
        is_long=is_long,
    )


def _split(word: str) -> tuple[str, str]:
    """Resource and short name; a bare name belongs to Graph."""
    for resource in RESOURCES:
        if word.startswith(f"{resource}/"):
            return resource, word.removeprefix(f"{resource}/").lstrip("/")
    return GRAPH, word


def of_one_resource(asked: Asked) -> tuple[str, frozenset[str]]:
    """A token is for one resource. Raises Refused for two."""
    if len(asked.resources) > 1:
        raise said(TWO_RESOURCES, name=" ".join(sorted(asked.resources)))
    return next(iter(asked.resources.items()), (GRAPH, frozenset[str]()))


def written(resource: str, names: Iterable[str], asked: Asked) -> str:
    """The `scope` of a token answer, written as it was asked for."""
    is_long = asked.is_long or resource != GRAPH
    words = [f"{resource}/{name}" if is_long else name for name in sorted(names)]
    return " ".join([*words, *(word for word in asked.openid if word != "offline_access")])
