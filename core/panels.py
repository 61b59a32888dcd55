"""The panel: what a command is answered with, on whatever surface, to one person alone."""

from dataclasses import dataclass, field

from core.figures import Figure
from core.records import Person, Place, ThreadId

WORDS = frozenset(
    {
        "accept",
        "budget",
        "budgets",
        "channel",
        "disable",
        "enable",
        "forget",
        "forget-me",
        "home",
        "my",
        "policy",
        "usage",
        "why",
    }
)
"""What an order begins with. Words that begin so may still be a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A button that types a command for the one who presses it."""

    label: str
    words: str
    """What it types: `usage 7d by model`."""
    is_danger: bool = False
    confirm: str = ""
    """Asked before it counts; empty: it counts at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A file for the one who asked."""

    name: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    text: str
    """Markdown without any live address."""
    figures: tuple[Figure, ...] = ()
    choices: tuple[Choice, ...] = ()
    file: Attached | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A command as the adapter's inbound half took it from a signed delivery."""

    person: Person
    place: Place
    words: str
    """Without the mention or the slash word."""
    thread: ThreadId | None = None
    """None where it was typed outside of any."""
    is_typed: bool = False
    """It can be nothing but a command: a slash word or a button. Else it may be a question that
    begins like one."""
