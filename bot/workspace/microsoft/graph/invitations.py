"""What the people invited to an event get to know, and what the organizer hears back."""

from copy import deepcopy
from html import escape

from bot.workspace.microsoft.graph import mails, post, times
from bot.workspace.microsoft.graph.records import Event, Mailbox
from bot.workspace.microsoft.graph.world import Graph
from bot.workspace.microsoft.records import Json

OWN = frozenset(
    {
        "createdDateTime",
        "isOrganizer",
        "isReminderOn",
        "reminderMinutesBeforeStart",
        "responseStatus",
        "showAs",
        "categories",
    }
)
"""Fields of a copy that are its owner's and not the organizer's."""
ANSWERS = {"accepted": "Accepted", "declined": "Declined", "tentativelyAccepted": "Tentative"}


def invite(graph: Graph, box: Mailbox, event: Event, *, is_update: bool = False) -> None:
    """A copy of the event, and a mail about it, for everybody invited; those who are no longer
    invited get a cancellation."""
    wanted = {one["emailAddress"]["address"].lower() for one in event.fields["attendees"]}
    for other in _copies(graph, event):
        if other.account.upn.lower() not in wanted:
            _withdraw(graph, box, event, other)
    lay_copies(graph, box, event)
    mark = "Updated: " if is_update else ""
    _tell(graph, box, event, f"{mark}{event.fields['subject']}", "meetingRequest")


def lay_copies(graph: Graph, box: Mailbox, event: Event) -> None:
    """Into the calendars of those invited, or what is there is brought up to date."""
    for attendee in event.fields["attendees"]:
        reader = graph.tenant.find(attendee["emailAddress"]["address"])
        if reader is not None and reader.oid != box.account.oid:
            _lay_copy(graph.mailboxes[reader.oid], event)


def _lay_copy(box: Mailbox, event: Event) -> None:
    shared = {k: deepcopy(v) for k, v in event.fields.items() if k not in OWN}
    found = copy_of(box, event)
    if found is not None:
        found.fields |= shared
        return
    own: Json = {
        "createdDateTime": event.fields["createdDateTime"],
        "isOrganizer": False,
        "isReminderOn": True,
        "reminderMinutesBeforeStart": event.fields["reminderMinutesBeforeStart"],
        "responseStatus": {"response": "notResponded", "time": "0001-01-01T00:00:00Z"},
        "showAs": "tentative",
        "categories": [],
    }
    copy = Event(fields=shared | own)
    box.events[copy.immutable_id] = copy


def copy_of(box: Mailbox, event: Event) -> Event | None:
    for other in box.events.values():
        if other.fields["iCalUId"] == event.fields["iCalUId"] and other is not event:
            return other
    return None


def _copies(graph: Graph, event: Event) -> list[Mailbox]:
    return [box for box in graph.mailboxes.values() if copy_of(box, event) is not None]


def call_off(graph: Graph, box: Mailbox, event: Event, comment: str) -> None:
    """Everybody's copy goes, and a mail says so."""
    for other in _copies(graph, event):
        copy = copy_of(other, event)
        if copy is not None:
            del other.events[copy.immutable_id]
    if event.fields["attendees"]:
        subject = f"Canceled: {event.fields['subject']}"
        _tell(graph, box, event, subject, "meetingCancelled", comment)


def _withdraw(graph: Graph, box: Mailbox, event: Event, other: Mailbox) -> None:
    copy = copy_of(other, event)
    if copy is None:
        return
    del other.events[copy.immutable_id]
    subject = f"Canceled: {event.fields['subject']}"
    alone = Event(fields=event.fields | {"attendees": [_person(other)]})
    _tell(graph, box, alone, subject, "meetingCancelled")


def _person(box: Mailbox) -> Json:
    account = box.account
    return {"emailAddress": {"name": account.display_name, "address": account.upn}}


def answer(graph: Graph, box: Mailbox, event: Event, response: str, comment: str) -> None:
    """The organizer's copy learns what this person said, and a mail tells it."""
    status = {"response": response, "time": graph.stamp()}
    event.fields["responseStatus"] = status
    event.fields["showAs"] = {"accepted": "busy", "declined": "free"}.get(response, "tentative")
    organizer = graph.tenant.find(event.fields["organizer"]["emailAddress"]["address"])
    original = copy_of(graph.mailboxes[organizer.oid], event) if organizer else None
    own = box.account.upn.lower()
    if original is not None:
        for attendee in original.fields["attendees"]:
            if attendee["emailAddress"]["address"].lower() == own:
                attendee["status"] = dict(status)
    back = Event(fields=event.fields | {"attendees": [event.fields["organizer"]]})
    _tell(graph, box, back, f"{ANSWERS[response]}: {event.fields['subject']}", "", comment)


def _tell(
    graph: Graph, box: Mailbox, event: Event, subject: str, kind: str, comment: str = ""
) -> None:
    """A mail from this mailbox to those on the event; nothing stays in Sent Items."""
    people = [{"emailAddress": one["emailAddress"]} for one in event.fields["attendees"]]
    if not people:
        return
    start = times.of_stamp(event.fields["start"]).astimezone(times.zone(box.account.time_zone))
    place = event.fields["location"].get("displayName") or "no place given"
    head = f"{start:%A %d %B %Y, %H:%M} ({box.account.time_zone}), {place}"
    body = f"<p>{escape(comment)}</p>" if comment else ""
    given: Json = {
        "subject": subject,
        "toRecipients": people,
        "body": {"contentType": "html", "content": f"{body}<p><b>{escape(head)}</b></p>"},
    }
    given["body"]["content"] += str(event.fields["body"]["content"])
    mail = mails.draft(graph, box, given)
    if kind:
        mail.fields["@odata.type"] = "#microsoft.graph.eventMessage"
        mail.fields["meetingMessageType"] = kind
    mail.is_kept = False
    post.depart(graph, box, mail)
