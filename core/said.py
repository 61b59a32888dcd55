"""What stands around a question on its platform: data, whoever wrote it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


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
