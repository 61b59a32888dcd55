"""Retrieve: one embedding of the question, the closest pieces of text within the turn's scope."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from core.errors import CountersignError
from core.records import Answer, Billing, Chunk, ThreadId, Turn, TurnId
from core.storage.index import Index
from core.telemetry import logs

CHUNKS = 12
PIECE = 1_200
"""Characters of one indexed piece; a long answer becomes several."""

log = logs.get(__name__)

Embed = Callable[[Sequence[str], Billing], Awaitable[list[list[float]]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    chunks: tuple[Chunk, ...]
    vector: tuple[float, ...] | None
    """Of the question; None when it could not be embedded."""


async def retrieve(
    turn: Turn, billing: Billing, embed: Embed, index: Index, *, shown: frozenset[TurnId]
) -> Found:
    """The pieces closest to the question in the thread's scope.

    Turns in `shown` are in the prompt anyway and left out. An embedder or an index that does not
    answer costs the turn its past, not the answer.
    """
    text = turn.question.text
    try:
        [vector] = await embed([text], replace(billing, purpose="retrieve"))
        hits = await index.search(
            [scope(turn.question.thread)], vector, text, CHUNKS + len(shown) * 4
        )
    except CountersignError as failure:
        log.warning("retrieve.failed", turn=turn.id, kind=type(failure).__name__)
        return Found(chunks=(), vector=None)
    sources = {f"turn:{one}" for one in shown}
    chunks = tuple(chunk for chunk in hits if chunk.source not in sources)
    return Found(chunks=chunks[:CHUNKS], vector=tuple(vector))


async def remember(
    turn: Turn, answer: Answer, vector: tuple[float, ...] | None, index: Index
) -> None:
    """Put the finished turn into the thread's scope, under the question's own vector: its words
    are found by text, its topic by meaning, and nothing is embedded twice."""
    if vector is None:
        return
    pieces = [
        Chunk(
            id=f"{turn.id}.{number}",
            scope=scope(turn.question.thread),
            source=f"turn:{turn.id}",
            title=f"Asked earlier: {turn.question.text[:200]}",
            text=piece,
        )
        for number, piece in enumerate(_pieces(turn.question.text, answer.text), start=1)
    ]
    await index.add(pieces, [vector] * len(pieces))


def scope(thread: ThreadId) -> str:
    return f"thread:{thread}"


def _pieces(question: str, answer: str) -> list[str]:
    whole = f"{question}\n{answer}"
    pieces: list[str] = []
    piece = ""
    for line in whole.splitlines():
        for start in range(0, max(len(line), 1), PIECE):
            part = line[start : start + PIECE]
            if piece and len(piece) + len(part) + 1 > PIECE:
                pieces.append(piece)
                piece = ""
            piece = f"{piece}\n{part}" if piece else part
    return [*pieces, piece] if piece.strip() else pieces
