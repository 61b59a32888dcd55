"""What the stand-in for Teams keeps: people, conversations, activities, and what went over the
wire."""

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
APP_ID = "5c1a7b60-2f1e-4a52-9d0f-7d9f6a1e4c11"
TENANT = "8f5b9a52-6f0c-4c6e-9a57-0d1f0c6b7e21"
"""Where no other tenant is given."""


TEAM = "19:team0001@thread.tacv2"
GROUP = "3b7d2f18-64a5-4c90-8e1b-2f9a7c5d0e46"
"""Of Entra, behind the team."""


@dataclass(slots=True, kw_only=True)
class Member:
    key: str
    """What tests call the person."""
    name: str
    oid: str
    mail: str
    role: str = "user"
    """`user` or `guest`."""
    time_zone: str = "Europe/Berlin"
    locale: str = "en-GB"
    tenant: str = ""
    """Empty: the stand-in's own."""

    @property
    def id(self) -> str:
        return f"29:1{self.oid.replace('-', '')}"


@dataclass(slots=True, kw_only=True)
class Conversation:
    id: str
    kind: str
    """`personal`, `groupChat`, `channel`."""
    name: str = ""
    members: list[str] = field(default_factory=list[str])
    """Keys."""
    has_bot: bool = True
    activities: list[Json] = field(default_factory=list[Json])
    """As they stand now, in order; `thread` names the root of a channel's post."""
    typing_at: float = float("-inf")
    """When the bot last showed that it is typing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """A file in a message."""

    id: str
    name: str
    address: str
    """At which people know it; in a chat of two, where its bytes are."""


@dataclass(slots=True, kw_only=True)
class Call:
    """A request that the bot made."""

    method: str
    path: str
    body: Json
    authorization: str
    status: int
    at: float


@dataclass(slots=True, kw_only=True)
class Delivery:
    """One attempt to bring the bot an activity; `status` 0: no answer in time."""

    activity: Json
    attempt: int
    status: int
    body: Json | None


@dataclass(slots=True, kw_only=True)
class Fault:
    """What the next call that fits is answered instead."""

    status: int
    code: str = ""
    retry_after: int | None = None
    method: str = ""
    """Empty fits every method."""
    is_done: bool = False
    """Carry it out all the same, and let the answer be lost."""
