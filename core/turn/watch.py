"""Watches one try of a turn: when each phase began and how long it took, what was offered."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from core.loop.steps import Ended, from_json
from core.ports import Clock
from core.records import Json, ToolCall, Turn
from core.storage.notes import NotedCall, Notes, Phase
from core.telemetry import spans
from core.turn.permitted import Offer

MADE_AGAIN = ("kept", "read")
"""Outcomes of calls whose text can be made again from the evidence."""


class Watch:
    """Lives as long as one try of a turn, in the task that tries it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = clock()
        self._phases: list[Phase] = []
        self.offer: Offer | None = None

    @contextmanager
    def phase(self, name: str) -> Generator[None]:
        """Time the block as a phase of the turn, and as a span of its trace."""
        began = self._clock()
        try:
            with spans.span(name):
                yield
        finally:
            self._phases.append(Phase(name=name, began=began, seconds=self._clock() - began))

    def notes(self, turn: Turn) -> Notes:
        offer = self.offer
        return Notes(
            attempt=turn.attempt,
            accepted_at=turn.accepted_at,
            began_at=self._began,
            finished_at=self._began,
            phases=tuple(self._phases),
            offered=tuple(tool.key for tool in offer.by_alias.values()) if offer else (),
            withheld=offer.withheld if offer else (),
            problems=tuple(offer.problems) if offer else (),
        )


_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


def begin(clock: Clock) -> Watch:
    """Watch the try that this task begins."""
    watch = Watch(clock)
    _WATCH.set(watch)
    return watch


def noted(turn: Turn, ended: Ended | None, *, now: float) -> Notes:
    """What the turn has to say of itself at its end; `ended` is how far its loop came."""
    watch = _WATCH.get()
    if watch is not None:
        notes = watch.notes(turn)
    else:
        # The try that is over was another task's, perhaps another process'.
        notes = Notes(
            attempt=turn.attempt, accepted_at=turn.accepted_at, began_at=now, finished_at=now
        )
    if ended is None:
        return replace(notes, finished_at=now)
    said, calls = _told(ended)
    return replace(notes, finished_at=now, said=said, calls=calls)


def _told(ended: Ended) -> tuple[Json, tuple[NotedCall, ...]]:
    """What the model said beside its calls, by round; and the calls as they went."""
    messages = [from_json(message) for message in ended.messages]
    asked = [call for message in messages for call in message.calls]
    shown = [message.text for message in messages if message.role == "tool"]
    speaking = [message.text for message in messages if message.calls]
    said: Json = {str(number): text for number, text in enumerate(speaking, start=1) if text}
    # A round that was cut off has calls without a result.
    calls = [
        _noted(call, text, went)
        for call, text, went in zip(asked, shown, ended.calls, strict=False)
    ]
    return said, tuple(calls)


def _noted(call: ToolCall, text: str, went: Json) -> NotedCall:
    kept, again = went["outcome"] == "kept", went["outcome"] in MADE_AGAIN
    return NotedCall(
        id=call.id,
        alias=call.name,
        arguments=None if kept else call.arguments,
        text="" if again else text,
        size=len(text),
        **went,
    )
