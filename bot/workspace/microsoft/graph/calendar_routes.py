"""Graph's calendar: events, views of a time, free and busy times."""

from datetime import datetime, timedelta

from bot.workspace.microsoft.graph import events, invitations, odata, times
from bot.workspace.microsoft.graph.calls import Answer, Call, Route, owned
from bot.workspace.microsoft.graph.failures import refused
from bot.workspace.microsoft.graph.records import Event, Mailbox
from bot.workspace.microsoft.records import Account, Json, list_of, texts_of

READ = ("Calendars.ReadBasic", "Calendars.Read", "Calendars.ReadWrite")
WRITE = ("Calendars.ReadWrite",)
FULL = frozenset({f"{name}{end}" for name in READ[1:] for end in ("", ".Shared")})
"""Scopes that show more than when somebody is where."""
LONGEST_SCHEDULE = timedelta(days=62)
BUSY = {"free": "0", "tentative": "1", "busy": "2", "oof": "3", "workingElsewhere": "4"}


def _shown(call: Call, event: Event) -> Json:
    item = events.shown(
        call.graph,
        event,
        is_immutable=call.prefers_immutable,
        zone=call.preference("outlook.timezone"),
        body_kind=call.preference("outlook.body-content-type"),
        is_basic=not call.scopes & FULL,
    )
    wanted = call.query.get("$expand", "").lower()
    found = [{"id": k, "value": v} for k, v in event.properties.items() if k in wanted]
    return item | ({"singleValueExtendedProperties": found} if found else {})


def _one(call: Call, event: Event, status: int = 200) -> Answer:
    base = call.graph.tenant.base
    context = f"{base}/v1.0/$metadata#users('{call.owner.oid}')/events/$entity"
    item = odata.selected(_shown(call, event), call.query.get("$select", ""))
    return Answer(status=status, body={"@odata.context": context} | item)


def _page(call: Call, found: list[Event]) -> Answer:
    seen: list[Json] = []
    for event in found:
        properties = [{"id": k, "value": v} for k, v in event.properties.items()]
        seen.append(_shown(call, event) | {"singleValueExtendedProperties": properties})
    page = odata.listed(call, seen, meets=_says, context="Collection(event)")
    for item in page["value"]:
        if "singleValueExtendedProperties" not in call.query.get("$expand", ""):
            item.pop("singleValueExtendedProperties", None)
    return Answer(body=page)


def _says(item: Json, word: str) -> bool:
    return word.lower() in texts_of(item)


def list_events(call: Call) -> Answer:
    return _page(call, sorted(call.mailbox.events.values(), key=events.start_of))


def view(call: Call) -> Answer:
    """`startDateTime` and `endDateTime` are asked for; without an offset they are UTC."""
    for name in ("startDateTime", "endDateTime"):
        if name not in call.query:
            told = f"This request requires a time window specified by the query string '{name}'."
            raise refused(400, "ErrorInvalidParameter", told)
    start = times.parsed(call.query["startDateTime"])
    end = times.parsed(call.query["endDateTime"])
    return _page(call, events.overlapping(call.mailbox, start, end))


def get_event(call: Call) -> Answer:
    return _one(call, events.find(call, call.parts["id"]))


def create_event(call: Call) -> Answer:
    """The same `transactionId` again answers with the event that is there; nobody is invited a
    second time."""
    given = call.json()
    known = events.repeated(call.graph, call.mailbox, str(given.get("transactionId") or ""))
    if known is not None:
        return _one(call, known, 201)
    event = events.create(call.graph, call.mailbox, given)
    call.note("event.created", str(event.fields["subject"]), event.immutable_id)
    invitations.invite(call.graph, call.mailbox, event)
    return _one(call, event, 201)


def change_event(call: Call) -> Answer:
    event = events.find(call, call.parts["id"])
    _check_etag(call, event)
    if not event.fields["isOrganizer"] and call.json().keys() & {"start", "end", "attendees"}:
        raise refused(403)
    events.change(call.graph, event, call.json())
    call.note("event.updated", str(event.fields["subject"]), event.immutable_id)
    if event.fields["isOrganizer"]:
        invitations.invite(call.graph, call.mailbox, event, is_update=True)
    return _one(call, event)


def _check_etag(call: Call, event: Event) -> None:
    if call.headers.get("if-match", "*") not in ("*", events.etag(event)):
        raise refused(412)


def delete_event(call: Call) -> Answer:
    event = events.find(call, call.parts["id"])
    _check_etag(call, event)
    events.remove(call, event)
    return Answer(status=204)


def cancel_event(call: Call) -> Answer:
    event = events.find(call, call.parts["id"])
    if not event.fields["isOrganizer"]:
        told = "Your request can't be completed. You need to be an organizer to cancel a meeting."
        raise refused(400, "ErrorInvalidRequest", told)
    given = call.json()
    events.remove(call, event, str(given.get("comment") or given.get("Comment") or ""))
    return Answer(status=202)


