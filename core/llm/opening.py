"""The usage that Anthropic announces ahead of its answer.

LangChain reads usage from the end of the stream alone. When the stream breaks off, the input has
been billed all the same, and the opening event is the only place that says how much it was.
"""

import json
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

from core.records import Usage

LONGEST_OPENING = 64 * 1024
_noted: ContextVar[list[Usage] | None] = ContextVar("opening_usage", default=None)


@contextmanager
def noting() -> Generator[list[Usage]]:
    """A block whose calls leave the usage that they announce in the list."""
    usages: list[Usage] = []
    token = _noted.set(usages)
    try:
        yield usages
    finally:
        _noted.reset(token)


async def watch(response: Any) -> None:
    """A response hook for an httpx2 client: look at the stream's first event as it goes by."""
    usages = _noted.get()
    if usages is not None and "event-stream" in response.headers.get("content-type", ""):
        response.stream = _watched(response.stream, usages)


def _watched(stream: Any, usages: list[Usage]) -> Any:
    from httpx2 import AsyncByteStream

    class Watched(AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            opening: bytes | None = b""
            async for part in stream:
                if opening is not None:
                    opening = _look(opening + part, usages)
                yield part

        async def aclose(self) -> None:
            await stream.aclose()

    return Watched()


def _look(opening: bytes, usages: list[Usage]) -> bytes | None:
    """What has to be seen again together with the next part; None when there is nothing more to
    look for."""
    event, end, _ = opening.replace(b"\r\n", b"\n").partition(b"\n\n")
    if not end:
        return opening if len(opening) < LONGEST_OPENING else None
    if b"message_start" in event and (usage := _usage(event)) is not None:
        usages.append(usage)
    return None


def _usage(event: bytes) -> Usage | None:
    _, _, text = event.partition(b"data:")
    try:
        said = cast("dict[str, Any]", json.loads(text)["message"]["usage"])
    except (ValueError, KeyError, TypeError):
        return None
    cached = int(said.get("cache_read_input_tokens") or 0)
    written = int(said.get("cache_creation_input_tokens") or 0)
    return Usage(
        input_tokens=int(said.get("input_tokens") or 0) + cached + written,
        cached_tokens=cached,
        cache_write_tokens=written,
        output_tokens=int(said.get("output_tokens") or 0),
    )
