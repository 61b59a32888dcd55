"""The call that finds an id which another tool needs."""

from collections.abc import Sequence
from dataclasses import replace

from core.llm.demo.arguments import Said, fill
from core.llm.demo.choice import rank, required
from core.llm.demo.conversation import Conversation
from core.llm.demo.ranking import reads_handles
from core.llm.demo.values import IDS
from core.llm.demo.words import stems, words
from core.records import Json, ToolSchema


def feeder(
    parameter: str,
    goal: ToolSchema,
    tools: Sequence[ToolSchema],
    conversation: Conversation,
    said: Said,
) -> tuple[str, Json] | None:
    """A call to another tool whose result will hold the parameter: one that speaks of what the id
    belongs to, and for which there are arguments."""
    parts = set(words(parameter))
    subject = set(stems(" ".join(sorted(parts - IDS)))) or set(stems(goal.name))
    if not parts & IDS:
        return None
    candidates = rank(dict.fromkeys(subject, 1.0), [t for t in tools if t.name != goal.name])
    for candidate in candidates:
        tool = candidate.tool
        if parameter in required(tool) or reads_handles(tool) or was_called(tool, conversation):
            continue
        if not _speaks_of(tool, subject):
            continue
        filled = fill(tool, replace(said, may_guess=False))
        if not filled.missing and required(tool):
            return tool.name, filled.variants[0]
    return None


def was_called(tool: ToolSchema, conversation: Conversation) -> bool:
    return any(call.name == tool.name for call in conversation.made)


def _speaks_of(tool: ToolSchema, subject: set[str]) -> bool:
    """Whether the tool is about the subject, or says that it returns the subject's id."""
    is_named = subject <= set(stems(tool.name))
    is_told = subject <= set(stems(tool.description)) and bool(IDS & set(words(tool.description)))
    return is_named or is_told
