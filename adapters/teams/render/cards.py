"""Shows a parked call as an Adaptive Card: the card that a person decides by."""

from datetime import UTC, datetime

from adapters.cards import STATES, label, notices, offered
from adapters.teams.render import effect, limits, tables
from adapters.teams.render.effect import line, run, small, strong
from adapters.teams.render.messages import address
from core.cards import Button, Card
from core.records import Json

ROOM = limits.CARD_BYTES - 8_000
"""Bytes for the fields; the rest is for what stands around them."""
_STYLES: dict[Button, str] = {"send": "positive", "connect": "positive", "cancel": "destructive"}


def content(card: Card, said: str = "") -> Json:
    """The Adaptive Card. With Send among the buttons every field is there whole; a shortened one
    is marked, and all of it can be opened. `said` stands above it."""
    shown = effect.fitted(card.fields, ROOM)
    top = [line(run(said), spacing="None")] if said else []
    body = [*top, *head(card), *effect.elements(shown.fields)]
    if shown.left_out:
        body.append(small(f"… and {shown.left_out} more fields: open the full text."))
    body += foot(card)
    buttons = offered(card, is_shortened=shown.is_shortened)
    return tables.card(body, [*map_buttons(card, buttons), *_look(card)])


def page(card: Card, number: int) -> Json:
    """All of a long card, page by page, with Send on the last one."""
    pages = _pages(card)
    at = min(max(number, 0), len(pages) - 1)
    is_last = at == len(pages) - 1
    body = [*head(card), *pages[at]]
    if len(pages) > 1:
        body.append(small(f"Page {at + 1} of {len(pages)}"))
    actions: list[Json] = []
    if is_last:
        body += foot(card)
        actions += (
            [execute("Send", "send", card, style="positive")] if "send" in card.buttons else []
        )
    else:
        actions.append(execute("Next page", "page", card, page=at + 1))
    if at:
        actions.append(execute("Previous page", "page", card, page=at - 1))
    return tables.card(body, [*actions, execute("Back", "back", card)])


def message(card: Card, said: str) -> Json:
    """The activity that shows it; `said` is the same in words, for notifications."""
    return {
        "type": "message",
        "summary": said[:200],
        "attachments": [tables.attachment(content(card))],
    }


def map_buttons(card: Card, buttons: tuple[Button, ...]) -> list[Json]:
    return [button(card, name) for name in buttons]


def button(card: Card, name: Button) -> Json:
    style = {"style": _STYLES[name]} if name in _STYLES else {}
    return {**execute(label(card, name), name, card), **style}


def execute(title: str, verb: str, card: Card, *, style: str = "", **more: object) -> Json:
    """Carries the call's id and revision, and nothing that decides who somebody is."""
    made: Json = {
        "type": "Action.Execute",
        "title": title,
        "verb": verb,
        "data": {"call": card.call, "revision": card.revision, **more},
    }
    return made | {"style": style} if style else made


def head(card: Card) -> list[Json]:
    """What it is, and how it stands."""
    title = f"#{card.number} {' '.join(card.title.split())}"
    found = [line(run(title, weight="Bolder", size="Medium"))]
    if card.status:
        status = " ".join(card.status.split())[: limits.SMALL_PRINT]
        found.append(line(strong(f"{STATES[card.state]} {status}")))
    return found


def foot(card: Card) -> list[Json]:
    """What else one should know: warnings, where it comes from, who decides until when."""
    found = [small(notice) for notice in notices(card)]
    if card.question:
        found.append(small(f"Asked: “{card.question}”"))
    if card.sources:
        found.append(small(f"Rests on: {' · '.join(card.sources)}"))
    if card.state == "parked":
        found.append(small(f"Decides: {card.approvers}"))
        found.append(_until(card.expires_at))
    return found


def _until(moment: float) -> Json:
    """In the reader's own time zone: Teams reads this form of a moment in text blocks alone."""
    at = datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "type": "TextBlock",
        "text": f"Waits until {{{{DATE({at}, SHORT)}}}}, {{{{TIME({at})}}}}",
        "isSubtle": True,
        "size": "Small",
        "wrap": True,
        "spacing": "Small",
    }


def _look(card: Card) -> list[Json]:
    url = address(card.link)
    return [{"type": "Action.OpenUrl", "title": "Look at it", "url": url}] if url else []


def _pages(card: Card) -> list[list[Json]]:
    found: list[list[Json]] = [[]]
    size = 0
    for element in _small_elements(effect.elements(card.fields)):
        weighs = limits.size(element)
        if found[-1] and size + weighs > ROOM:
            found.append([])
            size = 0
        found[-1].append(element)
        size += weighs
    return found


def _small_elements(elements: list[Json]) -> list[Json]:
    """Framed texts in pieces that fit on a page."""
    found: list[Json] = []
    for element in elements:
        if element["type"] != "Container":
            found.append(element)
            continue
        lines = [piece for one in element["items"] for piece in _short(one)]
        starts = range(0, len(lines), 40)
        found += [{**element, "items": lines[start : start + 40]} for start in starts]
    return found


def _short(one: Json) -> list[Json]:
    """A line in pieces of a few hundred characters."""
    inner: Json = one["inlines"][0]
    text: str = inner["text"]
    pieces = [text[at : at + 300] for at in range(0, len(text), 300)]
    return [{**one, "inlines": [{**inner, "text": piece}]} for piece in pieces]
