"""What was said earlier in the thread, and whether it answers a question."""

import re
from collections.abc import Sequence

from core.llm.demo.conversation import Conversation
from core.llm.demo.words import sentences, stem, stems, words

HONEST = "_Scripted demo: I am no language model._"
"""The first line of every answer."""
NOTED = "Noted in this thread:"
_ABOUT_PAST = re.compile(
    r"\b(?:i|we|you|it)\s+(?:\w+\s+)?(?:said|say|told|mentioned|wrote|named|gave|asked)\b"
    r"|\b(?:earlier|before|remember|again)\b|\b(?:was|is|were|are)\s+(?:my|our)\b"
    r"|\bdid (?:i|we) (?:say|tell|mention|give|ask)\b",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"^(?:(?:please\s+)?(?:remember|note|keep in mind|fyi)\b|(?:hi|hello|hey)?[, ]*"
    r"(?:my|our|the|i|we|for (?:your|the) (?:information|record))\b.*?\b"
    r"(?:is|are|was|am|have|need|prefer|use|work|called|means?)\b)",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"\b(?:summar\w+|recap)\b.*\b(?:thread|conversation|chat|so far|discussion|we|this)\b"
    r"|\bwhat (?:did|have) (?:i|we) ask(?:ed)?\b",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^\W*(?:q|a|question|answer|(?:they|you|i|we|person|bot)?\s*(?:asked|said|answered|wrote))\s*:\s*",
    re.IGNORECASE,
)
_WHAT_CAME = re.compile(
    r"^\W*(?:and )?(?:did|has|have|was|were|is|are)\b.*\b(?:go out|gone|sent|send|happen(?:ed)?"
    r"|done|out|posted|arrived?|through|cancelled|approved|waiting|pending)\b"
    r"|\bwhat (?:happened|became|came)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"#\d+\b")
_CALL = re.compile(r"^(#\d+) \S+ \((.*?)\): (?=waits|was|is|HAS|has|expired|no)", re.DOTALL)
_VALUES = 90
"""Characters that are shown of a call's arguments."""
NEARLY_ALL = 0.6
SAID = frozenset(stem(w) for w in "tell told said mention wrote gave earlier remember ask".split())


def asks_about_past(text: str) -> bool:
    """Whether the words point at the conversation itself."""
    return bool(_ABOUT_PAST.search(text))


def asks_for_summary(text: str) -> bool:
    """Whether the thread itself is to be summed up."""
    return bool(_SUMMARY.search(text))


def states_something(text: str) -> bool:
    """Whether the person tells a fact and asks nothing."""
    return "?" not in text and bool(_STATES.match(text.strip())) and len(words(text)) > 3


def asks_what_came(conversation: Conversation) -> bool:
    """Whether it is about a call that people decide about: “did it go out?”, “what about #3?”"""
    said = conversation.question
    return bool(conversation.waited) and bool(_WHAT_CAME.search(said) or _NUMBERED.search(said))


def what_came(conversation: Conversation) -> str:
    """What the host says of those calls, word for word: the one with the number, else all."""
    if not asks_what_came(conversation):
        return ""
    number = _NUMBERED.search(conversation.question)
    lines = [w for w in conversation.waited if number and w.startswith(f"{number.group()} ")]
    return "\n".join(f"- {_in_short(line)}" for line in lines or conversation.waited[-5:])


def _in_short(line: str) -> str:
    found = _CALL.match(line)
    if found is None:
        return line
    values = " ".join(found[2].split())
    values = values if len(values) <= _VALUES else values[:_VALUES].rsplit(" ", 1)[0] + " …"
    return f"**{found[1]}** ({values}): {line[found.end() :]}"


def recall(conversation: Conversation) -> str:
    """The sentence of the thread's past that answers the question best; "" when none covers most
    of its words. Questions are no answers, and neither is what the demo says of itself."""
    wanted = [s for s in stems(conversation.question) if s not in SAID]
    if not wanted:
        return ""
    best, best_cover = "", 0.0
    for sentence in _candidates(conversation):
        found = set(stems(sentence))
        cover = sum(1 for s in wanted if s in found) / len(wanted)
        # A sentence that only repeats the question says nothing.
        if cover > best_cover and set(words(sentence)) - set(words(conversation.question)):
            best, best_cover = sentence, cover
    return best if best_cover >= NEARLY_ALL else ""


def _candidates(conversation: Conversation) -> Sequence[str]:
    """Sentences of the past, the newest first, what people said before what was answered."""
    texts = [*reversed(conversation.earlier), *conversation.past, *reversed(conversation.answers)]
    found = [_LEADING.sub("", s) for text in texts for s in sentences(text)]
    return [
        s
        for s in found
        if not s.endswith("?")
        and s.strip("_* ") not in HONEST
        and not s.startswith(tuple("|([-*#“"))
        and not s.startswith(NOTED)
    ]
