"""Shows all of a card in a modal, on as many pages as it takes, with Send on the last one."""

from adapters.slack.render import cards, effect, limits
from adapters.slack.render.effect import line, words
from core.cards import Card
from core.records import Json

CALLBACK = "call.full"
TURN = f"{cards.ACTION}page"
"""The button that leads to another page; its value is the page's number, from 0."""


def view(card: Card, page: int, metadata: str) -> Json:
    """One page of the modal. `metadata` comes back with every click in it."""
    all_pages = pages(card)
    at = min(max(page, 0), len(all_pages) - 1)
    is_last = at == len(all_pages) - 1
    shown = list(all_pages[at])
    if len(all_pages) > 1:
        told = f"Page {at + 1} of {len(all_pages)}"
        shown.append({"type": "context", "elements": [cards.plain(told)]})
        shown.append({"type": "actions", "elements": _turning(at, len(all_pages))})
    if is_last:
        shown += cards.foot(card)
    made = modal(CALLBACK, f"#{card.number} in full", shown, metadata)
    can_send = is_last and "send" in card.buttons
    return made | {"submit": cards.plain("Send")} if can_send else made


def pages(card: Card) -> list[list[Json]]:
    """Everything that the card has to show, nothing shortened."""
    whole = [*cards.head(card), *effect.blocks(card.fields)]
    found: list[list[Json]] = [[]]
    size = 0
    for block in whole:
        weighs = cards.size([block])
        is_full = size + weighs > limits.PAGE_TEXT or len(found[-1]) >= limits.PAGE_BLOCKS
        if found[-1] and is_full:
            found.append([])
            size = 0
        found[-1].append(block)
        size += weighs
    return found


def modal(callback: str, title: str, blocks: list[Json], metadata: str, close: str = "") -> Json:
    return {
        "type": "modal",
        "callback_id": callback,
        "title": cards.plain(title[: limits.VIEW_TITLE]),
        "close": cards.plain(close or "Close"),
        "private_metadata": metadata,
        "blocks": blocks,
    }


def sentence(title: str, said: str) -> Json:
    """A modal that says one thing."""
    block: Json = {"type": "rich_text", "elements": [line(words(said))]}
    return modal("call.said", title, [block], "")


def _turning(at: int, count: int) -> list[Json]:
    ways = [("Back", at - 1), ("Next page", at + 1)]
    return [
        {
            "type": "button",
            "action_id": f"{TURN}.{'back' if to < at else 'next'}",
            "text": cards.plain(label),
            "value": str(to),
        }
        for label, to in ways
        if 0 <= to < count
    ]
