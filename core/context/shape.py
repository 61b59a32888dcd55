"""What of a thread the model is shown: a projection of stored state, flat in its length."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.records import ModelMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A finished turn, collapsed to what was asked and what was answered."""

    question: str
    answer: str
    handles: tuple[str, ...] = ()
    """`evidence id (tool)` of what the answer rests on, so that it can be read again by id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much of the past is shown; characters."""

    turns: int = 4
    question: int = 1_500
    answer: int = 2_500
    past: int = 4_000
    """Of what retrieve found."""
    thread: int = 8_000
    """Of what others said around the question."""


def history(finished: Sequence[Finished], room: Room) -> list[ModelMessage]:
    """The newest finished turns, oldest first, each as one question and one answer."""
    messages: list[ModelMessage] = []
    for turn in finished[-room.turns :] if room.turns else ():
        messages.append(ModelMessage(role="user", text=cut(turn.question, room.question)))
        answer = cut(turn.answer, room.answer)
        if turn.handles:
            answer += f"\n\n(evidence kept: {', '.join(turn.handles[:6])})"
        messages.append(ModelMessage(role="assistant", text=answer))
    return messages


def prompt(
    *,
    system: str,
    history: Sequence[ModelMessage],
    skill: str,
    past: str,
    active: Sequence[ModelMessage],
    thread: str = "",
    papers: str = "",
) -> list[ModelMessage]:
    """The whole prompt of one call: system, history, skill, the thread, what was found in its past
    and in documents, the active turn.

    The order keeps the longest common prefix from call to call, which providers cache.
    """
    texts = (skill, thread, past, papers)
    extra = [ModelMessage(role="system", text=text) for text in texts if text]
    return [ModelMessage(role="system", text=system), *history, *extra, *active]


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, the cut marked."""
    return text if len(text) <= limit else text[: limit - 2].rstrip() + " …"


def tightened(active: Sequence[ModelMessage], limit: int = 1_500) -> list[ModelMessage]:
    """The active turn with every tool result cut to `limit` characters, for a model whose
    context was too small for the whole."""
    return [
        replace(message, text=cut(message.text, limit)) if message.role == "tool" else message
        for message in active
    ]
