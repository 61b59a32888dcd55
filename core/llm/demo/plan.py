"""Which calls the demo model makes next."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.llm.demo import memory, moments
from core.llm.demo.arguments import FREE, IDS, Said, fill
from core.llm.demo.choice import SUPERLATIVES, Scored, properties, rank, required, vocabulary
from core.llm.demo.conversation import Conversation
from core.llm.demo.names import COMMANDS, proper_names
from core.llm.demo.words import SILENT, stem, stems, words
from core.records import Json, ToolCall, ToolSchema

MOST_GOALS = 3
COMMAND_STEMS = frozenset(stem(w) for w in COMMANDS)
COMMAND_WEIGHT = 0.5
"""“List” says less about what is meant than “products”."""
_CLAUSES = re.compile(
    r"\s*(?:;|\?\s+|\.\s+|,?\s+and then\s+|,?\s+and also\s+|,?\s+then\s+|,?\s+and\s+|,\s+)\s*",
    re.IGNORECASE,
)
_GREETINGS = frozenset(
    """hi hello hey good morning afternoon evening thanks thank you ok okay cheers help so very much
    please there great nice bye""".split()
)
_ABOUT_ITSELF = re.compile(
    r"^\W*(?:(?:who|what|how) are you|what can (?:you|i) (?:do|ask)|are you an?\b)", re.IGNORECASE
)
_THANKS = re.compile(r"^\W*(?:many |great )?(?:thanks|thank you|cheers)\b", re.IGNORECASE)
_LONGEST_TALK = 8
"""Words."""
_WHO_IS = re.compile(r"^\W*(?:who|what) (?:is|are|was|were)\b", re.IGNORECASE)
_DO_IT = re.compile(
    r"^\W*(?:please |can you |could you )*(\w+) (?:it|that|this|them|those|these)\b", re.IGNORECASE
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
        said = _said(conversation, goal, tools)
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
    """A greeting, a thank you, a question about the bot itself."""
    said = words(text)
    is_about_itself = bool(_ABOUT_ITSELF.match(text)) and len(said) <= _LONGEST_TALK
    is_thanks = bool(_THANKS.match(text)) and len(said) <= _LONGEST_TALK // 2
    return is_about_itself or is_thanks or _GREETINGS.issuperset(said)


def _goals(conversation: Conversation, tools: Sequence[ToolSchema]) -> list[_Goal]:
    question = conversation.question
    if _asks_for_the_impossible(question, tools) or memory.asks_for_summary(question):
        return []
    whole = _ranked(question, conversation, tools)
    if _is_remembered(whole, conversation):
        return []
    goals: list[_Goal] = []
    parts = [p for p in _CLAUSES.split(question) if stems(p) or moments.kinds(p)]
    spoken = [p for i, p in enumerate(parts) if i == 0 or COMMANDS & set(words(p)[:2])]
    if len(spoken) > 1:
        for clause in _clauses(parts, spoken):
            found = _ranked(clause, conversation, tools)
            if found and found[0].fits:
                goals.append(_Goal(found[0].tool, clause))
    if not goals and whole and whole[0].fits:
        goals = _ablest(whole, conversation, tools)
    if not goals:
        goals = _by_name_or_search(conversation, tools)
    distinct = {goal.tool.name: goal for goal in reversed(goals)}
    return list(reversed(distinct.values()))[:MOST_GOALS]


def _ablest(
    ranked: Sequence[Scored], conversation: Conversation, tools: Sequence[ToolSchema]
) -> list[_Goal]:
    """The best of the tools that fit for which there are arguments, or a way to get them. Without
    one, the best tool where the question is all about it: then a person is asked back."""
    # Before anything was called: the choice of the first round has to stand in the later ones.
    fresh = replace(conversation, results=(), made=())
    for scored in ranked:
        if not scored.fits:
            break
        goal = _Goal(scored.tool, conversation.question)
        said = replace(_said(fresh, goal, tools), may_guess=False)
        missing = fill(scored.tool, said).missing
        if not missing or _feeder(missing[0], scored.tool, tools, fresh, said):
            return [goal]
    return [_Goal(ranked[0].tool, conversation.question)] if ranked[0].is_whole else []


def _clauses(parts: Sequence[str], spoken: Sequence[str]) -> list[str]:
    """The clauses that begin something new, each with the fragments that follow it."""
    found: list[str] = []
    for part in parts:
        if part in spoken or not found:
            found.append(part)
        else:
            found[-1] += f" and {part}"
    return found


def _ranked(text: str, conversation: Conversation, tools: Sequence[ToolSchema]) -> list[Scored]:
    weights = _weights(text)
    usable = [t for t in tools if not reads_handles(t)]
    alone = rank(weights, usable)
    is_clear = bool(alone) and alone[0].fits
    asks_who = _WHO_IS.match(text) and proper_names(text, _known(tools))
    is_leaning = conversation.points_back or (conversation.is_short and not is_clear)
    if is_leaning and not asks_who and _adds_to_the_topic(text, conversation, alone, tools):
        topic = " ".join(conversation.topic)
        before = {stem: 0.6 * weight for stem, weight in _weights(topic).items()}
        return rank(before | weights, usable)
    return alone


def _adds_to_the_topic(
    text: str, conversation: Conversation, alone: Sequence[Scored], tools: Sequence[ToolSchema]
) -> bool:
    """Whether a follow-up says something that a tool could use: a word, a time, a name. “Who
    approved that?” does not, and what was asked before is no answer to it."""
    is_known = any(scored.matched for scored in alone)
    is_bare = not stems(text) or conversation.is_marked
    return is_known or is_bare or bool(proper_names(text, _known(tools)))


def _weights(text: str) -> dict[str, float]:
    """The stems of a text, each with how much it says about the tool that is meant."""
    found = dict.fromkeys([*stems(text), *moments.kinds(text)], 1.0)
    return {s: COMMAND_WEIGHT if s in COMMAND_STEMS else weight for s, weight in found.items()}


def _asks_for_the_impossible(question: str, tools: Sequence[ToolSchema]) -> bool:
    """“Mail that to finance”, where no tool mails: the rest of the sentence would find a tool."""
    found = _DO_IT.match(question)
    verb = found.group(1).lower() if found else ""
    if not verb or verb in COMMANDS or verb in SILENT:
        return False
    return all(stem(verb) not in vocabulary(tool) for tool in tools)


def reads_handles(tool: ToolSchema) -> bool:
    """A tool that reads on in an earlier result by its handle is no answer to a question."""
    return any("evidence" in words(name) for name in required(tool))


def _is_remembered(ranked: Sequence[Scored], conversation: Conversation) -> bool:
    if conversation.results or not memory.recall(conversation):
        return False
    if memory.asks_about_past(conversation.question):
        return True
    if _WHO_IS.match(conversation.question) and proper_names(conversation.question, frozenset()):
        return False
    wanted = stems(conversation.question)
    best = ranked[0] if ranked else None
    is_covered = best is not None and len(best.matched) * 2 > len(wanted)
    return best is None or not best.fits or not is_covered


def _by_name_or_search(conversation: Conversation, tools: Sequence[ToolSchema]) -> list[_Goal]:
    """Where no tool's words fit: one that takes a name when there is one, or one that searches."""
    question = conversation.question
    for tool in tools:
        needs = required(tool)
        if len(needs) != 1 or reads_handles(tool):
            continue
        parts = set(words(needs[0]))
        is_name = "name" in parts and _is_about_a_name(question, _known(tools))
        is_search = parts & FREE and not conversation.points_back and len(stems(question)) > 1
        if (is_name or is_search) and properties(tool)[needs[0]].get("type") == "string":
            return [_Goal(tool, question)]
    return []


