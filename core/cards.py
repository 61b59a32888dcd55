"""The card: a parked call as people see it, on whatever surface."""

from dataclasses import dataclass
from typing import Literal, NewType

CallId = NewType("CallId", str)

CallState = Literal[
    "parked",
    "approved",
    "executing",
    "done",
    "failed",
    "unknown",
    "cancelled",
    "expired",
    "void",
]
"""`approved` waits for the executor, `executing` has been claimed. `unknown`: we asked and do not
know what came of it. `void`: the question was taken back, or a newer call stands for this one."""

Button = Literal["send", "edit", "cancel", "connect", "open", "was_sent", "again"]
"""`open` shows all of a card that is too long; who has opened it may `send`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardField:
    """One line of the effect. Values are made visible: no live markup, nothing hidden."""

    label: str
    value: str
    marks: tuple[str, ...] = ()
    """`external`, `look-alike`, `hidden characters`, `markup`, `changed`, …"""
    before: str | None = None
    """What was proposed, where an edit changed it."""
    is_long: bool = False
    """A text of its own rather than a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A parked call as people see it. What is not on the card does not happen."""

    call: CallId
    number: int
    revision: int
    state: CallState
    title: str
    """`Send a mail`."""
    fields: tuple[CardField, ...]
    """Whole. Only where `send` is not among the buttons may a surface shorten them, marked."""
    notices: tuple[str, ...] = ()
    """`Cannot be verified afterwards`, `Four eyes: …`, `Waits for Priya's Microsoft account`."""
    buttons: tuple[Button, ...] = ()
    is_reconnected: bool = False
    """`connect` is for an account that was connected before."""
    status: str = ""
    """`Sent by Ada, 10:42`, `Expired`, …; empty while it waits."""
    link: str = ""
    question: str = ""
    sources: tuple[str, ...] = ()
    """Titles of the evidence behind it."""
    expires_at: float
    approvers: str = ""
    """Who decides, in words."""
