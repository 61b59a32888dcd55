"""Which tools do something in a person's name, told from what they are described with."""

import re
from collections.abc import Sequence

from core.llm.demo.acts import Act
from core.llm.demo.choice import properties, required, vocabulary
from core.llm.demo.values import IDS
from core.llm.demo.words import first_sentence, stem, stems, words
from core.records import ToolSchema

_DOING = frozenset(
    stem(w) for w in "send post answer reply forward put change cancel share invite upload".split()
)
_VERBS = {
    "mail": "send write compose",
    "answer": "answer reply respond",
    "forward": "forward",
    "post": "post publish announce",
    "event": "put create schedule book add plan arrange invite",
    "cancel": "cancel delete remove",
    "free": "find",
}
_NOUNS = {
    "mail": "mail letter message",
    "answer": "mail letter message",
    "forward": "mail letter message",
    "post": "channel",
    "event": "event meeting appointment",
    "cancel": "event meeting appointment",
    "free": "free",
}
"""Per kind of act, the words that a tool for it is described with."""
_WHERE = re.compile(r"\b(?:in|on|via|through|with)\s+(?:microsoft\s+)?(\w+)\W*$", re.IGNORECASE)
PEOPLE = frozenset("to recipients recipient attendees invitees guests people addressees".split())
"""Parameters for those who get something."""
BODIES = frozenset("body text message content comment".split())


def acts_for_others(tool: ToolSchema) -> bool:
    """A tool that sends, posts, invites or takes back is never an answer to a question."""
    return bool(_DOING & set(_lead(tool)[:1]))


def tool_for(act: Act, tools: Sequence[ToolSchema]) -> ToolSchema | None:
    """The tool that does what the act asks for: its verb begins the description or stands in the
    name, and so does what it is done to. None where no tool does it."""
    verbs, nouns = _stems(_VERBS[act.kind]), _stems(_NOUNS[act.kind])
    fitting: list[tuple[bool, int, str, ToolSchema]] = []
    place = _WHERE.search(act.text)
    for tool in tools:
        lead, name = _lead(tool), set(stems(tool.name))
        is_verb = bool(verbs & ({*lead[:1]} | name))
        if is_verb and nouns & (name | set(lead)):
            is_there = (
                bool(place) and stem(place[1].lower()) in vocabulary(tool) if place else False
            )
            fitting.append((not is_there, len(ids(tool)), tool.name, tool))
    return min(fitting, key=lambda one: one[:3])[3] if fitting else None


def ids(tool: ToolSchema) -> list[str]:
    """The required parameters that are filled from another tool's result."""
    return [name for name in required(tool) if set(words(name)) & IDS]


def takes_people(tool: ToolSchema) -> bool:
    return any(PEOPLE & set(words(name)) for name in properties(tool))


def directory(tools: Sequence[ToolSchema]) -> tuple[ToolSchema, str] | None:
    """The tool that turns a name into an address, with its parameter for the name."""
    for tool in tools:
        needs = required(tool)
        is_asked_by_name = len(needs) == 1 and "name" in words(needs[0])
        if is_asked_by_name and stem("address") in vocabulary(tool):
            return tool, needs[0]
    return None


def source_of(parameter: str, tool: ToolSchema, tools: Sequence[ToolSchema]) -> ToolSchema | None:
    """The tool that the parameter's own description names as the one that gives it."""
    said = str(properties(tool).get(parameter, {}).get("description", ""))
    for word in re.findall(r"\w+", said):
        for other in tools:
            if "_" in word and other.name.endswith(word) and other.name != tool.name:
                return other
    return None


def _lead(tool: ToolSchema) -> list[str]:
    return list(stems(first_sentence(tool.description)))


def _stems(text: str) -> set[str]:
    return {stem(word) for word in text.split()}
