"""The words of a turn as they may be shown while the model is still writing them.

Nothing leaves that has not been through the door for addresses: what is shown is always that
door's answer to a whole beginning of the text, cut where a line ends.
"""

import re
from collections.abc import Sequence

from core.loop.calls import number_of
from core.policy.links import Citable, settle
from core.ports import Showing, Step
from core.records import Evidence
from core.turn.figures import without_places

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def citables_of(evidence: Sequence[Evidence]) -> list[Citable]:
    """What an answer may cite: each piece under the number that the model saw."""
    return [
        Citable(number=number_of(piece.id), label=piece.title, links=piece.links)
        for piece in evidence
        if not piece.is_error
    ]


def ready(text: str) -> int:
    """How many characters from the start will most likely be read the same way whatever follows:
    whole lines up to one that leaves no inline code and no bracket open. Lines of a code block are
    ready one by one."""
    at = cut = 0
    fence = ""
    paragraph = ""
    for line in text.splitlines(keepends=True):
        if not line.endswith("\n"):
            break
        at += len(line)
        found = _FENCE.match(line)
        if fence:
            is_end = found and found[1].startswith(fence) and not found[2].strip()
            fence, paragraph = ("" if is_end else fence), ""
        elif found and not (found[1].startswith("`") and "`" in found[2]):
            fence, paragraph = found[1], ""
        else:
            paragraph = paragraph + line if line.strip() else ""
        if not _is_open(paragraph):
            cut = at
    return cut


def _is_open(paragraph: str) -> bool:
    return paragraph.count("`") % 2 == 1 or any(
        paragraph.count(opening) > paragraph.count(closing) for opening, closing in ("[]", "()")
    )


class Telling:
    """Hears one turn's model, and hands on what may be shown. Implements `core.llm.chat.Ear`."""

    def __init__(self) -> None:
        self._showing: Showing | None = None
        self._heard: list[str] = []
        self._citables: Sequence[Citable] = ()
        self._settled = ("", "")
        """The beginning that was settled last, and what came of it."""
        self._steps: list[Step] = []

    def to(self, showing: Showing) -> None:
        """From now on it is told where things are shown."""
        self._showing = showing

    def may_cite(self, evidence: Sequence[Evidence]) -> None:
        """What the rounds so far have brought."""
        self._citables = citables_of(evidence)

    def begin(self) -> None:
        self._heard.clear()
        self._settled = ("", "")
        self._end_steps()

    def hear(self, words: str) -> None:
        self._heard.append(words)
        if "\n" in words and self._showing is not None:
            self._showing.more()

    def works(self, round: int, titles: Sequence[str]) -> None:
        """A round's calls begin; its words are no answer."""
        self._heard.clear()
        self._settled = ("", "")
        if titles:
            self._step(Step(id=f"round{round}", title=", ".join(titles), state="in_progress"))

    def words(self) -> str:
        """What may be shown now: Markdown without a live address, citations as `[1]`, `[2]`."""
        text = "".join(self._heard)
        beginning = text[: ready(text)]
        if beginning != self._settled[0]:
            self._settled = (beginning, settle(without_places(beginning), self._citables)[0])
        return self._settled[1]

    def _end_steps(self) -> None:
        steps, self._steps = self._steps, []
        for step in steps:
            if self._showing is not None:
                self._showing.step(Step(id=step.id, title=step.title, state="complete"))

    def _step(self, step: Step) -> None:
        self._steps.append(step)
        if self._showing is not None:
            self._showing.step(step)
