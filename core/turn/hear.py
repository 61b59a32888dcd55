"""Hears what stands around a question, where its platform tells it in time."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from core.errors import NeedsAccount
from core.ports import Listener
from core.records import FileId, FileRef, Turn
from core.said import Attached, Heard
from core.storage import posted
from core.storage.database import Database
from core.telemetry import logs

SECONDS = 6.0

log = logs.get(__name__)


async def heard_around(turn: Turn, listeners: Mapping[str, Listener]) -> Heard:
    """The thread before the question, and the question with names. What is not told in time costs
    the turn its surroundings, and not the answer."""
    asked = turn.question
    listener = listeners.get(asked.place.surface)
    if listener is None:
        return Heard(text=asked.text)
    try:
        async with asyncio.timeout(SECONDS):
            return await listener.heard(asked)
    except TimeoutError:
        log.info("turn.unheard", turn=turn.id)
        return Heard(text=asked.text)


def as_heard(turn: Turn, heard: Heard) -> Turn:
    """The turn with the question as it reads and with the files that it came with, as far as the
    platform tells them."""
    asked = replace(turn.question, text=heard.text)
    if heard.own is not None:
        asked = replace(asked, files=tuple(map(_file, heard.own)))
    return replace(turn, question=asked)


async def unread(heard: Heard, ask: Callable[[NeedsAccount], Awaitable[str]]) -> list[str]:
    """Sentences about files of the question that cannot be read; whoever has to connect their
    account for that is asked to."""
    missing = [] if heard.missing is None else [await ask(heard.missing)]
    return [*heard.unread, *missing]


async def noted(db: Database, turn: Turn, heard: Heard, *, now: float) -> None:
    """Remember which files were posted in the thread: specialists read them by their ids."""
    earlier = [_file(one) for one in heard.files]
    if files := [*earlier, *turn.question.files]:
        await posted.note(db, turn.question.thread, files, now=now)


def _file(one: Attached) -> FileRef:
    return FileRef(id=FileId(one.id), name=one.name, media_type=one.media_type, size=one.size)
