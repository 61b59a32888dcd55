"""What the bot says of itself: the greeting of a first contact and the answer to `help`."""

from collections.abc import Sequence
from itertools import zip_longest

from core.context.shape import cut
from core.policy.tags import REQUIRES_APPROVAL
from core.records import Person, Tool
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


def capabilities_text(offer: Offer, setup: Setup, *, is_admin: bool) -> str:
    """What this person may use here, as Markdown. What waits for an admin is said to admins."""
    lines = [
        "**I answer questions from the company's own data**, with sources and cost. In a channel or"
        " a thread mention me each time; in a direct message just write."
    ]
    acting = [tool for tool in offer.tools if REQUIRES_APPROVAL in tool.tags]
    reading = in_turn([tool for tool in offer.tools if tool not in acting])
    if reading:
        lines.append("\n**What I can look up for you here**")
        shown = sorted(reading[:SHOWN], key=lambda tool: tool.server)
        lines += [f"- {_sentence(tool.description) or tool.name}" for tool in shown]
        if len(reading) > SHOWN:
            lines.append(f"- … and {len(reading) - SHOWN} more")
    elif not acting:
        lines.append("\nNo data source is open to you here yet; an admin can change that.")
    if acting:
        named = ", ".join(tool.name.replace("_", " ") for tool in acting)
        lines.append(f"\n**What I can do once somebody has agreed to it**\n\n{named}")
    on_request = [w.key for w in offer.withheld if w.rule.startswith("the question does not speak")]
    if on_request:
        lines.append("\nAsk for a spreadsheet or another file, and I attach it to the thread.")
    lines += _models(setup)
    if problems := offer.problems if is_admin else offer.outages:
        lines.append("\n**What does not work at the moment**")
        lines += [f"- {problem}" for problem in problems]
    if len(problems) > len(offer.outages):
        lines.append(
            "\nYou are an admin: write `accept SERVER/TOOL` to accept a tool as it is now."
        )
    return "\n".join(lines)


def in_turn(tools: Sequence[Tool]) -> list[Tool]:
    """One of each server after the other, so that a long list hides no server."""
    by_server: dict[str, list[Tool]] = {}
    for tool in tools:
        by_server.setdefault(tool.server, []).append(tool)
    rows = zip_longest(*by_server.values())
    return [tool for row in rows for tool in row if tool is not None]


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
