"""The tools that a question asks for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.llm.demo import memory, moments
from core.llm.demo.arguments import QUERIES, fill
from core.llm.demo.choice import Scored, properties, required, vocabulary
from core.llm.demo.conversation import Conversation
from core.llm.demo.feeding import feeder
from core.llm.demo.names import COMMANDS, proper_names
from core.llm.demo.ranking import COMMAND_STEMS, asks_who, known, ranked, reads_handles, said_of
from core.llm.demo.words import SILENT, stem, stems, words
from core.records import ToolSchema

MOST_GOALS = 3
_CLAUSES = re.compile(
    r"\s*(?:;|\?\s+|\.\s+|,?\s+and then\s+|,?\s+and also\s+|,?\s+then\s+|,?\s+and\s+|,\s+)\s*",
    re.IGNORECASE,
)
_DO_IT = re.compile(
    r"^\W*(?:please |can you |could you )*(\w+) (?:it|that|this|them|those|these)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Goal:
    tool: ToolSchema
    clause: str


def goals(conversation: Conversation, tools: Sequence[ToolSchema]) -> list[Goal]:
    """The tools to call, at most three, each with the clause of the question that it is for.
    Empty where the thread itself has the answer and where no tool fits."""
    question = conversation.question
    if _asks_for_the_impossible(question, tools) or memory.asks_for_summary(question):
        return []
    whole = ranked(question, conversation, tools)
    if _is_remembered(whole, conversation):
        return []
    found = _by_clause(conversation, tools)
    if not found and whole and whole[0].fits:
        found = _ablest(whole, conversation, tools)
    if not found:
        found = _by_name_or_search(conversation, tools)
    distinct = {goal.tool.name: goal for goal in reversed(found)}
    return list(reversed(distinct.values()))[:MOST_GOALS]


def _by_clause(conversation: Conversation, tools: Sequence[ToolSchema]) -> list[Goal]:
    """The best tool of each clause, where the question has several that ask for something."""
    parts = [p for p in _CLAUSES.split(conversation.question) if stems(p) or moments.kinds(p)]
    spoken = [p for i, p in enumerate(parts) if i == 0 or COMMANDS & set(words(p)[:2])]
    if len(spoken) < 2:
        return []
    found: list[Goal] = []
    for clause in _clauses(parts, spoken):
        best = ranked(clause, conversation, tools)
        if best and best[0].fits:
            found.append(Goal(best[0].tool, clause))
    return found


def _ablest(
    scores: Sequence[Scored], conversation: Conversation, tools: Sequence[ToolSchema]
) -> list[Goal]:
    """The best of the tools that fit for which there are arguments, or a way to get them. Without
    one, the best tool where the question is all about it: then a person is asked back."""
    # Before anything was called: the choice of the first round has to stand in the later ones.
    fresh = replace(conversation, results=(), made=())
    for scored in scores:
        if not scored.fits:
            break
        goal = Goal(scored.tool, conversation.question)
        said = replace(said_of(goal.clause, fresh, tools), may_guess=False)
        missing = fill(scored.tool, said).missing
        if not missing or feeder(missing[0], scored.tool, tools, fresh, said):
            return [goal]
    return [Goal(scores[0].tool, conversation.question)] if scores[0].is_whole else []


def _clauses(parts: Sequence[str], spoken: Sequence[str]) -> list[str]:
    """The clauses that begin something new, each with the fragments that follow it."""
    found: list[str] = []
    for part in parts:
        if part in spoken or not found:
            found.append(part)
        else:
            found[-1] += f" and {part}"
    return found


def _asks_for_the_impossible(question: str, tools: Sequence[ToolSchema]) -> bool:
    """“Mail that to finance”, where no tool mails: the rest of the sentence would find a tool."""
    found = _DO_IT.match(question)
    verb = found.group(1).lower() if found else ""
    if not verb or verb in COMMANDS or verb in SILENT:
        return False
    return all(stem(verb) not in vocabulary(tool) for tool in tools)


def _is_remembered(scores: Sequence[Scored], conversation: Conversation) -> bool:
    if conversation.results or not memory.recall(conversation):
        return False
    if memory.asks_about_past(conversation.question):
        return True
    if asks_who(conversation.question):
        return False
    wanted = stems(conversation.question)
    best = scores[0] if scores else None
    is_covered = best is not None and len(best.matched) * 2 > len(wanted)
    return best is None or not best.fits or not is_covered


def _by_name_or_search(conversation: Conversation, tools: Sequence[ToolSchema]) -> list[Goal]:
    """Where no tool's words fit: those that take a name when there is one, or one that searches."""
    question = conversation.question
    by_name: list[Goal] = []
    for tool in tools:
        needs = required(tool)
        if len(needs) != 1 or reads_handles(tool):
            continue
        parts = set(words(needs[0]))
        is_name = "name" in parts and _is_about_a_name(question, tools)
        is_search = parts & QUERIES and not conversation.points_back and len(stems(question)) > 1
        if properties(tool)[needs[0]].get("type") != "string":
            continue
        if is_name:
            by_name.append(Goal(tool, question))
        elif is_search and not by_name:
            return [Goal(tool, question)]
    return by_name


def _is_about_a_name(question: str, tools: Sequence[ToolSchema]) -> bool:
    """Whether the question says little more than a name."""
    found = proper_names(question, known(tools))
    said = {s for name in found for s in stems(name)}
    return bool(found) and not [s for s in stems(question) if s not in said | COMMAND_STEMS]
