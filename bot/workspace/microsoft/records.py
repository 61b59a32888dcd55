"""What a Microsoft tenant consists of, as the stand-in keeps it in memory."""

import secrets
import uuid
from dataclasses import dataclass, field
from typing import Any, Literal, cast

Json = dict[str, Any]


def object_of(value: Any) -> Json | None:
    """The value if it is a JSON object."""
    return cast(Json, value) if isinstance(value, dict) else None


def list_of(value: Any) -> list[Any]:
    """The value if it is a JSON list, else an empty one."""
    return cast(list[Any], value) if isinstance(value, list) else []


def texts_of(value: Any) -> str:
    """All texts in a JSON value, in lower case."""
    found = object_of(value)
    if found is not None:
        return " ".join(texts_of(part) for part in found.values())
    if isinstance(value, list):
        return " ".join(texts_of(part) for part in list_of(value))
    return value.lower() if isinstance(value, str) else ""


TENANT_ID = "5e1c9d40-7b1f-4a55-9c3a-2f6d8e10b7a4"
NAMES = uuid.UUID("0b9a3c76-64f4-4d0b-8a3e-5a2f4c1d9e77")
"""Object ids are made from names in this space, so that they are the same at every start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Somebody in the directory, or a shared mailbox."""

    name: str
    """The handle, as in the Slack stand-in; tests say `mara`."""
    upn: str
    """User principal name, at the same time the mail address."""
    display_name: str
    job_title: str = ""
    department: str = ""
    time_zone: str = "Europe/Berlin"
    is_admin: bool = False
    is_shared_mailbox: bool = False
    """Nobody signs in as a shared mailbox."""
    delegates: tuple[str, ...] = ()
    """Handles of those who may open this mailbox and send as it."""

    @property
    def oid(self) -> str:
        """The object id, what joins a person across products."""
        return str(uuid.uuid5(NAMES, self.upn))


def _made_up() -> str:
    return secrets.token_urlsafe(24)


@dataclass(slots=True, kw_only=True)
class Registration:
    """The app under test, as it is registered in the tenant."""

    client_id: str = "7d0c2b15-3e64-4f0a-b9c8-1a5d6e7f8091"
    name: str = "Countersign"
    publisher: str = "Larkspur Cycles"
    secret: str = field(default_factory=_made_up, repr=False)
    certificates: list[str] = field(default_factory=list[str])
    """PEM; a client may prove itself with one of these instead of the secret."""
    redirect_uris: list[str] = field(default_factory=list[str])
    """Compared exactly; the port of a loopback address is not looked at, as Entra does."""


@dataclass(slots=True, kw_only=True)
class Fault:
    """One scripted failure of a request; used once unless `times` says otherwise.

    `status` 0 with neither `drop` nor `claims` lets the request through after `delay`.
    """

    status: int = 0
    code: str = ""
    """Graph's error code, or Entra's OAuth error; a usual one for the status when empty."""
    message: str = ""
    retry_after: int | None = None
    """Seconds."""
    when: Literal["before", "after"] = "before"
    """Before the effect happens, or after it."""
    drop: bool = False
    """Cut the connection without an answer."""
    claims: str = ""
    """Graph answers 401 with this claims challenge (JSON)."""
    delay: float = 0.0
    """Seconds of waiting before anything else."""
    suberror: str = ""
    number: int = 0
    """Entra's AADSTS number."""
    times: int = 1
    """How many requests suffer it; 0 means all of them until the faults are cleared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request to Entra or Graph with what was answered. No token is kept in it."""

    method: str
    path: str
    """Without the version, with `me` as it was written."""
    query: dict[str, str]
    headers: dict[str, str]
    """Names in lower case; without Authorization and Cookie."""
    body: Any
    """Parsed JSON or form; the number of bytes for anything else."""
    person: str
    """The caller's handle, empty without one."""
    token: str
    """The `uti` of the access token, to tell tokens apart."""
    status: int
    """0 when the connection was cut."""
    answer: Any
    request_id: str
    client_request_id: str
    at: float


EffectName = Literal[
    "mail.drafted",
    "mail.changed",
    "mail.sent",
    "mail.moved",
    "mail.deleted",
    "event.created",
    "event.updated",
    "event.cancelled",
    "event.answered",
    "file.written",
    "file.deleted",
    "link.created",
    "file.shared",
    "chat.created",
    "chat.posted",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Something that really changed, whatever the caller was told."""

    name: EffectName
    person: str
    """Handle of the one whose token did it."""
    subject: str
    """What it was done to: a subject, a file name, the beginning of a message."""
    item: str
    """Immutable id."""
    request_id: str
    client_request_id: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Something that happened, for whoever watches: tests and the page."""

    kind: str
    """`mail`, `calendar`, `files`, `chat`, `entra`, `request`."""
    person: str = ""
    """Handle of the one whom it concerns; empty for everybody."""
