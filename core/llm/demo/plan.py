"""Which calls the demo model makes next."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.llm.demo import memory
from core.llm.demo.arguments import FREE, IDS, Said, fill
from core.llm.demo.choice import ENOUGH, Scored, properties, rank, required, vocabulary
from core.llm.demo.conversation import Conversation
from core.llm.demo.names import COMMANDS, names
from core.llm.demo.words import stems, words
from core.records import Json, ToolCall, ToolSchema

MOST_GOALS = 3
_CLAUSES = re.compile(
    r"\s*(?:;|\?\s+|\.\s+|,?\s+and then\s+|,?\s+and also\s+|,?\s+then\s+|,?\s+and\s+|,\s+)\s*",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"^\W*(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks?|thank you|ok(?:ay)?|cheers"
    r"|help|who are you|what are you|what can (?:you|i) (?:do|ask).*|how are you.*|"
    r"are you .*)\W*)+$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    calls: tuple[ToolCall, ...] = ()
    missing: tuple[tuple[ToolSchema, str], ...] = ()
    """Tools that fit, each with the parameter for which nothing was found."""


@dataclass(frozen=True, slots=True)
class _Goal:
    tool: ToolSchema
    clause: str


def plan(conversation: Conversation, tools: Sequence[ToolSchema]) -> Plan:
    """The calls that can be made now, all side by side. Nothing when the results are in, or when
    no tool fits."""
    question = conversation.question
    if is_small_talk(question) or memory.states_something(question):
        return Plan()
    goals = _goals(conversation, tools)
    calls: list[tuple[str, Json]] = []
    missing: list[tuple[ToolSchema, str]] = []
    for goal in goals:
        if _was_called(goal.tool, conversation):
            continue
        said = _said(conversation, goal.clause)
        filled = fill(goal.tool, said)
        if not filled.missing:
            calls += [(goal.tool.name, arguments) for arguments in filled.variants]
            continue
        feeder = _feeder(filled.missing[0], goal.tool, tools, conversation, said)
        if feeder is not None:
            calls.append(feeder)
        elif not _tried_to_feed(goal.tool, conversation):
            missing.append((goal.tool, filled.missing[0]))
    return Plan(calls=_numbered(calls, conversation), missing=tuple(missing))


def is_small_talk(text: str) -> bool:
    return not words(text) or bool(_SMALL_TALK.match(text))


def _goals(conversation: Conversation, tools: Sequence[ToolSchema]) -> list[_Goal]:
    question = conversation.question
    whole = _ranked(question, conversation, tools)
    if _is_remembered(whole, conversation):
        return []
    goals: list[_Goal] = []
    parts = [p for p in _CLAUSES.split(question) if p.strip()]
    spoken = [p for i, p in enumerate(parts) if i == 0 or COMMANDS & set(words(p)[:2])]
    if len(spoken) > 1:
        for clause in _clauses(parts, spoken):
            found = _ranked(clause, conversation, tools)
            if found and found[0].score >= ENOUGH:
                goals.append(_Goal(found[0].tool, clause))
    if not goals and whole and whole[0].score >= ENOUGH:
        goals = [_Goal(whole[0].tool, question)]
    if not goals:
        goals = _by_name_or_search(conversation, tools)
    distinct = {goal.tool.name: goal for goal in reversed(goals)}
    return list(reversed(distinct.values()))[:MOST_GOALS]


def _clauses(parts: Sequence[str], spoken: Sequence[str]) -> list[str]:
    """The clauses that begin something new, each with the fragments that follow it."""
    found: list[str] = []
    for part in parts:
        if part in spoken or not found:
            found.append(part)
        else:
            found[-1] += f" and {part}"
    return found


def _ranked(
    text: str, conversation: Conversation, tools: Sequence[ToolSchema]
) -> list[Scored]:
    weights = dict.fromkeys(stems(text), 1.0)
    if conversation.is_follow_up:
        weights = dict.fromkeys(stems(conversation.topic), 0.6) | weights
    return rank(weights, [t for t in tools if not _reads_handles(t)])


def _reads_handles(tool: ToolSchema) -> bool:
    """A tool that reads on in an earlier result by its handle is no answer to a question."""
    return any("evidence" in words(name) for name in required(tool))


def _is_remembered(ranked: Sequence[Scored], conversation: Conversation) -> bool:
    if conversation.results or not memory.recall(conversation):
        return False
    if memory.asks_about_past(conversation.question):
        return True
    wanted = stems(conversation.question)
    best = ranked[0] if ranked else None
    is_covered = best is not None and len(best.matched) * 2 > len(wanted)
    return best is None or best.score < ENOUGH or not is_covered


def _by_name_or_search(
    conversation: Conversation, tools: Sequence[ToolSchema]
) -> list[_Goal]:
    """Where no tool's words fit: one that takes a name when there is one, or one that searches."""
    question = conversation.question
    for tool in tools:
        needs = required(tool)
        if len(needs) != 1 or _reads_handles(tool):
            continue
        parts = set(words(needs[0]))
        is_name = "name" in parts and names(question, set(vocabulary(tool)))
        is_search = parts & FREE and not conversation.is_follow_up and len(stems(question)) > 1
        if (is_name or is_search) and properties(tool)[needs[0]].get("type") == "string":
            return [_Goal(tool, question)]
    return []


def _feeder(
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
        if not candidate.matched or parameter in required(tool) or _reads_handles(tool):
            continue
        if _was_called(tool, conversation):
            continue
        filled = fill(tool, said)
        if not filled.missing and required(tool):
            return tool.name, filled.variants[0]
    return None


def _tried_to_feed(goal: ToolSchema, conversation: Conversation) -> bool:
    return any(call.name != goal.name for call in conversation.made)


def _was_called(tool: ToolSchema, conversation: Conversation) -> bool:
    return any(call.name == tool.name for call in conversation.made)


def _said(conversation: Conversation, clause: str) -> Said:
    return Said(
        text=clause,
        whole=conversation.question,
        earlier=conversation.topic if conversation.is_follow_up else "",
        now=conversation.now,
        results=conversation.results,
    )


def _numbered(
    calls: Sequence[tuple[str, Json]], conversation: Conversation
) -> tuple[ToolCall, ...]:
    first = conversation.rounds + 1
    return tuple(
        ToolCall(id=f"demo_{number}", name=name, arguments=arguments)
        for number, (name, arguments) in enumerate(calls, start=first)
    )
