"""The values of an approval: the parked call, and the click that decides it.

A parked call is a row that waits for a person. Its card is derived from the row and never the
other way round; a click names the row and its revision and nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from core.cards import Button as Button
from core.cards import CallId as CallId
from core.cards import CallState as CallState
from core.cards import Card as Card
from core.cards import CardField as CardField
from core.records import Address, EvidenceId, Json, PersonId, Place, ThreadId, TurnId

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
    also: tuple[tuple[str, ...], ...] = ()
    """Further sets of approvers, each of which has to agree as well: where rules name different
    people, all of them apply."""
    deputy: tuple[str, ...] = ()
    """Who may decide as well after `escalate_after` seconds."""
    escalate_after: float = 0.0
    account: str = ""
    """`person:<id>` under whose account it runs; empty: the asker's."""
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
    facts: Json = field(default_factory=dict[str, Any])
    """What the host adds when it runs, as `Effect.prepare` found it: sender, signature, hashes of
    attachments."""
    effect: EffectKind = "blind"
    """How certain the outcome will be; settled when it is claimed."""
    digest: str
    """SHA-256 over tool, canonical arguments, facts, authority and revision."""
    policy_version: str
    approval: Approval
    question: str
    """What led to it, as the person wrote it."""
    evidence: tuple[EvidenceId, ...] = ()
    sources: tuple[str, ...] = ()
    """Titles of that evidence."""
    edited_by: PersonId | None = None
    agreed: tuple[PersonId, ...] = ()
    """Who has agreed to this revision so far."""
    parked_at: float
    expires_at: float
    decided_by: PersonId | None = None
    decided_at: float | None = None
    outcome: str = ""
    """One sentence for people about what came of it."""
    link: str = ""
    """Where the effect can be seen (the sent mail, the event), when it has an address."""
    waits_for: str = ""
    """The account that has to be connected before anybody may decide, in a sentence."""
    was_connected: bool = False
    """Of a call that waits for an account: one is known, and has to be connected again."""
    claims: str = ""
    """The further proof that the sign-in has to bring, as JSON: a claims challenge."""
    can_try_again: bool = True
    """Of a failed one."""
    request_id: str = ""
    """The provider's own id of what was asked of it."""
    trace: str = ""
    """The span of the call that was parked; see `Question.trace`."""
    moves: int = 0
    """How often the row has changed: what a compare-and-set compares besides state and
    revision."""


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
