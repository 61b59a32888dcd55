"""Reads a file in a process of its own, within limits of time, memory and length."""

import asyncio
import base64
import contextlib
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from core.errors import SourceFailed
from core.specialists.documents.parsing.child import OUT_OF_MEMORY
from core.specialists.documents.parsing.pages import Page

LAYOUT = 1
"""Raised with every change in how files are read or cut: what was read before is read again."""
_ROOT = Path(__file__).parents[4]
_LINE = 64 * 2**20
"""Bytes of one page as JSON, an image included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What reading one file may take."""

    seconds: float = 90.0
    memory: int = 1024 * 2**20
    """Bytes of address space, of which Python and its libraries take a quarter."""
    characters: int = 20_000_000
    pages: int = 5_000
    bytes: int = 50 * 2**20


OnPage = Callable[[int], Awaitable[None]]


async def parse(
    content: bytes,
    name: str,
    *,
    limits: Limits | None = None,
    most_images: int = 0,
    on_page: OnPage | None = None,
) -> list[Page]:
    """The pages of the file, at least one with text or an image. `on_page` hears how many there
    are so far. Raises `SourceFailed` with a sentence for the person."""
    limits = limits or Limits()
    if len(content) > limits.bytes:
        raise SourceFailed(f"{name} is larger than {limits.bytes // 2**20} MB.")
    child = await _started(name, limits, most_images)
    try:
        async with asyncio.timeout(limits.seconds), asyncio.TaskGroup() as group:
            group.create_task(_feed(child, content))
            reading = group.create_task(_pages(child, name, limits, on_page))
    except TimeoutError:
        raise SourceFailed(
            f"{name} took longer than {limits.seconds:g} seconds to read, so I stopped."
        ) from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        await child.wait()
    found = reading.result()
    if isinstance(found, str):
        raise SourceFailed(found)
    if not any(page.text.strip() or page.is_scanned for page in found):
        raise SourceFailed(f"{name} holds no text that can be read.")
    return found


async def _started(name: str, limits: Limits, most_images: int) -> asyncio.subprocess.Process:
    module = "core.specialists.documents.parsing.child"
    arguments = (name, str(limits.memory), str(int(limits.seconds) + 1), str(most_images))
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-s", "-X", "utf8", "-m", module, *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=_LINE,
        cwd="/",
        # Nothing of our own environment: it holds keys.
        env={"PYTHONPATH": str(_ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
    )


async def _feed(child: asyncio.subprocess.Process, content: bytes) -> None:
    stdin = cast(asyncio.StreamWriter, child.stdin)
    # A child that has seen enough closes its end.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        stdin.write(content)
        await stdin.drain()
        stdin.close()


async def _pages(
    child: asyncio.subprocess.Process, name: str, limits: Limits, on_page: OnPage | None
) -> list[Page] | str:
    """The pages, or the sentence that says why there are none."""
    stdout = cast(asyncio.StreamReader, child.stdout)
    found: list[Page] = []
    characters = 0
    while True:
        try:
            line = await stdout.readline()
        except ValueError:
            return f"{name} has a page that is too long to be read."
        if not line:
            break
        said: dict[str, Any] = json.loads(line)
        if not said:
            return found
        if fault := said.get("fault"):
            return f"{name} {fault}."
        page = _page(said)
        characters += len(page.text)
        if characters > limits.characters or len(found) >= limits.pages:
            return f"{name} is longer than a document may be, so I did not read it."
        found.append(page)
        if on_page is not None:
            await on_page(len(found))
    # It ended without its last word.
    if await child.wait() == OUT_OF_MEMORY:
        return f"{name} needs more memory to be read than a document may take."
    return f"{name} could not be read: it is damaged, or made to do harm."


def _page(said: dict[str, Any]) -> Page:
    return Page(
        number=said["number"],
        text=said["text"],
        name=said["name"],
        image=base64.b64decode(said["image"]),
        is_scanned=said["is_scanned"],
    )