def accept(call: Call) -> Answer:
    return _answered(call, "accepted")


def decline(call: Call) -> Answer:
    return _answered(call, "declined")


def hesitate(call: Call) -> Answer:
    return _answered(call, "tentativelyAccepted")


def _answered(call: Call, response: str) -> Answer:
    event = events.find(call, call.parts["id"])
    if event.fields["isOrganizer"]:
        told = "Your request can't be completed. You can't respond to your own meeting."
        raise refused(400, "ErrorInvalidRequest", told)
    comment = str(call.json().get("comment") or "")
    invitations.answer(call.graph, call.mailbox, event, response, comment)
    if response == "declined":
        call.mailbox.events.pop(event.immutable_id, None)
    call.note("event.answered", str(event.fields["subject"]), event.immutable_id)
    return Answer(status=202)


def list_calendars(call: Call) -> Answer:
    return Answer(body=odata.listed(call, [_calendar(call.owner)], context="calendars"))


def get_calendar(call: Call) -> Answer:
    return Answer(body=_calendar(call.owner))


def _calendar(owner: Account) -> Json:
    return {
        "id": f"AAMkAC{owner.oid.replace('-', '')}",
        "name": "Calendar",
        "isDefaultCalendar": True,
        "canEdit": True,
        "canShare": True,
        "owner": {"name": owner.display_name, "address": owner.upn},
    }


def get_schedule(call: Call) -> Answer:
    """Free and busy times of several people; of others only that they are busy."""
    given = call.json()
    start, end = times.read(given.get("startTime")), times.read(given.get("endTime"))
    if not timedelta() < end - start <= LONGEST_SCHEDULE:
        raise refused(400, "ErrorInvalidTimeInterval", "The time window is not valid.")
    minutes = int(given.get("availabilityViewInterval") or 30)
    if not 5 <= minutes <= 1_440:
        raise refused(400, "ErrorInvalidParameter", "The interval is not valid.")
    span = (start, end, timedelta(minutes=minutes))
    found = [_schedule(call, str(who), span) for who in list_of(given.get("schedules"))]
    return Answer(body={"value": found})


def _schedule(call: Call, who: str, span: tuple[datetime, datetime, timedelta]) -> Json:
    account = call.graph.tenant.find(who)
    if account is None:
        told = f"Unable to resolve e-mail address {who} to an Active Directory object."
        problem = {"message": told, "responseCode": "ErrorMailRecipientNotFound"}
        return {"scheduleId": who, "availabilityView": "", "scheduleItems": [], "error": problem}
    start, end, step = span
    box, zone = call.graph.mailboxes[account.oid], call.preference("outlook.timezone")
    kept = [e for e in events.overlapping(box, start, end) if e.fields["showAs"] != "free"]
    marks = ""
    while start < end:
        there = [e for e in kept if events.start_of(e) < start + step and events.end_of(e) > start]
        marks += max((BUSY.get(e.fields["showAs"], "2") for e in there), default="0")
        start += step
    return {
        "scheduleId": who,
        "availabilityView": marks,
        "scheduleItems": [_item(event, box, call.caller, zone) for event in kept],
        "workingHours": {
            "daysOfWeek": ["monday", "tuesday", "wednesday", "thursday", "friday"],
            "startTime": "08:00:00.0000000",
            "endTime": "17:00:00.0000000",
            "timeZone": {"name": account.time_zone},
        },
    }


def _item(event: Event, box: Mailbox, caller: Account, zone: str) -> Json:
    item: Json = {
        "isPrivate": event.fields["sensitivity"] == "private",
        "status": event.fields["showAs"],
        "start": times.written(events.start_of(event), zone or "UTC"),
        "end": times.written(events.end_of(event), zone or "UTC"),
    }
    if box.account.oid == caller.oid:
        item |= {
            "subject": event.fields["subject"],
            "location": event.fields["location"].get("displayName", ""),
        }
    return item


ROUTES: tuple[Route, ...] = (
    owned("GET", "/events", list_events, *READ),
    owned("POST", "/events", create_event, *WRITE),
    owned("GET", "/events/{id}", get_event, *READ),
    owned("PATCH", "/events/{id}", change_event, *WRITE),
    owned("DELETE", "/events/{id}", delete_event, *WRITE),
    owned("POST", "/events/{id}/cancel", cancel_event, *WRITE),
    owned("POST", "/events/{id}/accept", accept, *WRITE),
    owned("POST", "/events/{id}/decline", decline, *WRITE),
    owned("POST", "/events/{id}/tentativelyAccept", hesitate, *WRITE),
    owned("GET", "/calendarView", view, *READ),
    owned("GET", "/calendars", list_calendars, *READ),
    owned("GET", "/calendar", get_calendar, *READ),
    owned("GET", "/calendar/events", list_events, *READ),
    owned("POST", "/calendar/events", create_event, *WRITE),
    owned("GET", "/calendar/calendarView", view, *READ),
    owned("POST", "/calendar/getSchedule", get_schedule, *READ),
)
