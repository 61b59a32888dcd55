"""What stands around a turn's own messages in each of its prompts."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.capabilities.reading import READ_RESULT
from core.context import prompts, shape
from core.context.skills import chosen
from core.loop.steps import ROUNDS
from core.records import Chunk, Evidence, ModelMessage, Turn, TurnId
from core.turn.permitted import Offer
from core.turn.retrieve import Vector
from core.turn.setup import Agent, Setup

TIGHT_THREAD = 1_500
"""Characters of the thread that a model with too small a context is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a turn knows before it asks the model."""

    turn: Turn
    """With the person introduced, and people and channels by name."""
    thread: str
    past: Sequence[shape.Finished]
    hidden: frozenset[TurnId]
    """Turns of the thread that are not to be told of."""
    vector: Vector | None
    chunks: Sequence[Chunk]
    papers: Evidence | None
    """Passages of documents."""
    unread: Sequence[str]
    """Sentences about files that could not be read."""
    offer: Offer
    waited: str


class Frame:
    """`steps.Frame` of one turn: what stands around its own messages."""

    def __init__(self, setup: Setup, known: Known, agent: Agent | None) -> None:
        question, room = known.turn.question, setup.room
        skill = chosen(setup.skills, question.text)
        self._system = prompts.system(
            person=question.person,
            place=question.place,
            now=known.turn.accepted_at,
            instructions=agent.instructions if agent else "",
            rounds=ROUNDS,
            reader=READ_RESULT.name,
        )
        self._skill = skill.text if skill else ""
        self._history = shape.history(known.past, room)
        self._past = prompts.past(known.chunks, room.past)
        found = known.papers.text if known.papers else ""
        self._papers = prompts.papers(found, known.unread)
        self._thread = known.thread
        self._waited = known.waited

    def __call__(
        self, active: Sequence[ModelMessage], *, is_tight: bool, is_last: bool
    ) -> list[ModelMessage]:
        messages = shape.prompt(
            system=self._system,
            history=[] if is_tight else self._history,
            skill=self._skill,
            thread=shape.cut(self._thread, TIGHT_THREAD) if is_tight else self._thread,
            past=self._waited if is_tight else f"{self._past}\n\n{self._waited}".strip(),
            papers=shape.cut(self._papers, TIGHT_THREAD) if is_tight else self._papers,
            active=shape.tightened(active) if is_tight else active,
        )
        if is_last:
            messages.append(ModelMessage(role="system", text=prompts.LAST_CALL))
        return messages
