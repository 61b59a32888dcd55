"""An agent that mails only once a person has agreed: what is asked of each in the same words."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

Send = Callable[[str], Awaitable[str]]
"""One request to the provider with the text of the mail; what it answered."""

PROMPT = "Mail the Q3 summary to the buyer."
TEXT = "Nordics lead with 63,660.60 EUR."


async def _nothing() -> None:
    pass


async def _none() -> int:
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailing:
    ask: Callable[[], Awaitable[None]]
    """A person asks for the mail; it waits for their agreement when this returns, in the file."""
    click: Callable[[], Awaitable[None]]
    """What the bot does when the person presses Send."""
    settled: Callable[[], Awaitable[None]] = _nothing
    """Until what goes on in the background has ended."""
    unknown: Callable[[], Awaitable[int]] = _none
    """How many mails are shown as “nobody knows whether it went out”."""


class Open(Protocol):
    def __call__(self, folder: Path, send: Send) -> AbstractAsyncContextManager[Mailing]: ...


def opened(name: str, folder: Path, send: Send) -> AbstractAsyncContextManager[Mailing]:
    """The agent of that name on what it kept in `folder`. Only its own libraries are imported."""
    folder.mkdir(parents=True, exist_ok=True)
    found: Open
    match name:
        case "countersign":
            from bench.peers.countersign_mail import mailing as found
        case "langchain":
            from bench.peers.langchain_mail import mailing as found
        case "pydantic-ai":
            from bench.peers.pydantic_mail import mailing as found
        case "openai-agents":
            from bench.peers.openai_mail import mailing as found
        case _:
            raise KeyError(name)
    return found(folder, send)


Opened = AsyncIterator[Mailing]
