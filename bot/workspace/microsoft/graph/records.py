"""What Graph keeps: mails, events, files, chats."""

import secrets
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.workspace.microsoft.records import Account, Json

FOLDERS = {
    "inbox": "Inbox",
    "drafts": "Drafts",
    "outbox": "Outbox",
    "sentitems": "Sent Items",
    "deleteditems": "Deleted Items",
    "archive": "Archive",
}


def new_id() -> str:
    """Of an item as Graph shows it; changes when the item moves."""
    return f"AAMkAD{secrets.token_urlsafe(60)}AAA="


def new_immutable_id() -> str:
    return f"AAkALg{secrets.token_urlsafe(48)}AAA="


@dataclass(slots=True, kw_only=True)
class Mail:
    """One copy of a mail in one mailbox."""

    folder: str
    fields: Json
    id: str = field(default_factory=new_id)
    immutable_id: str = field(default_factory=new_immutable_id)
    attachments: list[Json] = field(default_factory=list[Json])
    properties: dict[str, str] = field(default_factory=dict[str, str])
    """Single-value extended properties."""
    due_at: float | None = None
    """When a mail that has been accepted leaves the outbox."""
    is_kept: bool = True
    """Whether the sent mail stays in Sent Items."""

    def move(self, folder: str) -> None:
        """The id changes, the immutable one does not."""
        self.folder, self.id = folder, new_id()


@dataclass(slots=True, kw_only=True)
class Event:
    """One copy of an event in one calendar. Times in `fields` are kept in UTC."""

    fields: Json
    id: str = field(default_factory=new_id)
    immutable_id: str = field(default_factory=new_immutable_id)
    transaction_id: str = ""
    transacted_at: float = 0.0
    properties: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(slots=True, kw_only=True)
class Mailbox:
    account: Account
    mails: dict[str, Mail] = field(default_factory=dict[str, Mail])
    """By immutable id, in the order in which they came into being."""
    events: dict[str, Event] = field(default_factory=dict[str, Event])
    """By immutable id."""
    keeps_sent: bool = True
    """Sent Items can be off for a whole mailbox."""

    def folder(self, name: str) -> list[Mail]:
        """The newest first."""
        return [mail for mail in reversed(self.mails.values()) if mail.folder == name]


@dataclass(slots=True, kw_only=True)
class DriveItem:
    id: str
    name: str
    parent: str
    """Id of the folder, empty for the root."""
    content: bytes | None = None
    """None for a folder."""
    media_type: str = "application/octet-stream"
    created_at: float = 0.0
    changed_at: float = 0.0
    changed_by: str = ""
    """Object id."""
    version: int = 1
    permissions: list[Json] = field(default_factory=list[Json])
    unique_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    """By which SharePoint knows it, and messages of Teams."""

    @property
    def etag(self) -> str:
        return f'"{{{self.unique_id.upper()}}},{self.version}"'


@dataclass(slots=True, kw_only=True)
class Drive:
    id: str
    account: Account
    items: dict[str, DriveItem] = field(default_factory=dict[str, DriveItem])


@dataclass(slots=True, kw_only=True)
class Upload:
    """A file that arrives in pieces."""

    owner: str
    """Object id of the drive's owner."""
    by: str
    """Object id of the one who writes."""
    folder: str
    name: str
    behaviour: str
    request_id: str
    client_request_id: str
    total: int = 0
    """Bytes; 0 until the first piece says it."""
    content: bytearray = field(default_factory=bytearray)


@dataclass(slots=True, kw_only=True)
class Chat:
    """A chat, or a channel of a team."""

    id: str
    members: list[str]
    """Object ids."""
    kind: str = "oneOnOne"
    """`oneOnOne`, `group`, `channel`."""
    topic: str = ""
    team: str = ""
    """Id of the team a channel belongs to."""
    created_at: float = 0.0
    messages: list[Json] = field(default_factory=list[Json])
    """The oldest first; answers carry `replyToId`."""
    elsewhere: Callable[[], list[Json]] = list[Json]
    """What was written in the stand-in for Teams."""

    @property
    def all(self) -> list[Json]:
        return [*self.elsewhere(), *self.messages]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideMail:
    """What left the tenant, once per mail with all the foreign addresses."""

    sender: str
    recipients: tuple[str, ...]
    mail: Json
    attachments: tuple[Json, ...] = ()
