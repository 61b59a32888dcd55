"""The words and signs of a card, the same on every platform."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from core.cards import Button, Card, CardField

CUT = " … (shortened)"
CUTS = (600, 200, 80)
"""How many characters of a value a shortened card shows: the longest that fit."""
STATES = {
    "parked": "…",
    "approved": "▸",
    "executing": "▸",
    "done": "✓",
    "failed": "✕",
    "unknown": "?",
    "cancelled": "✕",
    "expired": "–",
    "void": "–",
}
"""The sign before how a call stands."""
_LABELS: dict[Button, str] = {
    "send": "Send",
    "edit": "Edit",
    "cancel": "Cancel",
    "connect": "Connect account",
    "open": "Open full text",
    "was_sent": "It was sent",
    "again": "Prepare again",
}
_SIGNS = {"external": "↗", "changed": "✎"}
_WARNING = "⚠"


class Fitted(NamedTuple):
    fields: tuple[CardField, ...]
    left_out: int = 0
    """How many fields are not shown at all."""
    is_shortened: bool = False


def label(card: Card, name: Button) -> str:
    if name == "again" and card.state == "failed":
        return "Try again"
    return "Connect again" if name == "connect" and card.is_reconnected else _LABELS[name]


def mark(word: str) -> str:
    """`↗ external`: a mark of a field behind its sign."""
    return f"{_SIGNS.get(word, _WARNING)} {word}"


def notices(card: Card) -> list[str]:
    """What else is to be known, as warnings for as long as somebody can still decide."""
    return [f"{_WARNING} {one}" if card.buttons else one for one in card.notices]


def offered(card: Card, *, is_shortened: bool) -> tuple[Button, ...]:
    """The desk's buttons; where this card could not show all, Send is behind the full text."""
    if not is_shortened:
        return card.buttons
    rest: list[Button] = [name for name in card.buttons if name not in ("send", "open")]
    if "connect" in rest:
        return ("connect", "open", *(name for name in rest if name != "connect"))
    return ("open", *rest)


def fitted(
    fields: Sequence[CardField], most: int, fits: Callable[[Sequence[CardField]], bool]
) -> Fitted:
    """The fields as far as a card shows them: at most that many, and only what `fits`. What is cut
    says so; what does not fit even then is cut as far as anything is."""
    if len(fields) <= most and fits(fields):
        return Fitted(tuple(fields))
    kept = fields[:most]
    shorter = [[_cut(one, length) for one in kept] for length in CUTS]
    cut = next((tried for tried in shorter if fits(tried)), shorter[-1])
    return Fitted(tuple(cut), left_out=len(fields) - len(kept), is_shortened=True)


def _cut(one: CardField, most: int) -> CardField:
    def cut(text: str) -> str:
        return text if len(text) <= most else text[:most].rstrip() + CUT

    return replace(
        one,
        label=cut(one.label),
        value=cut(one.value),
        before=None if one.before is None else cut(one.before),
    )
