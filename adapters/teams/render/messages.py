"""Builds the activities of an answer: text, tables, sources to hover over, what it cost."""

import re

from adapters import cost, links
from adapters.teams.render import figures, limits, markdown, tables, workings
from core.records import Answer, Chip, Json

_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~])")
ROLES = "https://schema.org/Message"


def render(answer: Answer, sensitivity: str = "") -> list[Json]:
    """Messages in order. Sources and cost stand on the last one; the label that a model wrote it
    stands on all of them, where one did."""
    read = markdown.read(answer.text)
    texts = markdown.parts(read.prose)
    shown = [message(text) for text in texts[: limits.PARTS]] or [message("")]
    if len(texts) > limits.PARTS:
        shown[-1]["text"] += "\n\n_The answer is longer than Teams shows._"
    for card in [*tables.cards(read.tables), *figures.cards(answer.figures)]:
        _attach(shown, tables.attachment(card))
    if (how := workings.card(answer.workings)) is not None:
        _attach(shown, tables.attachment(how))
    if answer.cost is not None or answer.chips:
        _close(shown, answer)
        for one in shown:
            one.setdefault("entities", []).append(label(one, answer.chips, sensitivity))
    if answer.cost is not None:
        shown[-1]["channelData"] = {"feedbackLoop": {"type": "default"}}
    return shown


def message(text: str) -> Json:
    return {"type": "message", "text": text, "textFormat": "markdown"}


def sentence(text: str) -> str:
    """Plain words as Markdown that shows them as they are."""
    return _MARKDOWN.sub(r"\\\1", text)


def _attach(shown: list[Json], attachment: Json) -> None:
    """On the last message, or on one more where it does not fit."""
    last = shown[-1]
    tried = {**last, "attachments": [*last.get("attachments", []), attachment]}
    if limits.size(tried) <= limits.MESSAGE_BYTES - 8_000:
        shown[-1] = tried
    else:
        shown.append({**message(""), "attachments": [attachment]})


def _close(shown: list[Json], answer: Answer) -> None:
    last = shown[-1]
    lines = [*_sources(answer.chips, last["text"])]
    if answer.cost is not None:
        lines.append(f"_{sentence(cost.line(answer.cost))}_")
    last["text"] = "\n\n".join(filter(None, [last["text"], *lines]))


def _sources(chips: tuple[Chip, ...], text: str) -> list[str]:
    """Marks for the sources that the last message does not name: what is marked can be hovered
    over. Beyond the number that Teams takes, they are listed by name."""
    cited = chips[: limits.CITATIONS]
    missing = [f"[{chip.number}]" for chip in cited if f"[{chip.number}]" not in text]
    found = [f"Sources: {' '.join(missing)}"] if missing else []
    rest = [f"[{chip.number}] {sentence(_name(chip))}" for chip in chips[limits.CITATIONS :]]
    return [*found, *([" · ".join(rest)[: limits.LINE]] if rest else [])]


def label(shown: Json, chips: tuple[Chip, ...], sensitivity: str = "") -> Json:
    """That a model wrote it, what it rests on, and how confidential it is: `name: meaning`."""
    entity: Json = {
        "type": ROLES,
        "@type": "Message",
        "@context": "https://schema.org",
        "additionalType": ["AIGeneratedContent"],
    }
    if sensitivity:
        name, _, about = sensitivity.partition(":")
        entity["usageInfo"] = {
            "type": "https://schema.org/Message",
            "@type": "CreativeWork",
            "@id": "sensitivity",
            "name": name.strip()[: limits.CITATION_NAME],
            "description": about.strip()[: limits.SENSITIVITY],
        }
    cited = [
        _citation(chip) for chip in chips[: limits.CITATIONS] if f"[{chip.number}]" in shown["text"]
    ]
    return entity | {"citation": cited} if cited else entity


def _citation(chip: Chip) -> Json:
    document: Json = {
        "@type": "DigitalDocument",
        "name": _name(chip)[: limits.CITATION_NAME],
        "abstract": _name(chip)[: limits.CITATION_ABSTRACT],
    }
    if url := address(chip.url):
        document["url"] = url
    return {"@type": "Claim", "position": chip.number, "appearance": document}


def _name(chip: Chip) -> str:
    return " ".join(chip.label.split()) or "source"


def address(url: str) -> str:
    """Empty for what is no plain address on https."""
    return links.plain(url, longest=limits.URL)
