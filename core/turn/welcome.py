"""What the bot says of itself: the greeting of a first contact and the answer to `help`."""

from core.context.shape import cut
from core.records import Person
from core.turn.permitted import Offer
from core.turn.setup import Setup

SHOWN = 12
"""Tools that `help` lists."""


def greeting(person: Person) -> str:
    """Said once, privately, beside the first answer. Markdown."""
    name = f" {person.name.split()[0]}" if person.name.strip() else ""
    return (
        f"Hello{name}, I am Countersign. I answer in the thread, from the company's own data, and"
        " show what each answer rests on and what it cost. Write `help` to see what I can do for"
        " you here."
    )


def capabilities_text(offer: Offer, setup: Setup) -> str:
    """What this person may use here, as Markdown."""
    lines = [
        "**I answer questions from the company's own data**, with sources and cost. In a channel or"
        " a thread mention me each time; in a direct message just write."
    ]
    if offer.tools:
        lines.append("\n**What I can look up for you here**")
        lines += [f"- {_sentence(t.description) or t.name}" for t in offer.tools[:SHOWN]]
        if len(offer.tools) > SHOWN:
            lines.append(f"- … and {len(offer.tools) - SHOWN} more")
    else:
        lines.append("\nNo data source is open to you here yet; an admin can change that.")
    on_request = [w.key for w in offer.withheld if w.rule.startswith("the question does not speak")]
    if on_request:
        lines.append("\nAsk for a spreadsheet or another file, and I attach it to the thread.")
    lines += _models(setup)
    if offer.problems:
        lines.append("\n**What does not work at the moment**")
        lines += [f"- {problem}" for problem in offer.problems]
    return "\n".join(lines)


def _models(setup: Setup) -> list[str]:
    """Which model answers, and what a question may name instead."""
    lines = [f"\nQuestions go to the model `{setup.default.model}`."]
    if len(setup.models) > 1:
        lines.append(f"- Another one: begin with {_names('model', setup.models)}")
    if setup.agents:
        lines.append(f"- An agent: begin with {_names('agent', tuple(setup.agents))}")
    return lines


def _names(kind: str, names: tuple[str, ...]) -> str:
    return ", ".join(f"`{kind}:{name}`" for name in names[:8])


def _sentence(text: str) -> str:
    """The first sentence of a description, on one line."""
    line = " ".join(text.split())
    return cut(line.split(". ")[0].rstrip("."), 160)
