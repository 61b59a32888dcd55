"""What a Slack workspace consists of, as the stand-in keeps it in memory."""

import secrets
from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]
ChannelKind = Literal["public", "private", "im", "mpim"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    id: str = "T00000001"
    name: str = "Larkspur Cycles"
    domain: str = "larkspur"


def _made_up(prefix: str) -> str:
    return prefix + secrets.token_hex(16)


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """The app under test, as its manifest and its install made it. Its secrets are made up anew
    for each, so that no other page in the browser can guess them."""

    id: str = "A00000001"
    name: str = "Countersign"
    member: str = "U0COUNTER"
    """The bot's id among the members."""
    bot: str = "B00000001"
    bot_token: str = field(default_factory=lambda: _made_up("xoxb-local-"), repr=False)
    app_token: str = field(default_factory=lambda: _made_up("xapp-local-"), repr=False)
    signing_secret: str = field(default_factory=lambda: _made_up(""), repr=False)
    client_id: str = "1.1"
    client_secret: str = field(default_factory=lambda: _made_up(""), repr=False)
    commands: tuple[str, ...] = ("/usage", "/countersign", "/approvals")
    subscriptions: frozenset[str] = frozenset(
        {
            "app_home_opened",
            "agent_session_stopped",
            "app_mention",
            "file_shared",
            "member_joined_channel",
            "message.channels",
            "message.groups",
            "message.im",
            "message.mpim",
            "reaction_added",
        }
    )
    has_home: bool = True
    """Whether the App Home has its Home tab."""


@dataclass(slots=True, kw_only=True)
class Member:
    """A person, or the app's bot."""

    id: str
    name: str
    """The handle."""
    real_name: str
    title: str = ""
    email: str = ""
    tz: str = "Europe/Berlin"
    tz_offset: int = 3_600
    """Seconds."""
    locale: str = "en-GB"
    is_bot: bool = False
    is_admin: bool = False
    is_guest: bool = False
    is_deleted: bool = False
    team: str = ""
    """Another team's id for somebody who comes through Slack Connect."""


@dataclass(slots=True, kw_only=True)
class Channel:
    id: str
    name: str
    kind: ChannelKind = "public"
    members: list[str] = field(default_factory=list[str])
    topic: str = ""
    is_shared: bool = False
    """Shared with another organisation through Slack Connect."""
    is_archived: bool = False
    created: int = 1_700_000_000
    messages: dict[str, Json] = field(default_factory=dict[str, Json])
    """By ts, in order."""
    ephemerals: list[Json] = field(default_factory=list[Json])
    """Each with `audience`, the one member who sees it."""


@dataclass(slots=True, kw_only=True)
class File:
    id: str
    name: str
    owner: str
    media_type: str
    content: bytes = b""
    title: str = ""
    created: int = 0
    channels: list[str] = field(default_factory=list[str])
    is_complete: bool = False


@dataclass(slots=True, kw_only=True)
class Hook:
    """A response_url: five uses in thirty minutes."""

    channel: str
    person: str
    made_at: float
    message_ts: str = ""
    thread_ts: str = ""
    is_ephemeral: bool = False
    uses: int = 0


@dataclass(slots=True, kw_only=True)
class Trigger:
    person: str
    made_at: float
    view: str = ""
    """The modal that the trigger came from."""
    is_used: bool = False


@dataclass(slots=True, kw_only=True)
class Stream:
    """A message that is being streamed."""

    started_at: float
    recipient: str
    length: int = 0
    chunk_blocks: int = 0
    tasks: set[str] = field(default_factory=set[str])
    is_stopped_by_person: bool = False


@dataclass(slots=True, kw_only=True)
class Status:
    """What a thread shows while the app works."""

    text: str
    loading_messages: tuple[str, ...]
    set_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One Web API call. The token itself is not kept."""

    method: str
    args: Json
    has_token: bool
    at: float
    status: int
    answer: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One HTTP request or socket envelope to the app, with what the app answered."""

    kind: str
    """`event`, `interaction`, `command`, `url_verification`."""
    payload: Json
    attempt: int
    status: int
    """0 when there was no answer."""
    reason: str
    """`http_timeout`, `connection_failed`, `http_error`, or empty."""
    body: str
    seconds: float


@dataclass(slots=True, kw_only=True)
class Fault:
    """One scripted failure of a method; used once unless `times` says otherwise."""

    error: str = ""
    """Answered as `{"ok": false, "error": …}`, for any other status than 200 a usual one when
    empty; without either the call is let through after `delay`."""
    status: int = 200
    """502 and 504 come from a gateway, which answers with a page and not with JSON."""
    retry_after: int | None = None
    """Seconds, for status 429."""
    drop: Literal["", "before", "after"] = ""
    """Cut the connection without an answer: before the effect, or after it."""
    delay: float = 0.0
    times: int = 1
    """How many calls suffer it; 0 means all of them until the faults are cleared."""
    extra: Json = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Something that happened, for whoever watches: tests, the page, the event sender."""

    kind: str
    channel: str = ""
    person: str = ""
    """Whom alone it concerns; empty for everybody in the channel."""
    body: Json = field(default_factory=dict[str, Any])
    before: Json = field(default_factory=dict[str, Any])
