"""The values that travel between rooms: frozen, without behaviour beyond their own derived names.

Times are seconds since the epoch (UTC) as float; money is a decimal string in US dollars; texts
are Markdown where the field says so and plain text elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NewType

from core.cards import Card
from core.figures import Figure
from core.said import Said
from core.workings import Working

PersonId = NewType("PersonId", str)
"""A person on one surface: `slack:T…/U…`."""
ThreadId = NewType("ThreadId", str)
"""A conversation, the unit of order and memory: `slack:T…/C…/<root ts>`."""
TurnId = NewType("TurnId", str)
EvidenceId = NewType("EvidenceId", str)
FileId = NewType("FileId", str)
"""A file by id, never by address: `slack:T…/F…` that a person posted, `file_…` made by a tool."""

Json = dict[str, Any]
Address = Mapping[str, str]
"""Where to answer, opaque to core: an adapter's inbound half writes it for its outbound half."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    id: PersonId
    name: str = ""
    groups: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    """Every other id that is proven to be theirs: other persons, `entra:<object id>`."""
    time_zone: str = "UTC"
    """IANA name."""
    locale: str = "en"


PlaceKind = Literal["dm", "group", "private", "public"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    surface: str
    """`slack` or `teams`."""
    tenant: str
    channel: str
    kind: PlaceKind
    name: str = ""
    is_shared: bool = False
    """People of another organisation read it as well."""

    @property
    def id(self) -> str:
        return f"{self.surface}:{self.tenant}/{self.channel}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A channel that the bot may post to."""

    id: str
    """For the poster alone to understand."""
    name: str
    """Without the mark before it."""
    is_private: bool = False
    is_shared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """A message that stands in a channel."""

    ts: str
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRef:
    """A file that a person named or attached. Its bytes are fetched by id through the surface."""

    id: FileId
    name: str
    media_type: str = "application/octet-stream"
    size: int = 0
    """Bytes, as the platform says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person asked, as the adapter's inbound half understood it; mentions of the bot are
    already taken off."""

    delivery: str
    """The key that makes a second arrival of the same message a duplicate: `slack:T…/C…/<ts>`."""
    thread: ThreadId
    place: Place
    person: Person
    text: str
    files: tuple[FileRef, ...] = ()
    forwarded: tuple[Said, ...] = ()
    """Messages of others that were passed on with it."""
    address: Address = field(default_factory=dict[str, str])
    said_at: float
    """When the person wrote it, by the platform's clock."""
    trace: str = ""
    """The span in which the turn goes on, as W3C's `traceparent`; empty where none is traced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A person wants what runs to end: in one thread, for one question, or (neither given) all
    that they asked for in this place."""

    place: str
    """`Place.id`."""
    person: PersonId | None = None
    """Only turns that this person asked for; None where the platform has decided who may stop."""
    thread: ThreadId | None = None
    delivery: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """What a person thinks of an answer, with the words that they typed beside it."""

    turn: TurnId
    place: str
    """`Place.id`."""
    person: PersonId
    is_good: bool
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The front door's answer: the platform may be told 200 for every kind."""

    kind: Literal["accepted", "duplicate", "refused"]
    turn: TurnId | None = None
    sentence: str = ""
    """Why it was refused; it is already on its way to the person, privately."""
    ahead: int = 0
    """How many questions of the same thread are answered before this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A claimed question. `attempt` is the fencing token: only the newest claim may end it."""

    id: TurnId
    question: Question
    model: str
    agent: str
    attempt: int
    accepted_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call as the model asked for it. `name` is the alias that was bound, not the tool's key."""

    id: str
    name: str
    arguments: Json
    fault: str = ""
    """Why the arguments could not be read (malformed JSON); then `arguments` is empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelMessage:
    role: Literal["system", "user", "assistant", "tool"]
    text: str
    calls: tuple[ToolCall, ...] = ()
    """Only on `assistant`."""
    call_id: str = ""
    """Only on `tool`: the call that this result belongs to."""
    is_error: bool = False
    images: tuple[bytes, ...] = field(default=(), repr=False)
    """Only on `user`, for a model that sees: PNG, JPEG, GIF or WebP."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSchema:
    """A tool as the model sees it: alias, description, JSON schema in the provider's dialect."""

    name: str
    description: str
    parameters: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Units of one metered use. `input_tokens` includes cached and cache-written ones;
    `output_tokens` includes reasoning."""

    input_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    pages: int = 0
    images: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    message: ModelMessage
    usage: Usage
    finish: Literal["stop", "tools", "length"]
    model: str
    """The name that the provider reported, else the one that was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Billing:
    """Who and what a metered use belongs to; travels with every call through the door."""

    turn: TurnId
    thread: ThreadId
    person: PersonId
    place: str
    """`Place.id`."""
    round: int = 0
    """1 to 4, 5 for the last call without tools, 0 outside the loop."""
    purpose: str = "answer"
    """`answer`, `last_call`, `retrieve`, `specialist`, …"""
    tool: str = ""
    """`server/tool` where a tool caused the use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One metered use. `price` is None when no price is known: unpriced, never 0.

    A partial one is of a provider that did not say all that it counted, because its answer broke
    off or was stopped: `usage` and `price` are what it did say, and its bill may be higher.
    """

    billing: Billing
    kind: Literal["chat", "embedding", "vision", "ocr", "image"]
    provider: str
    model: str
    usage: Usage
    price: str | None
    price_table: str
    """Name and version of the table that the price came from, `demo` or `offline` for uses that
    cost nothing."""
    outcome: str
    """`ok`, `length`, `blocked`, or the `kind` of a ModelFailed."""
    is_reported: bool = False
    """True where a foreign server reported the use and we did not count it ourselves."""
    attempt: int = 1
    started_at: float
    seconds: float
    is_partial: bool = False
    likely_tokens: int = 0
    likely_price: str | None = None
    """What a partial one comes to in all, estimated; None where no price is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a turn has used so far: the sum of its ledger entries."""

    models: tuple[str, ...] = ()
    calls: int = 0
    """Chat calls."""
    tokens: int = 0
    price: str = "0"
    unpriced: int = 0
    """How many uses have no known price, or one that is not all of it."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A discovered tool. Policy and pins go by its `key`, never by an alias."""

    server: str
    name: str
    description: str
    schema: Json
    """The JSON schema as the server gave it; arguments are validated against this one."""
    tags: frozenset[str] = frozenset()
    is_idempotent: bool = False
    """By its annotations: it only reads, or twice is like once."""
    digest: str = ""
    """SHA-256 over name, description, schema, tags and `is_idempotent`: the pin."""

    @property
    def key(self) -> str:
        return f"{self.server}/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """A tool that was discovered and not offered, with the rule that decided."""

    key: str
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PermittedSet:
    """What this person may be offered for this question, and what was held back."""

    offered: tuple[Tool, ...]
    withheld: tuple[Withheld, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeFile:
    """A file that a tool made. The bytes are kept in the files table under `id`."""

    id: FileId
    name: str
    media_type: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A tool result, kept whole outside the prompt. `text` is what the tool said, uncut."""

    id: EvidenceId
    turn: TurnId
    thread: ThreadId
    person: PersonId
    tool: str
    """`server/tool`."""
    title: str
    arguments: Json
    text: str
    structured: Json | None = None
    links: tuple[tuple[str, str], ...] = ()
    """(label, address) pairs that the result offers; the only addresses a chip may lead to."""
    files: tuple[MadeFile, ...] = ()
    is_error: bool = False
    made_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of text found by retrieve."""

    id: str
    scope: str
    source: str
    """What it is cut from: `turn:<id>` or `document:<id>`."""
    title: str
    text: str
    score: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A citation, rendered from evidence. `url` is empty when that has no address of its own."""

    number: int
    label: str
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the person reads. `text` is Markdown without any live link; links are chips."""

    text: str
    chips: tuple[Chip, ...] = ()
    files: tuple[MadeFile, ...] = ()
    figures: tuple[Figure, ...] = ()
    workings: tuple[Working, ...] = ()
    cost: Cost | None = None
    """None where no model was asked (help, refusals)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One row of the outbox: something to be said, once, in one place.

    `kind` `answer` goes to the thread for all to read; `private` is shown to `person` alone;
    `file` carries one file; `card` shows a parked call, and `answer` says the same in words.
    An address that is `{"person": <person id>}` and nothing else was made by core: `person` is
    reached by direct message.
    """

    id: str
    turn: TurnId
    surface: str
    address: Address
    kind: Literal["answer", "private", "file", "card"]
    person: PersonId
    answer: Answer
    card: Card | None = None
    replaces: str = ""
    """The post that showed this copy of the card first; at the surface, the platform's id of it."""
    trace: str = ""
    """The span that it is delivered in; see `Question.trace`."""
    attempt: int = 0
    """How often it was tried before: above 0 the surface must look whether it is already there."""
    can_share: bool = False
    """Its person may show it to all of the place."""
    may_have_begun: bool = False
    """Parts of it may have been shown while the turn ran, perhaps by a process that is gone."""
