"""Writes the effect of a call as rich text, in which nothing is markup: what stands there is read
character by character as it was written."""

from collections.abc import Iterable, Sequence

from adapters import cards
from adapters.cards import Fitted
from adapters.slack.render import escape, limits
from core.cards import CardField
from core.records import Json


def weight(fields: Iterable[CardField]) -> int:
    return sum(
        limits.weight(text)
        for one in fields
        for text in (one.label, one.value, one.before or "", *one.marks)
    )


def fitted(fields: Sequence[CardField], room: int) -> Fitted:
    """The fields as far as a card of that room shows them. What is cut says so."""
    return cards.fitted(fields, limits.CARD_FIELDS, lambda some: weight(some) <= room)


def blocks(fields: Sequence[CardField]) -> list[Json]:
    """Rich text blocks that hold all of the fields."""
    packed: list[list[Json]] = []
    size = limits.RICH_TEXT
    for one in fields:
        for element, weighs in _elements(one):
            if size + weighs > limits.RICH_TEXT:
                packed.append([])
                size = 0
            packed[-1].append(element)
            size += weighs
    return [{"type": "rich_text", "elements": elements} for elements in packed]


def line(*parts: Json) -> Json:
    return {"type": "rich_text_section", "elements": list(parts)}


def words(text: str, *styles: str) -> Json:
    """A piece of text that is nothing but text, inert all the same. Slack takes no empty one."""
    piece: Json = {"type": "text", "text": escape.inert(text) or " "}
    return piece | {"style": dict.fromkeys(styles, True)} if styles else piece


def pieces(text: str, most: int) -> list[str]:
    """The text in pieces of that weight, put together exactly what it was; cut after a line or a
    word where there is one."""
    found: list[str] = []
    start = 0
    while len(text) - start > most or limits.weight(text[start:]) > most:
        window = text[start : start + most]
        longest = limits.prefix(window, most)
        half = longest // 2
        at = max(window.rfind("\n", half, longest), window.rfind(" ", half, longest))
        end = at + 1 if at > 0 else longest
        found.append(window[:end])
        start += end
    return [*found, text[start:]]


def _elements(one: CardField) -> list[tuple[Json, int]]:
    """What shows a field, each with its weight: `label: value ↗ external` on a line, or the value
    framed beneath where it is a text of its own, so that no line of it passes for a field."""
    label = words(f"{' '.join(one.label.split())}: ", "bold")
    marks = [words(f"  {cards.mark(word)}", "italic") for word in one.marks]
    head = 100 + limits.weight(one.label)
    values = (one.value, one.before or "")
    is_framed = one.is_long or any("\n" in text or limits.weight(text) > 1_000 for text in values)
    if not is_framed:
        was = [] if one.before is None else [words(one.before, "strike"), words(" → ")]
        size = head + sum(map(limits.weight, values))
        return [(line(label, *was, words(one.value), *marks), size)]
    if one.before is None:
        return [(line(label, *marks), head), *_framed(one.value)]
    return [
        (line(label, *marks), head),
        (line(words("before", "italic")), 10),
        *_framed(one.before, "strike"),
        (line(words("now →", "italic")), 10),
        *_framed(one.value),
    ]


def _framed(text: str, *styles: str) -> list[tuple[Json, int]]:
    return [
        ({"type": "rich_text_quote", "elements": [words(piece, *styles)]}, limits.weight(piece))
        for piece in pieces(text, limits.RICH_TEXT)
    ]
