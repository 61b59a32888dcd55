"""What stands around a question on its platform: data, whoever wrote it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from core.errors import NeedsAccount


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message that stands around a question. Whoever wrote it, it is data."""

    role: Literal["us", "asker", "person", "bot"]
    """This bot, the person of the question, another person, another bot."""
    name: str
    text: str
    at: float = 0.0
    id: str = ""
    """Of whoever wrote it, as the platform knows them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A file that somebody posted in the thread, by id."""

    id: str
    name: str
    media_type: str = "application/octet-stream"
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """A file of Microsoft 365 that somebody posted in Microsoft Teams."""

    id: str
    """As the message names it."""
    name: str
    path: str
    """Where Microsoft Graph has it."""
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A message of Microsoft Teams; of whoever wrote it `said` knows their object id, or an
    application's id."""

    id: str
    said: Said
    files: tuple[Shared, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where a message of Microsoft Teams stands, in Microsoft Graph's own ids."""

    chat: str
    """A chat, or a channel."""
    message: str
    team: str = ""
    """The group behind the channel's team; empty for a chat."""
    root: str = ""
    """The first message of the channel's thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What a surface knows around a question, read when its turn begins."""

    text: str
    """The question with people and channels by name."""
    said: tuple[Said, ...] = ()
    """The thread before the question, oldest first: its beginning and its end where it is long."""
    left_out: int = 0
    """Messages of the thread that are not among them, as far as they were counted."""
    files: tuple[Attached, ...] = ()
    """Posted in the thread before the question, oldest first."""
    named: Mapping[str, str] = field(default_factory=dict[str, str])
    """By name, the platform's id of whoever the question names."""
    own: tuple[Attached, ...] | None = None
    """The question's own files, where the platform tells more of them than it did at first."""
    unread: tuple[str, ...] = ()
    """Sentences about files of the question that cannot be read."""
    missing: NeedsAccount | None = None
    """What the person has to connect, so that files of the question can be read."""
