"""Shows a panel as one Adaptive Card: words, figures, and buttons that type a command."""

import re

from adapters.teams.render import figures, limits, tables
from adapters.teams.render.effect import line, run, strong
from core.panels import Choice, Panel
from core.records import Json

VERB = "order"
"""Of every button; what it types is in its `words`."""
MOST = 20
ROOM = limits.CARD_BYTES - 6_000
_CODE = re.compile(r"`([^`\n]*)`|\*\*([^*\n]+)\*\*")


def content(panel: Panel) -> Json:
    """The Adaptive Card. Figures that do not fit any more are left out and named."""
    body = [element for text in panel.text.split("\n") if text for element in _line(text)]
    left = 0
    for card in figures.cards(panel.figures):
        if limits.size({"body": [*body, *card["body"]]}) <= ROOM:
            body += card["body"]
        else:
            left += 1
    if left:
        body.append(line(run(f"{left} more tables do not fit here.", isSubtle=True)))
    return tables.card(body, [*map(_button, panel.choices[:MOST])])


def message(panel: Panel) -> Json:
    first = panel.text.partition("\n")[0].replace("*", "")
    attachment = tables.attachment(content(panel))
    return {"type": "message", "summary": first[:200], "attachments": [attachment]}


def _line(text: str) -> list[Json]:
    is_item = text.startswith("- ")
    runs = _runs(text[2:] if is_item else text)
    return [line(*([run("• ")] if is_item else []), *runs, spacing="Small")]


def _runs(text: str) -> list[Json]:
    """Bold and code as runs of their own; nothing else is markup."""
    found: list[Json] = []
    position = 0
    for match in _CODE.finditer(text):
        if before := text[position : match.start()]:
            found.append(run(before))
        found.append(run(match[1], fontType="Monospace") if match[1] else strong(match[2] or " "))
        position = match.end()
    rest = text[position:]
    return [*found, *([run(rest)] if rest or not found else [])]


def _button(choice: Choice) -> Json:
    made: Json = {
        "type": "Action.Execute",
        "title": choice.label[:60],
        "verb": VERB,
        "data": {"words": choice.words},
    }
    if choice.is_danger:
        made["style"] = "destructive"
    if choice.confirm:
        # Teams has no question before a button; the second card asks.
        made["data"]["confirm"] = choice.confirm
    return made


def sure(label: str, words: str, question: str) -> Json:
    """The card that asks before a button counts."""
    yes: Json = {
        "type": "Action.Execute",
        "title": label,
        "verb": VERB,
        "style": "destructive",
        "data": {"words": words},
    }
    return tables.card([line(run(question))], [yes])
