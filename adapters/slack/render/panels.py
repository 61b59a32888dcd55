"""Shows a panel as Block Kit: in a message for one person, or in their App Home."""

from collections.abc import Sequence

from adapters.slack.render import blocks, cards, escape, figures, limits
from adapters.slack.render.markdown import plain
from core.figures import Figure
from core.panels import Choice, Panel
from core.records import Json

ACTION = "panel."
"""What the action of each button begins with; its value is what the button types."""
ROW = 5
"""Buttons beside each other."""
MOST = 25
LINES = 25
"""Rows of a table in the App Home, as lines."""
SECTION = 2_900
"""Characters of one section of the App Home."""
LONGEST = 1_900
"""Characters that a button types."""


def message(panel: Panel) -> Json:
    """`text` and `blocks` of a message for one person alone."""
    text = escape.inert(panel.text)[: limits.PART_TEXT]
    shown = [blocks.markdown(text)]
    has_table = False
    for figure in panel.figures:
        titled = blocks.titled(figure)
        is_table = titled[-1]["type"] != "data_visualization"
        # Slack takes one table in a message; a chart that cannot be drawn is one as well.
        if not (is_table and has_table):
            shown += titled
        has_table = has_table or is_table
    return {"text": blocks.fallback(text), "blocks": [*shown, *rows(panel.choices)]}


def home(panels: Sequence[Panel], waiting: Sequence[Json] = ()) -> Json:
    """The view of an App Home: panels one below the other, the newest first, then `waiting`, which
    are blocks of parked calls. It takes no tables, so they are lines here."""
    shown: list[Json] = []
    for panel in panels:
        shown += map(_section, _pieces(panel.text))
        for figure in panel.figures:
            shown += _lines(figure)
        shown += [*rows(panel.choices), {"type": "divider"}]
    return {"type": "home", "blocks": [*shown, *waiting][: limits.PAGE_BLOCKS]}


def rows(choices: Sequence[Choice]) -> list[Json]:
    buttons = [
        _button(number, choice)
        for number, choice in enumerate(choices[:MOST])
        if len(choice.words) <= LONGEST
    ]
    return [
        {"type": "actions", "elements": buttons[start : start + ROW]}
        for start in range(0, len(buttons), ROW)
    ]


def _button(number: int, choice: Choice) -> Json:
    made: Json = {
        "type": "button",
        "action_id": f"{ACTION}{number}",
        "text": cards.plain(escape.inert(choice.label)[: limits.BUTTON]),
        "value": choice.words,
    }
    if choice.is_danger:
        made["style"] = "danger"
    if choice.confirm:
        made["confirm"] = {
            "title": cards.plain("Sure?"),
            "text": cards.plain(choice.confirm[: limits.CONFIRM]),
            "confirm": cards.plain("Yes"),
            "deny": cards.plain("No"),
        }
    return made


def _pieces(text: str) -> list[str]:
    """Paragraphs, packed into sections."""
    found: list[str] = []
    for paragraph in escape.inert(text).split("\n\n"):
        if found and len(found[-1]) + len(paragraph) < SECTION // 2:
            found[-1] += f"\n\n{paragraph}"
        else:
            found.append(paragraph[:SECTION])
    return found


def _section(text: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": _mrkdwn(text)[:SECTION]}}


def _mrkdwn(text: str) -> str:
    """Bold stays bold; the rest is escaped."""
    parts = text.split("**")
    return "".join(
        f"*{escape.mrkdwn(part)}*" if place % 2 and part.strip() else escape.mrkdwn(part)
        for place, part in enumerate(parts)
    ).replace("\n- ", "\n• ")


def _lines(figure: Figure) -> list[Json]:
    """The rows of a table as lines of one width; a chart says nothing more than its table."""
    if figure.kind != "table":
        return []
    rows = figure.rows[:LINES]
    texts = [figure.columns, *(tuple(map(figures.text, row)) for row in rows)]
    wide = [max(len(row[at]) for row in texts) for at in range(len(figure.columns))]
    lines = ["  ".join(cell.ljust(wide[at])[:40] for at, cell in enumerate(row)) for row in texts]
    block = "\n".join(escape.mrkdwn(plain(line).replace("`", "'")) for line in lines)
    text: Json = {"type": "mrkdwn", "text": f"```{block[: SECTION - 10]}```"}
    left = figure.total - len(rows)
    more = [blocks.context([f"… and {left} more: ask for it in a message"])] if left else []
    return [{"type": "section", "text": text}, *more]
