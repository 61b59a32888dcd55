"""Which calls the demo model makes next."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.llm.demo import memory
from core.llm.demo.arguments import fill
from core.llm.demo.conversation import Conversation
from core.llm.demo.feeding import feeder, was_called
from core.llm.demo.goals import goals
from core.llm.demo.ranking import said_of
from core.llm.demo.small_talk import is_small_talk
from core.records import Json, ToolCall, ToolSchema


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    calls: tuple[ToolCall, ...] = ()
    missing: tuple[tuple[ToolSchema, str], ...] = ()
    """Tools that fit, each with the parameter for which nothing was found."""


def plan(conversation: Conversation, tools: Sequence[ToolSchema]) -> Plan:
    """The calls that can be made now, all side by side. Nothing when the results are in, or when
    no tool fits."""
    question = conversation.question
    if is_small_talk(question) or memory.states_something(question):
        return Plan()
    wanted = goals(conversation, tools)
    calls: list[tuple[str, Json]] = []
    missing: list[tuple[ToolSchema, str]] = []
    for goal in wanted:
        if was_called(goal.tool, conversation):
            continue
        said = said_of(goal.clause, conversation, tools)
        filled = fill(goal.tool, said)
        if not filled.missing:
            calls += [(goal.tool.name, arguments) for arguments in filled.variants]
            continue
        look_up = feeder(filled.missing[0], goal.tool, tools, conversation, said)
        if look_up is not None:
            calls.append(look_up)
        elif not _tried_to_feed(goal.tool, conversation):
            missing.append((goal.tool, filled.missing[0]))
    return Plan(calls=_numbered(calls, conversation), missing=tuple(missing))


def _tried_to_feed(goal: ToolSchema, conversation: Conversation) -> bool:
    return any(call.name != goal.name for call in conversation.made)


def _numbered(
    calls: Sequence[tuple[str, Json]], conversation: Conversation
) -> tuple[ToolCall, ...]:
    first = conversation.rounds + 1
    return tuple(
        ToolCall(id=f"demo_{number}", name=name, arguments=arguments)
        for number, (name, arguments) in enumerate(calls, start=first)
    )
