"""The documents that a turn may speak of: found, proven to be readable now, and made evidence."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.context import prompts
from core.errors import CountersignError
from core.loop.calls import evidence_id
from core.ports import Surface
from core.records import Chunk, Evidence, FileId, FileRef, Turn, TurnId
from core.said import Attached
from core.storage.documents import Cited
from core.storage.index import Index
from core.telemetry import logs
from core.turn.retrieve import CHUNKS, Vector, retrieve, scope

NUMBER = 0
"""Of the evidence that is there before any tool is called; calls count from 1."""
TOOL = "host/documents"
NEAR = 0.2
"""From which on a passage that nobody named is shown: below it, it is about something else."""
TRIES = 3
"""Searches, when passages turn out to be for others by now."""
ROOM = 8_000
"""Characters of all passages in a prompt."""

Say = Callable[[str], Awaitable[None]]

log = logs.get(__name__)


class Papers(Protocol):
    """The documents as a turn may ask for them."""

    async def take(
        self, turn: Turn, files: Sequence[FileRef], surface: Surface, say: Say
    ) -> list[str]:
        """Read those files of the turn's thread that were not read yet; a sentence about each
        that cannot be read. Raises `Unavailable`."""
        ...

    async def scopes(self, turn: Turn) -> Sequence[str]:
        """The scopes of the documents that may be spoken of to this person in this place, the
        thread's own not among them. Raises `Unavailable`."""
        ...

    async def named(self, turn: Turn, scopes: Sequence[str]) -> list[str]:
        """What the question names as `#name`, as sources of the index, within the scopes and the
        thread. Raises `Unavailable`."""
        ...

    async def proven(
        self, turn: Turn, chunks: Sequence[Chunk], vector: Sequence[float]
    ) -> list[Cited]:
        """Those of the chunks that come from documents and may still be read, as whoever rules
        over them says now. Raises `Unavailable`."""
        ...

    async def used(self, turn: Turn, cited: Sequence[Cited]) -> None:
        """Remember that the turn's model was shown these. Raises `Unavailable`."""
        ...

    async def hidden(self, turn: Turn) -> frozenset[TurnId]:
        """Those turns of the thread that rest on a document that may no longer be spoken of to
        this person in this place. On what the others rest, the turn rests from now on as well:
        its model is shown them. Raises `Unavailable`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What retrieve brought."""

    past: Sequence[Chunk] = ()
    """Of the thread's own memory."""
    cited: Sequence[Cited] = ()
    unread: Sequence[str] = ()
    """Sentences about files that could not be read."""


async def find(
    papers: Papers | None,
    turn: Turn,
    vector: Vector | None,
    index: Index,
    surface: Surface,
    say: Say,
    *,
    posted: Sequence[Attached],
    shown: frozenset[TurnId],
) -> Found:
    """The closest pieces of the thread's memory and of the documents that may be spoken of here.
    What cannot be reached costs the turn its documents, and not the answer. `posted`: files that
    were posted in the thread before the question."""
    if papers is None:
        return Found(past=await retrieve(turn, vector, index, shown=shown))
    unread: list[str] = []
    files = [*turn.question.files, *map(_file, posted)]
    try:
        unread = await papers.take(turn, files, surface, say)
        scopes = await papers.scopes(turn)
        named = await papers.named(turn, scopes)
    except CountersignError as failure:
        log.warning("documents.failed", turn=turn.id, kind=type(failure).__name__)
        return Found(past=await retrieve(turn, vector, index, shown=shown), unread=unread)
    past, cited = await _searched(papers, turn, vector, index, shown, scopes, None)
    if named:
        _, first = await _searched(papers, turn, vector, index, shown, scopes, named)
        cited = list({one.chunk.id: one for one in (*first, *cited)}.values())
    wanted = set(named)
    near = [
        one
        for one in cited
        if one.nearness >= NEAR
        or one.chunk.source in wanted
        or one.chunk.scope == scope(turn.question.thread)
    ]
    fitting = _fitting(near[:CHUNKS])
    await papers.used(turn, fitting)
    return Found(past=past, cited=fitting, unread=unread)


async def _searched(
    papers: Papers,
    turn: Turn,
    vector: Vector | None,
    index: Index,
    shown: frozenset[TurnId],
    scopes: Sequence[str],
    sources: Sequence[str] | None,
) -> tuple[list[Chunk], list[Cited]]:
    """Searched again when something was found that is for others by now, so that it takes the
    place of nothing."""
    past: list[Chunk] = []
    cited: list[Cited] = []
    for _ in range(TRIES):
        hits = await retrieve(turn, vector, index, shown=shown, scopes=scopes, sources=sources)
        try:
            cited = await papers.proven(turn, hits, vector or ())
        except CountersignError as failure:
            log.warning("documents.unproven", turn=turn.id, kind=type(failure).__name__)
            return [chunk for chunk in hits if chunk.source.startswith("turn:")], []
        past = [chunk for chunk in hits if chunk.source.startswith("turn:")]
        if len(past) + len(cited) == len(hits):
            break
    return past, cited


def _file(file: Attached) -> FileRef:
    return FileRef(id=FileId(file.id), name=file.name, media_type=file.media_type, size=file.size)


def _fitting(cited: Sequence[Cited]) -> list[Cited]:
    """As many whole passages as fit into the prompt."""
    room = ROOM - len(prompts.PAPERS) - 20
    kept: list[Cited] = []
    for one in cited:
        room -= len(one.label) + len(one.chunk.text) + 12
        if room < 0:
            break
        kept.append(one)
    return kept


def as_evidence(turn: Turn, cited: Sequence[Cited], now: float) -> Evidence:
    """The passages as evidence of the turn, each of them a place that can be cited."""
    return Evidence(
        id=evidence_id(turn.id, NUMBER),
        turn=turn.id,
        thread=turn.question.thread,
        person=turn.question.person.id,
        tool=TOOL,
        title="Documents",
        arguments={},
        text=prompts.passages(NUMBER, [(one.label, one.chunk.text) for one in cited]),
        links=tuple((one.label, one.url) for one in cited),
        made_at=now,
    )
