"""The calls that find out what a question asks for."""

from collections.abc import Sequence

from core.llm.demo.arguments import fill
from core.llm.demo.calls import Plan, numbered
from core.llm.demo.conversation import Conversation
from core.llm.demo.feeding import feeder, was_called
from core.llm.demo.goals import goals
from core.llm.demo.ranking import said_of
from core.records import Json, ToolSchema


def look_up(conversation: Conversation, tools: Sequence[ToolSchema]) -> Plan:
    """The calls that can be made now, all side by side. Nothing when the results are in, or when
    no tool fits."""
    calls: list[tuple[str, Json]] = []
    missing: list[tuple[ToolSchema, str]] = []
    for goal in goals(conversation, tools):
        if was_called(goal.tool, conversation):
            continue
        said = said_of(goal.clause, conversation, tools)
        filled = fill(goal.tool, said)
        if not filled.missing:
            calls += [(goal.tool.name, arguments) for arguments in filled.variants]
            continue
        found = feeder(filled.missing[0], goal.tool, tools, conversation, said)
        if found is not None:
            calls.append(found)
        elif not _tried_to_feed(goal.tool, conversation):
            missing.append((goal.tool, filled.missing[0]))
    return Plan(calls=numbered(calls, conversation), missing=tuple(missing))


def _tried_to_feed(goal: ToolSchema, conversation: Conversation) -> bool:
    return any(call.name != goal.name for call in conversation.made)
