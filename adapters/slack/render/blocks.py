"""Builds the messages of an answer as Block Kit dictionaries.

Dictionaries and not the SDK's models: those know no newer block and check lengths only partly.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from adapters import cost
from adapters.slack.render import escape, feedback, figures, limits, workings
from adapters.slack.render.markdown import plain
from adapters.slack.render.split import parts, plan
from core.figures import Figure
from core.records import Answer, Chip, Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message. `text` is what notifications and old clients show. `whole` is all its
    Markdown and `closing` its sources and cost as mrkdwn, for the case that Slack refuses
    the blocks."""

    blocks: tuple[Json, ...]
    text: str
    whole: str
    closing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    messages: tuple[Message, ...]
    whole_as_file: str = ""
    """The whole answer as Markdown, where the messages show only its beginning."""


def render(answer: Answer, turn: str = "", most: int | None = None) -> Rendered:
    """The messages of an answer in order, at most `most` of them; sources and cost stand on the
    last one, and with a `turn` the buttons to rate its answer."""
    planned = plan(escape.inert(answer.text), limits.PARTS if most is None else most)
    messages = [_message([markdown(part)], part) for part in planned.parts]
    messages += map(_figure, answer.figures)
    last = closing(answer, turn)
    return Rendered(
        messages=tuple(_closed(messages, last) if last else messages),
        whole_as_file=answer.text if planned.needs_file else "",
    )


def _figure(figure: Figure) -> Message:
    """A message of its own: Slack takes one table in each."""
    return _message(titled(figure), figures.as_markdown(figure))


def titled(figure: Figure) -> list[Json]:
    """The figure under its name, which a chart that has room for all of it says itself."""
    name, shown = figures.title(figure), figures.block(figure)
    is_chart = shown["type"] == "data_visualization"
    if is_chart and (not figure.title or shown["title"] == name):
        return [shown]
    return [context([f"*{escape.label(name, limits.LABEL)}*"]), shown]


def closing(answer: Answer, turn: str = "") -> list[Json]:
    """What stands under an answer."""
    rating = [feedback.block(turn)] if turn else []
    return [*workings.blocks(answer.workings), *sources(answer.chips), *_cost(answer), *rating]


def left_of(pages: int) -> int:
    """How many messages an answer may have beside those."""
    return max(1, limits.PARTS - pages)


def markdown(text: str) -> Json:
    return {"type": "markdown", "text": text}


def context(elements: Sequence[str]) -> Json:
    """`elements` are mrkdwn, escaped already."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text} for text in elements]}


def sources(chips: Sequence[Chip]) -> list[Json]:
    """Numbered sources, packed into as few context blocks as hold them."""
    packed: list[str] = []
    for shown in map(_source, chips):
        if packed and len(packed[-1]) + len(shown) + 3 <= limits.CONTEXT_TEXT:
            packed[-1] += " · " + shown
        else:
            packed.append(shown)
    kept = packed[: limits.SHARED_SOURCES]
    if len(packed) > len(kept):
        kept[-1] = "… and further sources"
    return [context([text]) for text in kept]


def _source(chip: Chip) -> str:
    name = escape.label(chip.label, limits.LABEL) or "source"
    target = escape.address(chip.url, limits.URL) if chip.url else ""
    return f"[{chip.number}] <{target}|{name}>" if target else f"[{chip.number}] {name}"


def _cost(answer: Answer) -> list[Json]:
    if answer.cost is None:
        return []
    return [context([escape.mrkdwn(cost.line(answer.cost)[: limits.COST])])]


def _closed(messages: list[Message], closing: list[Json]) -> list[Message]:
    """With the closing blocks on the last message, or after it where they do not fit on it."""
    shown = "\n".join(filter(None, map(_words, closing)))
    if messages:
        last = messages[-1]
        if size([*last.blocks, *closing]) <= limits.MESSAGE_TOTAL:
            return [*messages[:-1], _message([*last.blocks, *closing], last.whole, shown)]
    return [*messages, _message(closing, "Sources and cost", shown)]


def _message(blocks: Sequence[Json], whole: str, closing: str = "") -> Message:
    return Message(blocks=tuple(blocks), text=fallback(whole), whole=whole, closing=closing)


def fallback(whole: str) -> str:
    """The beginning of a Markdown text as plain words for `text`: at most 4,000 characters,
    escaped, never ending in the middle of an entity or of inline code."""
    safe = escape.inert(plain(whole))
    if limits.weight(safe) <= limits.FALLBACK_TEXT:
        return escape.mrkdwn(safe)
    start = safe[: limits.prefix(safe, limits.FALLBACK_TEXT - 10)]
    return escape.mrkdwn(start + ("`" if start.count("`") % 2 else "") + " …")


def plain_pieces(message: Message) -> list[str]:
    """The whole message as mrkdwn texts of at most 4,000 characters, without any block."""
    pieces = [
        escape.mrkdwn(plain(part)) for part in parts(message.whole, limits.FALLBACK_TEXT - 100)
    ]
    closing: list[str] = []
    for line in message.closing.splitlines():
        if closing and len(closing[-1]) + len(line) < limits.FALLBACK_TEXT:
            closing[-1] += f"\n{line}"
        else:
            closing.append(line)
    return [*pieces, *closing]


def size(blocks: Sequence[Json]) -> int:
    """Weight of all text in the blocks, as Slack counts them together."""
    return sum(map(_size, blocks))


def _size(block: Json) -> int:
    if block["type"] == "markdown":
        return limits.weight(block["text"])
    if block["type"] in ("table", "data_table"):
        cells = (cell for row in block["rows"] for cell in row)
        return sum(limits.weight(cell["text"]) for cell in cells)
    return len(_words(block))


def _words(block: Json) -> str:
    """The text of a context block and of how rows came about, escaped as it is; none of
    others."""
    if block["type"] == "container":
        return workings.words(block)
    if block["type"] != "context":
        return ""
    return " ".join(element["text"] for element in block["elements"])
