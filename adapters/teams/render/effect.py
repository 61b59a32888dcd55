"""Writes the effect of a call as runs of text, in which nothing is markup: what stands there is
read character by character as it was written."""

from collections.abc import Iterable, Sequence

from adapters import cards
from adapters.cards import CUT, Fitted
from adapters.teams.render import limits
from core.cards import CardField
from core.records import Json

MOST_FIELDS = 30


def fitted(fields: Sequence[CardField], room: int) -> Fitted:
    """The fields as far as a card of that many bytes shows them. What is cut says so."""

    def fits(some: Sequence[CardField]) -> bool:
        return _size(some) <= room and _lines(some) <= limits.LINES

    return cards.fitted(fields, MOST_FIELDS, fits)


def elements(fields: Iterable[CardField]) -> list[Json]:
    return [element for one in fields for element in _elements(one)]


def line(*runs: Json, **more: object) -> Json:
    return {"type": "RichTextBlock", "inlines": list(runs), **more}


def run(text: str, **style: object) -> Json:
    """A piece of text that is nothing but text; Teams takes no empty one."""
    return {"type": "TextRun", "text": text or " ", **style}


def strong(text: str) -> Json:
    return run(text, weight="Bolder")


def small(text: str) -> Json:
    shown = text if len(text) <= limits.SMALL_PRINT else text[: limits.SMALL_PRINT] + CUT
    return line(run(shown, isSubtle=True, size="Small"), spacing="Small")


def text_lines(text: str, **style: object) -> list[Json]:
    """One element a line: a run does not break lines everywhere."""
    return [line(run(one, **style), spacing="None") for one in text.split("\n")]


def _elements(one: CardField) -> list[Json]:
    """`label: value ↗ external` on a line, or the value framed beneath where it is a text of its
    own, so that no line of it passes for a field."""
    label = strong(f"{' '.join(one.label.split())}: ")
    marks = [run(f"  {cards.mark(word)}", italic=True) for word in one.marks]
    values = (one.value, one.before or "")
    if not one.is_long and not any("\n" in text or len(text) > 1_000 for text in values):
        was = [] if one.before is None else [run(one.before, strikethrough=True), run(" → ")]
        return [line(label, *was, run(one.value), *marks, spacing="Small")]
    found = [line(label, *marks)]
    if one.before is not None:
        found += [small("before"), _framed(text_lines(one.before, strikethrough=True))]
        found.append(small("now →"))
    return [*found, _framed(text_lines(one.value))]


def _framed(items: list[Json]) -> Json:
    return {"type": "Container", "style": "emphasis", "items": items}


def _size(fields: Iterable[CardField]) -> int:
    return limits.size({"items": elements(fields)})


def _lines(fields: Iterable[CardField]) -> int:
    return sum(text.count("\n") for one in fields for text in (one.value, one.before or ""))
