"""What the demo model makes of a prompt: the question, what came before, what was found."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from core.context.prompts import PAST
from core.context.thread import THREAD
from core.llm.demo import moments, quoting
from core.llm.demo.quoting import Passage
from core.llm.demo.results import Result, read
from core.llm.demo.words import squeezed, stems, words
from core.records import ModelMessage, ToolCall

_FOLLOWS = re.compile(
    r"^\s*(?:and|but|what about|how about|the same|same|now|then|also|only|instead|as)\b",
    re.IGNORECASE,
)
SHORT = 2
"""Words that say something, up to which a question hardly stands alone."""
_POINTS_BACK = frozenset("it that those these them they their its he she him her this".split())
_THIS_TIME = re.compile(r"\bthis (?:year|quarter|month|week|morning|afternoon)\b", re.IGNORECASE)
_WAITED = re.compile(
    r"^#\d+ \S+ \(.*?\): (?:waits|was|is|HAS|has|expired|no) [^\n]*", re.MULTILINE | re.DOTALL
)
_ASKER = re.compile(r"^You are asked by (?!a colleague\b)(.+?) in (?:a direct|the )", re.MULTILINE)
_FILES = "\n\nFiles attached to this message:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    question: str
    earlier: tuple[str, ...]
    """Questions of the finished turns in the prompt, oldest first."""
    answers: tuple[str, ...]
    past: tuple[str, ...]
    """What retrieve found, without its heading."""
    made: tuple[ToolCall, ...]
    """Calls of the active turn."""
    results: tuple[Result, ...]
    now: date | None
    waited: tuple[str, ...] = ()
    """What the host says of calls that people decide about, one line each."""
    papers: tuple[Passage, ...] = ()
    """Passages of documents that the host found for the question."""
    unread: tuple[str, ...] = ()
    """What the host says of files that could not be read."""
    asker: str = ""
    """The name of the person who asks, where the system message says it."""

    @property
    def rounds(self) -> int:
        """How many results have come back, to number the next calls."""
        return len(self.made)

    @property
    def points_back(self) -> bool:
        """Whether the question says that it leans on an earlier one (“and …”, “that”)."""
        return bool(self.earlier) and _leans(self.question)

    @property
    def is_marked(self) -> bool:
        """Whether the question begins as a follow-up does (“and …”, “what about …”)."""
        return bool(self.earlier) and bool(_FOLLOWS.match(self.question))

    @property
    def is_short(self) -> bool:
        """Whether the question is so short that it may lean on an earlier one."""
        return bool(self.earlier) and len(stems(self.question)) <= SHORT

    @property
    def topic(self) -> tuple[str, ...]:
        """The earlier questions that a follow-up leans on, newest first: back to the last one
        that stood on its own feet."""
        taken: list[str] = []
        for text in reversed(self.earlier):
            taken.append(text)
            if not _leans(text) and len(stems(text)) > SHORT:
                break
        return tuple(taken)


def understand(messages: Sequence[ModelMessage]) -> Conversation:
    """Read a prompt: system, finished turns, what was found, the active turn."""
    spoken = [m for m in messages if m.role != "system"]
    ends = [i for i, m in enumerate(spoken) if m.role == "assistant" and not m.calls]
    start = ends[-1] + 1 if ends else 0
    before, active = spoken[:start], spoken[start:]
    asked = [m.text for m in active if m.role == "user"]
    # What others wrote in the thread is nothing that the host says.
    said = [m.text for m in messages if m.role == "system"]
    system = [text for text in said if not text.startswith(THREAD)]
    calls = [c for m in active for c in m.calls]
    return Conversation(
        question=squeezed((asked[0] if asked else "").partition(_FILES)[0]),
        earlier=tuple(squeezed(m.text) for m in before if m.role == "user"),
        answers=tuple(m.text for m in before if m.role == "assistant"),
        past=tuple(t.removeprefix(PAST).strip() for t in system if t.startswith(PAST)),
        made=tuple(calls),
        results=tuple(_results(calls, active)),
        now=moments.today("\n".join(system[:1])),
        waited=tuple(one for text in system[1:] for one in _WAITED.findall(text)),
        papers=quoting.passages(system[1:]),
        unread=quoting.unread(system[1:]),
        asker=found[1] if (found := _ASKER.search("\n".join(system[:1]))) else "",
    )


def _leans(text: str) -> bool:
    timeless = _THIS_TIME.sub(" ", text)
    return bool(_FOLLOWS.match(text)) or bool(_POINTS_BACK & set(words(timeless)))


def _results(calls: Sequence[ToolCall], active: Sequence[ModelMessage]) -> list[Result]:
    by_id = {call.id: call for call in calls}
    return [
        read(by_id[m.call_id], m.text, is_error=m.is_error)
        for m in active
        if m.role == "tool" and m.call_id in by_id
    ]
