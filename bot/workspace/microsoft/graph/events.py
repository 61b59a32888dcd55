"""Events in calendars: made, changed, shown, and known to those who are invited."""

import hashlib
import json
from datetime import datetime
from typing import Any

from bot.workspace.microsoft.graph import invitations, mails, times
from bot.workspace.microsoft.graph.calls import Call
from bot.workspace.microsoft.graph.failures import refused
from bot.workspace.microsoft.graph.html import text_of
from bot.workspace.microsoft.graph.records import Event, Mailbox
from bot.workspace.microsoft.graph.world import Graph
from bot.workspace.microsoft.records import Json
from bot.workspace.microsoft.tenant import new_guid

GIVEN = frozenset(
    {
        "allowNewTimeProposals",
        "attendees",
        "body",
        "categories",
        "end",
        "hideAttendees",
        "importance",
        "isAllDay",
        "isOnlineMeeting",
        "isReminderOn",
        "location",
        "locations",
        "onlineMeetingProvider",
        "reminderMinutesBeforeStart",
        "responseRequested",
        "sensitivity",
        "showAs",
        "singleValueExtendedProperties",
        "start",
        "subject",
        "transactionId",
    }
)
"""What an event can be made with. A series (`recurrence`) is not played."""
ABSENT = {"response": "none", "time": "0001-01-01T00:00:00Z"}


def create(graph: Graph, box: Mailbox, given: Json) -> Event:
    """A new event; the invitations are another step. Raises GraphRefused."""
    account, now = box.account, graph.stamp()
    own = {"emailAddress": {"name": account.display_name, "address": account.upn}}
    event = Event(
        fields={
            "createdDateTime": now,
            "lastModifiedDateTime": now,
            "iCalUId": f"040000008200E00074C5B7101A82E008{new_guid().replace('-', '').upper()}",
            "subject": "",
            "body": {"contentType": "html", "content": ""},
            "start": None,
            "end": None,
            "location": {"displayName": ""},
            "attendees": [],
            "categories": [],
            "importance": "normal",
            "sensitivity": "normal",
            "showAs": "busy",
            "isAllDay": False,
            "isCancelled": False,
            "isOrganizer": True,
            "isOnlineMeeting": False,
            "isReminderOn": True,
            "reminderMinutesBeforeStart": 15,
            "responseRequested": True,
            "organizer": own,
            "responseStatus": {"response": "organizer", "time": ABSENT["time"]},
            "type": "singleInstance",
        }
    )
    change(graph, event, given)
    if not event.fields["start"] or not event.fields["end"]:
        raise refused(400, "ErrorPropertyValidationFailure", "Start and end are required.")
    event.transaction_id = str(given.get("transactionId") or "")
    event.transacted_at = graph.tenant.clock()
    box.events[event.immutable_id] = event
    return event


def change(graph: Graph, event: Event, given: Json) -> None:
    """Lay the given fields over the event. Raises GraphRefused; then nothing has changed."""
    made: Json = {}
    for name, value in given.items():
        if "@odata" in name:
            continue
        if name not in GIVEN:
            told = f"The property '{name}' does not exist on type 'microsoft.graph.event'."
            raise refused(400, "RequestBodyRead", told)
        made |= _read(graph, event, name, value)
    start = made.get("start", event.fields["start"])
    end = made.get("end", event.fields["end"])
    if start and end and end < start:
        told = "The end of an event cannot be before its start."
        raise refused(400, "ErrorCalendarEndDateIsEarlierThanStartDate", told)
    for one in given.get("singleValueExtendedProperties") or ():
        event.properties[str(one["id"]).lower()] = str(one["value"])
    event.fields |= made
    event.fields["lastModifiedDateTime"] = graph.stamp()


