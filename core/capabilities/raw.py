"""What a tool call brings back, before anything is kept or shown of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from core.capabilities.usage import ReportedUse
from core.errors import NeedsAccount
from core.records import Json, MadeFile

OnProgress = Callable[[str], Awaitable[None]]
"""Shows a text for the person. Never raises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawResult:
    """What a tool said, uncut. `files` carry their bytes; `usage` is what a foreign server
    reports of itself, for the caller to meter."""

    text: str
    structured: Json | None = None
    links: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[MadeFile, bytes], ...] = ()
    usage: tuple[ReportedUse, ...] = ()
    is_error: bool = False
    needs: NeedsAccount | None = None
    """The sign-in that a server of ours lacks, in place of what it was asked for."""
