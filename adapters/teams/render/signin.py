"""Shows a person the way to connect their account: a link of their own, or first their Teams' own
sign-in."""

import hashlib
from dataclasses import dataclass
from typing import Literal

from adapters.teams.render import messages, tables
from adapters.teams.render.effect import line, run
from core.parked import Verdict
from core.records import Json

CONNECTION = "countersign"
"""Teams hands it back; there is no connection of that name at Microsoft's token service."""
OAUTH = "application/vnd.microsoft.card.oauth"
LOGIN = "application/vnd.microsoft.activity.loginRequest"
FAILED = "application/vnd.microsoft.error.preconditionFailed"
BUTTON = "Connect account"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """An answer to a click that only the one who clicked can act on."""

    status: Literal[401, 412]
    type: str
    value: Json


NOT_EXCHANGED = SignIn(
    status=412,
    type=FAILED,
    value={"code": "412", "message": "The sign-in could not be used. Please use the button."},
)
"""After which Teams shows the button of the request."""


def verdict(found: Verdict, resource: str = "") -> Json:
    """The sentence, with the link of an account for the one person that it was made for. With a
    `resource` their Teams tries to sign them in before it shows anything."""
    if found.kind != "connect" or not found.url:
        return messages.message(messages.sentence(found.sentence))
    if resource:
        content = {**_asked(found, resource), "connectionName": CONNECTION}
        return {
            "type": "message",
            "attachments": [{"contentType": OAUTH, "content": content}],
        }
    # On loopback a sign-in is on plain http.
    button: Json = {"type": "Action.OpenUrl", "title": BUTTON, "url": found.url}
    card = tables.card([line(run(found.sentence))], [button])
    return {"type": "message", "attachments": [tables.attachment(card)]}


def login(found: Verdict, resource: str) -> SignIn:
    """The same as the answer to a click."""
    value = {**_asked(found, resource), "connectionName": CONNECTION}
    return SignIn(status=401, type=LOGIN, value=value)


def _asked(found: Verdict, resource: str) -> Json:
    # Every device of the person exchanges the same one, so it has a name.
    id = hashlib.sha256(found.url.encode()).hexdigest()[:32]
    return {
        "text": found.sentence,
        "tokenExchangeResource": {"id": id, "uri": resource, "providerId": ""},
        "buttons": [{"type": "signin", "title": BUTTON, "text": BUTTON, "value": found.url}],
    }
