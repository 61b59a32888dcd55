"""What the demo model is about to do next."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.llm.demo.conversation import Conversation
from core.records import Json, ToolCall, ToolSchema


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    calls: tuple[ToolCall, ...] = ()
    missing: tuple[tuple[ToolSchema, str], ...] = ()
    """Tools that fit, each with the parameter for which nothing was found."""
    ask: str = ""
    """What a person is asked, or told, before the act that they want can be prepared."""


def numbered(calls: Sequence[tuple[str, Json]], conversation: Conversation) -> tuple[ToolCall, ...]:
    """The calls with ids that go on from those of the turn."""
    first = conversation.rounds + 1
    return tuple(
        ToolCall(id=f"demo_{number}", name=name, arguments=arguments)
        for number, (name, arguments) in enumerate(calls, start=first)
    )
