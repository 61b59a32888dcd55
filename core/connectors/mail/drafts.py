"""The checkable way to send: a draft first, compared, sent by its id, and looked for afterwards.

Sending by id is not documented to be idempotent, so nothing in here relies on it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from core.connectors import failures
from core.connectors.failures import GraphFailed, Wording
from core.connectors.graph import IMMUTABLE
from core.connectors.mail.letter import PROPERTY, Mode, differences
from core.connectors.office import Office
from core.connectors.outcome import Failed, Outcome, Unknown
from core.connectors.request import Answer, Request, objects, text
from core.parked import ParkedCall
from core.records import Json

PREFERENCES: Mapping[str, str] = {"Prefer": f'{IMMUTABLE}, outlook.body-content-type="text"'}
LOOKS = (0.0, 1.0, 3.0)
"""Seconds before each look at whether a mail has left, while people watch. Whoever carries the
call out looks again later, by `found`."""
LEFT_LYING = 60.0
"""Seconds after which a draft that is still one was not sent."""
STALE = 600.0
"""Seconds after which nobody expects it to be sent any more: it is left to people."""
_ORPHAN = "A draft of it may lie in your Drafts."
_AGAIN = "again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A mail that has certainly left. `request_id` is that of the request which sent it, or found
    it."""

    mail: Json
    request_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """One mail on its way."""

    office: Office
    call: ParkedCall
    mode: Mode
    token: str
    wording: Wording

    async def ask(self, method: str, path: str, body: Json | None = None, **query: str) -> Answer:
        request = Request(
            method=method,
            path=path,
            query={f"${name}": value for name, value in query.items()},
            body=body,
            headers=PREFERENCES,
            id=self.call.id,
        )
        return await self.office.graph.ask(self.token, request)


async def send(sending: Sending, path: str, body: Json) -> Outcome | Sent:
    """The sent mail, or what came of it otherwise. `path` and `body` make the draft."""
    try:
        made = await sending.ask("POST", path, body)
        draft = await _opened(sending, text(made.body, "id"))
    except GraphFailed as failure:
        return _not_drafted(failure, sending.wording)
    call = sending.call
    if other := differences(draft, sending.mode, call.arguments, call.facts):
        reason = f"The draft is not what the card shows ({', '.join(other)}). Nothing was sent."
        return Failed(reason=f"{reason} {_ORPHAN}")
    return await _sent(sending, text(draft, "id"))


async def found(sending: Sending) -> Sent | None:
    """The mail of this call, once it has left; None while nobody knows. A draft that was left
    lying is sent, once more and never again. Raises GraphFailed."""
    call = sending.call
    answer = await _carrying(sending, call.id)
    copies = objects(answer.body.get("value"))
    if not copies:
        answer = await _carrying(sending, f"{call.id} {_AGAIN}")
    for copy in copies or objects(answer.body.get("value")):
        if copy.get("isDraft") is False:
            return Sent(mail=copy, request_id=answer.request_id)
    if len(copies) == 1:
        age = sending.office.clock() - _made_at(copies[0])
        return await _sent_again(sending, copies[0]) if LEFT_LYING <= age <= STALE else None
    return None


async def _carrying(sending: Sending, value: str) -> Answer:
    """The person's own mails with this value in our property."""
    query = {
        "filter": f"singleValueExtendedProperties/Any(ep: ep/id eq '{PROPERTY}' and ep/value eq "
        f"'{value}')",
        "select": "id,isDraft,createdDateTime,webLink",
    }
    return await sending.ask("GET", "/me/messages", None, **query)


def marked(call: ParkedCall, message: Json, mark: str = "") -> Json:
    """The message with the id of its call in it."""
    value = f"{call.id} {mark}" if mark else call.id
    return {**message, "singleValueExtendedProperties": [{"id": PROPERTY, "value": value}]}


async def _opened(sending: Sending, id: str) -> Json:
    """The draft as it lies there, just before it is sent."""
    return (await sending.ask("GET", _of(id), expand="attachments")).body


async def _sent(sending: Sending, id: str) -> Outcome | Sent:
    """Accepted is not yet sent: look until it is no draft any more."""
    try:
        taken = await sending.ask("POST", f"{_of(id)}/send")
    except GraphFailed as failure:
        return failures.outcome(failure, sending.wording)
    for pause in LOOKS:
        await sending.office.sleep(pause)
        try:
            mail = (await sending.ask("GET", _of(id), select="id,isDraft,webLink")).body
        except GraphFailed:
            # Moved, deleted, or Sent Items is off: the id says nothing any more.
            continue
        if mail.get("isDraft") is False:
            return Sent(mail=mail, request_id=taken.request_id)
    return Unknown(
        sentence="Outlook took the mail, and I have not seen it leave.",
        look_at=sending.wording.look_at,
        request_id=taken.request_id,
    )


async def _sent_again(sending: Sending, copy: Json) -> Sent | None:
    """The mark is written first and keeps it at once: a marked draft is never sent again."""
    id, call = text(copy, "id"), sending.call
    if differences(await _opened(sending, id), sending.mode, call.arguments, call.facts):
        return None
    await sending.ask("PATCH", _of(id), marked(call, {}, _AGAIN))
    came_to = await _sent(sending, id)
    return came_to if isinstance(came_to, Sent) else None


def _not_drafted(failure: GraphFailed, wording: Wording) -> Outcome:
    """Whatever became of the draft: it was not sent, because that was never asked for."""
    if failure.status == 401:
        return failures.outcome(failure, wording)
    orphan = "" if failure.is_certain else f" {_ORPHAN}"
    reason = f"{failures.reason(failure, wording.needs)} {wording.nothing}{orphan}"
    return Failed(reason=reason, request_id=failure.request_id)


def _made_at(copy: Json) -> float:
    """Infinitely early where it cannot be told."""
    try:
        return datetime.fromisoformat(text(copy, "createdDateTime")).timestamp()
    except ValueError:
        return float("-inf")


def _of(id: str) -> str:
    return f"/me/messages/{quote(id, safe='')}"
