"""Quotations from the passages of documents that a prompt carries."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.context.prompts import PAPERS
from core.llm.demo.words import sentences, stem, stems

QUOTES = "I write nothing of my own; the documents say, word for word:"
ENOUGH = 0.6
"""Share of the question's words that a passage has to hold before it is taken for an answer."""
MOST = 3
_ABOUT = frozenset(
    stem(w) for w in "document file pdf paper page say says said tell policy handbook read".split()
)
_PASSAGE = re.compile(r"^\[(\d{1,3}\.\d{1,2})\] (.+)\n", re.MULTILINE)
_UNREAD = re.compile(r"^A file of this thread could not be read: (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Passage:
    mark: str
    """`0.1`, as it is cited."""
    label: str
    text: str


def passages(systems: Sequence[str]) -> tuple[Passage, ...]:
    """Those of the system message that carries them."""
    found: list[Passage] = []
    for text in systems:
        if not text.startswith(PAPERS):
            continue
        heads = list(_PASSAGE.finditer(text))
        for head, following in zip(heads, [*heads[1:], None], strict=True):
            end = following.start() if following else len(text)
            found.append(Passage(head[1], head[2], text[head.end() : end].strip()))
    return tuple(found)


def unread(systems: Sequence[str]) -> tuple[str, ...]:
    """What the host says of files that could not be read."""
    last = [text for text in systems if text.startswith((PAPERS, "A file of this thread"))]
    return tuple(found for text in last for found in _UNREAD.findall(text))


def quoted(question: str, found: Sequence[Passage]) -> str:
    """The sentences that answer best, as quotations with their marks; "" where no passage holds
    enough of what is asked."""
    wanted = set(stems(question))
    wanted = wanted - _ABOUT or wanted
    scored: list[tuple[float, int, str, str]] = []
    for place, passage in enumerate(found):
        title = set(stems(passage.label))
        whole = wanted & (title | set(stems(passage.text)))
        if not wanted or len(whole) / len(wanted) < ENOUGH:
            continue
        for sentence in _sentences(passage.text):
            own = wanted & set(stems(sentence))
            if own:
                score = len(own) + 0.2 * len(whole) - 0.01 * place
                scored.append((score, -place, sentence, passage.mark))
    best = sorted(scored, reverse=True)[:MOST]
    best = [one for one in best if one[0] >= 0.6 * best[0][0]]
    lines = [f"> {sentence} [{mark}]" for _, _, sentence, mark in best]
    return "\n\n".join([QUOTES, *lines]) if lines else ""


def _sentences(text: str) -> list[str]:
    body = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    joined = re.sub(r"(?<![.!?:|])\n(?=[a-zà-ÿ(])", " ", body)
    found = [one.strip(" \t-*>") for line in joined.splitlines() for one in sentences(line)]
    return [one for one in found if len(one) > 12 and not one.startswith("|")]
