"""The values of an approval: the parked call, the card that shows it, the click that decides it.

A parked call is a row that waits for a person. Its card is derived from the row and never the
other way round; a click names the row and its revision and nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NewType

from core.records import Address, EvidenceId, Json, PersonId, Place, ThreadId, TurnId

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

EffectKind = Literal["keyed", "checkable", "blind"]
"""`keyed`: repeating with the same key is harmless. `checkable`: what happened can be read
afterwards. `blind`: neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """Who decides, as policy says: the strictest of all matching rules."""

    by: tuple[str, ...] = ("asker",)
    """`asker`, `person:<id>`, `group:<name>`."""
    is_asker_barred: bool = False
    """Four eyes: the person who asked may not approve."""
    needed: int = 1
    """How many different approvers have to agree."""
    seconds: float = 86_400.0
    """From parking to expiry."""
    deputy: tuple[str, ...] = ()
    """Who may decide as well after `escalate_after` seconds."""
    escalate_after: float = 0.0
    reason: str = ""
    """The rule or tag that asked for it, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedCall:
    """A tool call that waits for a person. `digest` binds what is shown to what is run."""

    id: CallId
    number: int
    """What people and the model call it: #17."""
    revision: int = 1
    state: CallState = "parked"
    turn: TurnId
    thread: ThreadId
    place: Place
    address: Address
    """Where the thread's card stands."""
    requester: PersonId
    authority: PersonId
    """Whose account it runs under: the requester unless tool or policy name another."""
    tool: str
    """`server/tool`."""
    tool_digest: str
    arguments: Json
    """As they will be run."""
    proposed: Json
    """As the model asked for them; differs from `arguments` after an edit."""
    digest: str
    """SHA-256 over tool, canonical arguments, authority and revision."""
    policy_version: str
    approval: Approval
    question: str
    """What led to it, as the person wrote it."""
    evidence: tuple[EvidenceId, ...] = ()
    edited_by: PersonId | None = None
    agreed: tuple[PersonId, ...] = ()
    """Who has agreed to this revision so far."""
    parked_at: float
    expires_at: float
    decided_by: PersonId | None = None
    decided_at: float | None = None
    outcome: str = ""
    """One sentence for people about what came of it; the provider's request id is in the audit."""
    link: str = ""
    """Where the effect can be seen (the sent mail, the event), when it has an address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardField:
    """One line of the effect. Values are made visible: no live markup, nothing hidden."""

    label: str
    value: str
    marks: tuple[str, ...] = ()
    """`external`, `confusable`, `hidden text shown`, `changed`, …"""
    before: str | None = None
    """What was proposed, where an edit changed it."""
    is_long: bool = False
    """A text of its own rather than a line."""


Button = Literal["send", "edit", "cancel", "connect", "open", "was_sent", "again"]


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
    notices: tuple[str, ...] = ()
    """`Cannot be verified afterwards`, `Four eyes: …`, `Waits for Priya's Microsoft account`."""
    buttons: tuple[Button, ...] = ()
    status: str = ""
    """`Sent by you, 10:42`, `Expired`, …; empty while it waits."""
    link: str = ""
    question: str = ""
    sources: tuple[str, ...] = ()
    """Titles of the evidence behind it."""
    expires_at: float
    approvers: str = ""
    """Who decides, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """A decision as the adapter took it from a signed delivery. The person comes from the
    envelope, never from what a card carries."""

    delivery: str
    person: PersonId
    place: str
    call: CallId
    revision: int
    button: Button
    reason: str = ""
    """Of a cancel."""
    values: Mapping[str, object] = field(default_factory=dict[str, object])
    """Of an edit: argument name → value, typed by the tool's schema."""
    is_edit: bool = False
    address: Address = field(default_factory=dict[str, str])
    """Where the person can be told something privately."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a click came to. `sentence` is for the person who clicked, private."""

    kind: Literal["recorded", "already", "not_yours", "expired", "stale", "refused", "connect"]
    sentence: str
    url: str = ""
    """Of the account link, with `connect`; for this person alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One input of the edit form, typed by the tool's schema."""

    name: str
    label: str
    kind: Literal["text", "long_text", "number", "integer", "flag", "choice", "list", "datetime"]
    value: object
    choices: tuple[str, ...] = ()
    is_required: bool = False
    is_fixed: bool = False
    """Shown, but not to be edited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    call: CallId
    revision: int
    title: str
    fields: tuple[FormField, ...]
