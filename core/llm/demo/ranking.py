"""How well each tool fits a question in its conversation."""

import re
from collections.abc import Sequence

from core.llm.demo import moments
from core.llm.demo.arguments import Said
from core.llm.demo.choice import SUPERLATIVES, Scored, rank, required, vocabulary
from core.llm.demo.conversation import Conversation
from core.llm.demo.names import COMMANDS, proper_names
from core.llm.demo.words import stem, stems, words
from core.records import ToolSchema

COMMAND_STEMS = frozenset(stem(w) for w in COMMANDS)
COMMAND_WEIGHT = 0.5
"""“List” says less about what is meant than “products”."""
_WHO_IS = re.compile(r"^\W*(?:who|what) (?:is|are|was|were)\b", re.IGNORECASE)


def ranked(text: str, conversation: Conversation, tools: Sequence[ToolSchema]) -> list[Scored]:
    """The tools, best first, for a text of this conversation. A follow-up counts the words of its
    topic as well."""
    weights = _weights(text)
    usable = [t for t in tools if not reads_handles(t)]
    alone = rank(weights, usable)
    is_clear = bool(alone) and alone[0].fits
    is_leaning = conversation.points_back or (conversation.is_short and not is_clear)
    if is_leaning and not asks_who(text) and _adds_to_the_topic(text, conversation, alone, tools):
        topic = " ".join(conversation.topic)
        before = {stem: 0.6 * weight for stem, weight in _weights(topic).items()}
        return rank(before | weights, usable)
    return alone


def said_of(clause: str, conversation: Conversation, tools: Sequence[ToolSchema]) -> Said:
    """What there is to take arguments from for one clause of the question."""
    leans = conversation.points_back
    if conversation.is_short and not leans:
        alone = rank(_weights(conversation.question), tools)
        # “Which region was best?” means the best of what was just shown; a short question that is
        # clear in itself means no more than it says.
        is_clear = alone[0].fits and not SUPERLATIVES & set(words(conversation.question))
        leans = not is_clear and not moments.kinds(conversation.question)
    return Said(
        text=clause,
        whole=conversation.question,
        earlier=conversation.topic if leans else (),
        now=conversation.now,
        results=conversation.results,
        known=known(tools),
    )


def known(tools: Sequence[ToolSchema]) -> frozenset[str]:
    """The stems of all words that the tools are described with."""
    return frozenset(found for tool in tools for found in vocabulary(tool))


def asks_who(text: str) -> bool:
    """“Who is Pennine Pedals?”"""
    return bool(_WHO_IS.match(text)) and bool(proper_names(text, frozenset()))


def reads_handles(tool: ToolSchema) -> bool:
    """A tool that reads on in an earlier result by its handle is no answer to a question."""
    return any("evidence" in words(name) for name in required(tool))


def _adds_to_the_topic(
    text: str, conversation: Conversation, alone: Sequence[Scored], tools: Sequence[ToolSchema]
) -> bool:
    """Whether a follow-up says something that a tool could use: a word, a time, a name. “Who
    approved that?” does not, and what was asked before is no answer to it."""
    is_known = any(scored.matched for scored in alone)
    is_bare = not stems(text) or conversation.is_marked
    return is_known or is_bare or bool(proper_names(text, known(tools)))


def _weights(text: str) -> dict[str, float]:
    """The stems of a text, each with how much it says about the tool that is meant."""
    found = dict.fromkeys([*stems(text), *moments.kinds(text)], 1.0)
    return {s: COMMAND_WEIGHT if s in COMMAND_STEMS else weight for s, weight in found.items()}
