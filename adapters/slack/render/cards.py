"""Shows a parked call as Block Kit dictionaries: the card that a person decides by."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, cast

from adapters import links
from adapters.cards import CUT, STATES, label, notices, offered
from adapters.slack import fields
from adapters.slack.render import effect, escape, limits
from adapters.slack.render.effect import line, words
from core.cards import Button, Card
from core.records import Json

ACTION = "call."
"""What the action of each button begins with; the button's own word follows."""
NO_BUTTONS = "The card cannot be shown here. Write `/approvals` to see it with its buttons."
_STYLES: dict[Button, str] = {"send": "primary", "connect": "primary", "cancel": "danger"}


def blocks(card: Card) -> list[Json]:
    """At most 48 blocks and 13,000 characters. With Send among the buttons every field is there
    whole; a shortened one is marked, and all of it can be opened."""
    room = limits.CARD_TEXT if "send" in card.buttons else limits.CLOSED_TEXT
    shown = effect.fitted(card.fields, room)
    buttons = offered(card, is_shortened=shown.is_shortened)
    found = [*head(card), *effect.blocks(shown.fields)]
    if shown.left_out:
        found.append(_small(f"… and {shown.left_out} more fields: open the full text."))
    found += foot(card)
    if buttons:
        elements = [button(card, name) for name in buttons]
        found.append({"type": "actions", "elements": elements})
    return found


def button(card: Card, name: Button) -> Json:
    """Carries the call's id and revision and nothing else."""
    made: Json = {
        "type": "button",
        "action_id": f"{ACTION}{name}",
        "text": plain(label(card, name)),
        "value": f"{card.call}:{card.revision}",
    }
    return made | {"style": _STYLES[name]} if name in _STYLES else made


def head(card: Card) -> list[Json]:
    """What it is, and how it stands."""
    title = f"#{card.number} {card.title}"
    found: list[Json] = [{"type": "header", "text": plain(_cut(title, limits.HEADER))}]
    parts: list[Json] = []
    if len(title) > limits.HEADER:
        parts.append(line(words(title)))
    if card.status:
        status = [words(f"{STATES[card.state]} {_cut(card.status, limits.SMALL_PRINT)}", "bold")]
        if link := links.plain(card.link, longest=limits.URL):
            status += [words("  "), {"type": "link", "url": link, "text": "Look at it"}]
        parts.append(line(*status))
    return [*found, {"type": "rich_text", "elements": parts}] if parts else found


def foot(card: Card) -> list[Json]:
    """What else one should know: warnings, where it comes from, who decides until when."""
    found = [_small(*notices(card))] if card.notices else []
    origin = [f"Asked: “{card.question}”"] if card.question else []
    if card.sources:
        origin.append(f"Rests on: {' · '.join(card.sources)}")
    if origin:
        found.append(_small(*origin))
    if card.state == "parked":
        decides = _small(f"Decides: {card.approvers}")
        decides["elements"].append({"type": "mrkdwn", "text": _until(card.expires_at)})
        found.append(decides)
    return found


def text(said: str, *, is_whole: bool = True) -> str:
    """The card in words, for notifications and for where Slack refuses the blocks."""
    shown = said if is_whole else f"{said}\n\n{NO_BUTTONS}"
    if limits.weight(shown) > limits.FALLBACK_TEXT:
        shown = shown[: limits.prefix(shown, limits.FALLBACK_TEXT - 300)] + CUT
        shown += "" if is_whole else f"\n\n{NO_BUTTONS}"
    return escape.mrkdwn(shown)


def plain(shown: str) -> Json:
    return {"type": "plain_text", "text": escape.inert(shown) or " ", "emoji": False}


def size(of: Sequence[Json]) -> int:
    """Characters of all text in the blocks, the longest that anybody counts."""
    total = 0
    rest: list[Any] = list(of)
    while rest:
        one = rest.pop()
        if isinstance(one, list):
            rest.extend(cast("list[Any]", one))
        elif isinstance(one, dict):
            known = cast(Json, one)
            rest.extend(known.values())
            total += limits.weight(fields.text(known, "text"))
    return total


def _until(moment: float) -> str:
    """In the reader's own time zone, as Slack writes it; in UTC where a client cannot."""
    plainly = f"{datetime.fromtimestamp(moment, UTC):%d %b, %H:%M} UTC"
    return f"Waits until <!date^{int(moment)}^{{date_short_pretty}}, {{time}}|{plainly}>"


def _small(*lines: str) -> Json:
    kept = list(lines[: limits.CONTEXT_ELEMENTS - 1])
    if len(lines) > len(kept):
        kept.append("\n".join(lines[len(kept) :]))
    return {"type": "context", "elements": [plain(_cut(one, limits.SMALL_PRINT)) for one in kept]}


def _cut(shown: str, most: int) -> str:
    return shown if len(shown) <= most else shown[: most - len(CUT)] + CUT
