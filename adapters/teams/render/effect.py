"""Writes the effect of a call as runs of text, in which nothing is markup: what stands there is
read character by character as it was written."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from adapters.teams.render import limits
from core.cards import CardField
from core.records import Json

CUT = " … (shortened)"
_SYMBOLS = {"external": "↗", "changed": "✎"}
_WARNING = "⚠"
_CUTS = (600, 200, 80)
"""How many characters of a value a shortened card shows: the longest that fit."""
MOST_FIELDS = 30


class Fitted(NamedTuple):
    fields: tuple[CardField, ...]
    left_out: int = 0
    """How many fields are not shown at all."""
    is_shortened: bool = False


def fitted(fields: Sequence[CardField], room: int) -> Fitted:
    """The fields as far as a card of that many bytes shows them. What is cut says so."""
    if _size(fields) <= room and len(fields) <= MOST_FIELDS and _lines(fields) <= limits.LINES:
        return Fitted(tuple(fields))
    kept = fields[:MOST_FIELDS]
    cut = [_cut(one, _CUTS[-1]) for one in kept]
    for most in _CUTS:
        tried = [_cut(one, most) for one in kept]
        if _size(tried) <= room:
            cut = tried
            break
    return Fitted(tuple(cut), left_out=len(fields) - len(kept), is_shortened=True)


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
    marks = [run(f"  {_SYMBOLS.get(mark, _WARNING)} {mark}", italic=True) for mark in one.marks]
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


def _cut(one: CardField, most: int) -> CardField:
    def cut(text: str) -> str:
        return text if len(text) <= most else text[:most].rstrip() + CUT

    return replace(
        one,
        label=cut(one.label),
        value=cut(one.value),
        before=None if one.before is None else cut(one.before),
    )


def _size(fields: Iterable[CardField]) -> int:
    return limits.size({"items": elements(fields)})


def _lines(fields: Iterable[CardField]) -> int:
    return sum(text.count("\n") for one in fields for text in (one.value, one.before or ""))
