"""Shows one person what waits for them: their cards, as many as a message holds."""

from collections.abc import Sequence

from adapters.slack.render import cards, limits
from core.cards import Card
from core.records import Json

MORE = f"{cards.ACTION}more"
"""The button for the cards that did not fit; its value is how many were shown before."""
NOTHING = "Nothing waits for you."
_ROOM = limits.MESSAGE_TOTAL - 1_000


def message(waiting: Sequence[Card], first: int = 0, said: str = "") -> Json:
    """`text` and `blocks` of a message for this person alone. `said` stands above the cards."""
    count = len(waiting)
    start = first if 0 <= first < count else 0
    told = NOTHING if not count else f"{count} {'call waits' if count == 1 else 'calls wait'}."
    top = f"{said}\n{told}" if said else told
    shown: list[Json] = [{"type": "section", "text": cards.plain(top[: limits.SMALL_PRINT])}]
    size = cards.size(shown)
    after = start
    for card in waiting[start:]:
        added: list[Json] = [{"type": "divider"}, *cards.blocks(card)]
        weighs = cards.size(added)
        is_full = len(shown) + len(added) > limits.MESSAGE_BLOCKS - 1 or size + weighs > _ROOM
        if is_full and after > start:
            break
        shown += added
        size += weighs
        after += 1
    if after < count or start:
        shown.append({"type": "actions", "elements": [_more(after if after < count else 0)]})
    return {"text": cards.text(top), "blocks": shown}


def _more(first: int) -> Json:
    return {
        "type": "button",
        "action_id": MORE,
        "text": cards.plain("Show more" if first else "Back to the first"),
        "value": str(first),
    }