def _is_about_a_name(question: str, known: frozenset[str]) -> bool:
    """Whether the question says little more than a name."""
    found = proper_names(question, known)
    said = {s for name in found for s in stems(name)}
    return bool(found) and not [s for s in stems(question) if s not in said | COMMAND_STEMS]


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
        if parameter in required(tool) or reads_handles(tool) or _was_called(tool, conversation):
            continue
        if not _speaks_of(tool, subject):
            continue
        filled = fill(tool, replace(said, may_guess=False))
        if not filled.missing and required(tool):
            return tool.name, filled.variants[0]
    return None


def _speaks_of(tool: ToolSchema, subject: set[str]) -> bool:
    """Whether the tool is about the subject, or says that it returns the subject's id."""
    is_named = subject <= set(stems(tool.name))
    is_told = subject <= set(stems(tool.description)) and bool(IDS & set(words(tool.description)))
    return is_named or is_told


def _tried_to_feed(goal: ToolSchema, conversation: Conversation) -> bool:
    return any(call.name != goal.name for call in conversation.made)


def _was_called(tool: ToolSchema, conversation: Conversation) -> bool:
    return any(call.name == tool.name for call in conversation.made)


def _said(conversation: Conversation, goal: _Goal, tools: Sequence[ToolSchema]) -> Said:
    leans = conversation.points_back
    if conversation.is_short and not leans:
        alone = rank(_weights(conversation.question), tools)
        # “Which region was best?” means the best of what was just shown; a short question that is
        # clear in itself means no more than it says.
        is_clear = alone[0].fits and not SUPERLATIVES & set(words(conversation.question))
        leans = not is_clear and not moments.kinds(conversation.question)
    return Said(
        text=goal.clause,
        whole=conversation.question,
        earlier=conversation.topic if leans else (),
        now=conversation.now,
        results=conversation.results,
        known=_known(tools),
    )


def _known(tools: Sequence[ToolSchema]) -> frozenset[str]:
    return frozenset(found for tool in tools for found in vocabulary(tool))


def _numbered(
    calls: Sequence[tuple[str, Json]], conversation: Conversation
) -> tuple[ToolCall, ...]:
    first = conversation.rounds + 1
    return tuple(
        ToolCall(id=f"demo_{number}", name=name, arguments=arguments)
        for number, (name, arguments) in enumerate(calls, start=first)
    )
