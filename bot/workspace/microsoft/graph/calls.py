"""One request as the routes of Graph see it."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from bot.workspace.microsoft.graph.failures import refused
from bot.workspace.microsoft.graph.records import Drive, Mailbox
from bot.workspace.microsoft.graph.world import Graph
from bot.workspace.microsoft.records import Account, EffectName, Json, object_of

NAME = re.compile(r"\{(\w+)\}")
IMMUTABLE = 'idtype="immutableid"'


@dataclass(slots=True, kw_only=True)
class Call:
    graph: Graph
    caller: Account
    owner: Account
    """Whose mailbox, calendar or drive it is about; the caller for `/me`."""
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    """Names in lower case."""
    content: bytes
    scopes: frozenset[str]
    request_id: str
    client_request_id: str
    is_foreign: bool = False
    """The owner is somebody else than the caller."""
    parts: dict[str, str] = field(default_factory=dict[str, str])
    """What stands in the blanks of the route."""

    @property
    def mailbox(self) -> Mailbox:
        return self.graph.mailboxes[self.owner.oid]

    @property
    def drive(self) -> Drive:
        return self.graph.drives[self.owner.oid]

    @property
    def prefers_immutable(self) -> bool:
        return IMMUTABLE in self.headers.get("prefer", "").lower().replace(" ", "")

    def preference(self, name: str) -> str:
        """The value of one preference, such as `outlook.timezone`."""
        found = re.search(
            rf'{re.escape(name)}\s*=\s*"([^"]*)"', self.headers.get("prefer", ""), re.I
        )
        return found[1] if found else ""

    def json(self) -> Json:
        """The body. Raises GraphRefused."""
        if not self.content:
            return {}
        try:
            found = object_of(json.loads(self.content))
        except ValueError:
            raise refused(400, "BadRequest", "Unable to read JSON request payload.") from None
        if found is None:
            raise refused(400, "BadRequest", "The request body must be a JSON object.")
        return found

    def note(self, name: EffectName, subject: str, item: str) -> None:
        self.graph.note(
            name,
            self.caller,
            subject,
            item,
            request_id=self.request_id,
            client_request_id=self.client_request_id,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int = 200
    body: Json | bytes | None = None
    headers: dict[str, str] = field(default_factory=dict[str, str])


Act = Callable[[Call], Answer]
Others = Literal["delegates", "anybody"]
"""Who may use an owned route for somebody else: those whom the mailbox names, and with a scope
that says `.Shared`; or anybody, where the route itself looks at what they may see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    method: str
    shape: re.Pattern[str]
    act: Act
    scopes: tuple[str, ...]
    """Any of them is enough; none for a route that every token may use."""
    is_owned: bool
    """It exists under `/me` as well as under `/users/{who}`."""
    others: Others = "delegates"


def route(method: str, template: str, act: Act, *scopes: str) -> Route:
    """A route that is the same for everybody, such as `/users`."""
    return Route(method=method, shape=_shape(template), act=act, scopes=scopes, is_owned=False)


def owned(
    method: str, template: str, act: Act, *scopes: str, others: Others = "delegates"
) -> Route:
    """A route of somebody's own things; `template` is what follows `/me`."""
    return Route(
        method=method,
        shape=_shape(template),
        act=act,
        scopes=scopes,
        is_owned=True,
        others=others,
    )


def _shape(template: str) -> re.Pattern[str]:
    """`{name}` stands for one segment, `{path}` for the rest up to a colon."""
    pattern = ""
    for index, piece in enumerate(NAME.split(template)):
        if index % 2 == 0:
            pattern += re.escape(piece)
        else:
            pattern += rf"(?P<{piece}>[^:]+)" if piece == "path" else rf"(?P<{piece}>[^/]+)"
    return re.compile(f"^{pattern}$", re.IGNORECASE)