def _read(graph: Graph, event: Event, name: str, value: Any) -> Json:
    match name:
        case "start" | "end":
            return {name: times.stamp(times.read(value))}
        case "attendees":
            return {name: [_attendee(graph, event, one) for one in value]}
        case "body":
            kind = str(value.get("contentType", "html")).lower()
            return {name: {"contentType": kind, "content": str(value.get("content", ""))}}
        case "isOnlineMeeting":
            address = f"{graph.tenant.base}/meet/{new_guid()}" if value else None
            return {name: bool(value), "onlineMeeting": {"joinUrl": address} if value else None}
        case "transactionId" | "singleValueExtendedProperties":
            return {}
        case _:
            return {name: value}


def _attendee(graph: Graph, event: Event, given: Json) -> Json:
    """Who has answered before keeps the answer."""
    person = mails.recipient(graph, given)
    address = person["emailAddress"]["address"].lower()
    for known in event.fields["attendees"]:
        if known["emailAddress"]["address"].lower() == address:
            return known | {"type": given.get("type") or known["type"]}
    return person | {"type": given.get("type") or "required", "status": dict(ABSENT)}


def repeated(graph: Graph, box: Mailbox, transaction_id: str) -> Event | None:
    """The event that an earlier request with this transactionId has made."""
    since = graph.tenant.clock() - graph.transaction_seconds
    for event in box.events.values():
        if transaction_id and event.transaction_id == transaction_id:
            return event if event.transacted_at >= since else None
    return None


def find(call: Call, event_id: str) -> Event:
    """Raises GraphRefused 404."""
    box = call.mailbox
    if call.prefers_immutable and event_id in box.events:
        return box.events[event_id]
    for event in box.events.values():
        if event.id == event_id:
            return event
    raise refused(404)


def shown(
    graph: Graph,
    event: Event,
    *,
    is_immutable: bool = False,
    zone: str = "",
    body_kind: str = "",
    is_basic: bool = False,
) -> Json:
    zone = zone or "UTC"
    fields = event.fields
    item: Json = {
        "@odata.etag": etag(event),
        "id": event.immutable_id if is_immutable else event.id,
        "changeKey": etag(event)[3:-1],
        **fields,
        "start": times.written(start_of(event), zone),
        "end": times.written(end_of(event), zone),
        "originalStartTimeZone": zone,
        "originalEndTimeZone": zone,
        "bodyPreview": plain(event)[: mails.PREVIEW],
        "hasAttachments": False,
        "transactionId": event.transaction_id or None,
        "webLink": graph.tenant.link("calendar", event.immutable_id),
    }
    if body_kind == "text":
        item["body"] = {"contentType": "text", "content": plain(event)}
    if is_basic:
        for name in ("body", "bodyPreview", "attendees"):
            item.pop(name)
    return item


def etag(event: Event) -> str:
    text = json.dumps(event.fields, sort_keys=True)
    return f'W/"{hashlib.sha256((event.id + text).encode()).hexdigest()[:32]}"'


def plain(event: Event) -> str:
    body = event.fields["body"]
    return text_of(body["content"]) if body["contentType"] == "html" else str(body["content"])


def start_of(event: Event) -> datetime:
    return times.of_stamp(event.fields["start"])


def end_of(event: Event) -> datetime:
    return times.of_stamp(event.fields["end"])


def overlapping(box: Mailbox, start: datetime, end: datetime) -> list[Event]:
    """What is at least partly in between, the earliest first."""
    found = [e for e in box.events.values() if start_of(e) < end and end_of(e) > start]
    return sorted(found, key=start_of)


def remove(call: Call, event: Event, comment: str = "") -> None:
    """The organizer calls the meeting off; anybody else only clears their own calendar."""
    box = call.mailbox
    if event.fields["isOrganizer"]:
        invitations.call_off(call.graph, box, event, comment)
    else:
        invitations.answer(call.graph, box, event, "declined", "")
    box.events.pop(event.immutable_id, None)
    call.note("event.cancelled", str(event.fields["subject"]), event.immutable_id)
