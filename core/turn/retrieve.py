"""Retrieve: one embedding of the question, the closest pieces of text within the turn's scope."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from core.errors import CountersignError
from core.records import Answer, Billing, Chunk, ThreadId, Turn, TurnId
from core.storage.database import Transaction
from core.storage.embeddings import Embedded
from core.storage.index import Index
from core.telemetry import logs

CHUNKS = 12
PIECE = 1_200
"""Characters of one indexed piece; a long answer becomes several."""

log = logs.get(__name__)

Embed = Callable[[Sequence[str], Billing], Awaitable[list[list[float]]]]


Vector = tuple[float, ...]


async def embedded(turn: Turn, billing: Billing, embed: Embed) -> Vector | None:
    """The vector of the question; None, which costs the turn its past and not the answer, when
    the embedder does not answer."""
    try:
        [vector] = await embed([turn.question.text], replace(billing, purpose="retrieve"))
    except CountersignError as failure:
        log.warning("retrieve.failed", turn=turn.id, kind=type(failure).__name__)
        return None
    return tuple(vector)


async def retrieve(
    turn: Turn,
    vector: Vector | None,
    index: Index,
    *,
    shown: frozenset[TurnId],
    scopes: Sequence[str] = (),
    sources: Sequence[str] | None = None,
) -> list[Chunk]:
    """The pieces closest to the question in the thread's scope and in `scopes`, within `sources`
    where they are given; none when the index does not answer. Turns in `shown` are in the prompt
    anyway, or not to be told of, and are not looked at."""
    if vector is None:
        return []
    question = turn.question
    inside = [scope(question.thread), *scopes]
    leave = [source(one) for one in shown]
    try:
        return await index.search(inside, vector, question.text, CHUNKS, sources, leave)
    except CountersignError as failure:
        log.warning("retrieve.failed", turn=turn.id, kind=type(failure).__name__)
        return []


class Memory:
    """Puts a finished turn into its thread's scope, under the question's own vector: its words are
    found by text, its topic by meaning, and nothing is embedded twice."""

    def __init__(self, index: Index, turn: Turn, answer: Answer, vector: Vector | None) -> None:
        """Without a vector there is nothing to keep."""
        self._index = index
        self._vector = vector
        self._pieces = _chunks(turn, answer) if vector else []
        self._kept: Sequence[Embedded] = ()

    async def keep(self, tx: Transaction) -> None:
        """Keep it in the write that ends the turn."""
        if self._vector is not None:
            vectors = [self._vector] * len(self._pieces)
            self._kept = await self._index.keep(tx, self._pieces, vectors)

    def follow(self) -> None:
        """Let it be found, once that write is committed."""
        self._index.follow(self._kept)


def _chunks(turn: Turn, answer: Answer) -> list[Chunk]:
    return [
        Chunk(
            id=f"{turn.id}.{number}",
            scope=scope(turn.question.thread),
            source=source(turn.id),
            title=f"Asked earlier: {turn.question.text[:200]}",
            text=piece,
        )
        for number, piece in enumerate(_pieces(turn.question.text, answer.text), start=1)
    ]


def source(turn: TurnId) -> str:
    return f"turn:{turn}"


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
