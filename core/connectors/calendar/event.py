"""An event as the card shows it, and as Graph is told of it."""

import uuid
from typing import cast

from core.cards import CardField
from core.connectors.calendar import times
from core.connectors.outcome import Description
from core.connectors.request import objects, part, text
from core.records import Json

PROPERTY = "String {5b7d0c1e-3f86-4c62-9a41-8d0e6f2b7a95} Name CountersignCall"
PREFERENCES = {
    "Prefer": 'IdType="ImmutableId", outlook.timezone="UTC", outlook.body-content-type="text"'
}
_NAMES = uuid.UUID("c0a1f3d2-58f4-4d4e-8b6d-2e0f7a9b4c11")
_INVITES = "Invitations go out to everybody on the list."
_UPDATES = "Everybody on the list is told of the change."


def transaction(call: str) -> str:
    """The key under which a calendar takes the same event once: the call's id as a GUID."""
    return str(uuid.uuid5(_NAMES, call))


def made(arguments: Json, facts: Json) -> Json:
    """The fields of the event resource that the arguments speak of."""
    zone = str(facts["zone"])
    event: Json = {}
    if arguments.get("subject") is not None:
        event["subject"] = text(arguments, "subject")
    for name in ("start", "end"):
        if arguments.get(name):
            event[name] = times.written(times.local(text(arguments, name), zone))
    if arguments.get("body") is not None:
        event["body"] = {"contentType": "text", "content": text(arguments, "body")}
    if arguments.get("location") is not None:
        event["location"] = {"displayName": text(arguments, "location")}
    if arguments.get("attendees") is not None:
        people = cast("Json", facts.get("people") or {})
        event["attendees"] = [
            {"emailAddress": _address(people[word]), "type": "required"} for word in people
        ]
    if arguments.get("online") is not None:
        event["isOnlineMeeting"] = bool(arguments["online"])
    return event


def describe_new(arguments: Json, facts: Json) -> Description:
    fields = [
        CardField(label="Calendar", value=_whose(facts)),
        CardField(label="Subject", value=text(arguments, "subject")),
        CardField(label="When", value=_when(arguments, facts)),
        *_details(arguments, facts),
    ]
    notices = (_INVITES,) if facts.get("people") else ()
    return Description(title="Create an event", fields=tuple(fields), notices=notices)


def describe_change(arguments: Json, facts: Json) -> Description:
    """What is to be different; what stays as it is is not repeated, but for what it is about."""
    known = cast("Json", facts["event"])
    fields = [
        CardField(label="Calendar", value=_whose(facts)),
        CardField(label="Event", value=f"{text(known, 'subject')}, {text(known, 'when')}"),
    ]
    if arguments.get("subject") is not None:
        fields.append(CardField(label="New subject", value=text(arguments, "subject")))
    if arguments.get("start") or arguments.get("end"):
        fields.append(CardField(label="New time", value=_when(arguments, facts)))
    fields += _details(arguments, facts)
    listed = cast("list[str]", known.get("attendees") or [])
    if listed and arguments.get("attendees") is None:
        fields.append(CardField(label="Attendees", value=", ".join(listed)))
    notices = (_UPDATES,) if listed or facts.get("people") else ()
    return Description(title="Change an event", fields=tuple(fields), notices=notices)


def describe_cancel(arguments: Json, facts: Json) -> Description:
    known = cast("Json", facts["event"])
    listed = cast("list[str]", known.get("attendees") or [])
    fields = [
        CardField(label="Calendar", value=_whose(facts)),
        CardField(label="Event", value=f"{text(known, 'subject')}, {text(known, 'when')}"),
    ]
    if listed:
        fields.append(CardField(label="Attendees", value=", ".join(listed)))
    if text(arguments, "comment"):
        fields.append(CardField(label="Message", value=text(arguments, "comment"), is_long=True))
    notices = ("Everybody on the list is told that it is off.",) if listed else ()
    return Description(title="Cancel an event", fields=tuple(fields), notices=notices)


def known(found: Json, zone: str) -> Json:
    """What a card says of an event that is there."""
    start, end = (times.read(found[name], zone) for name in ("start", "end"))
    return {
        "subject": text(found, "subject"),
        "when": times.in_words(start, end),
        "start": start.isoformat(),
        "end": end.isoformat(),
        "attendees": [text(one, "emailAddress", "address") for one in objects(found["attendees"])],
        "etag": text(found, "@odata.etag"),
        "is_own": bool(found.get("isOrganizer")),
        "is_online": bool(found.get("isOnlineMeeting")),
    }


def is_as_wanted(found: Json, wanted: Json) -> bool:
    """Whether an event has become what a change asked for."""
    for name, value in wanted.items():
        match name:
            case "start" | "end":
                same = text(found, name, "dateTime").partition(".")[0] == value["dateTime"]
            case "body":
                same = text(found, "body", "content").split() == value["content"].split()
            case "location":
                same = text(found, "location", "displayName") == value["displayName"]
            case "attendees":
                same = _people(found) == _people(wanted)
            case _:
                same = part(found, name) == value
        if not same:
            return False
    return True


def _people(event: Json) -> set[str]:
    listed = objects(event.get("attendees"))
    return {text(one, "emailAddress", "address").casefold() for one in listed}


def _whose(facts: Json) -> str:
    return str(facts.get("sender") or "") or "of the Microsoft account that is connected then"


def _when(arguments: Json, facts: Json) -> str:
    zone, old = str(facts["zone"]), cast("Json", facts.get("event") or {})
    start = text(arguments, "start") or text(old, "start")
    end = text(arguments, "end") or text(old, "end")
    return times.in_words(times.local(start, zone), times.local(end, zone))


def _details(arguments: Json, facts: Json) -> list[CardField]:
    fields: list[CardField] = []
    if arguments.get("location") is not None:
        fields.append(CardField(label="Place", value=text(arguments, "location")))
    if arguments.get("attendees") is not None:
        people = cast("Json", facts.get("people") or {})
        named = ", ".join(_named(one) for one in people.values())
        fields.append(CardField(label="Attendees", value=named or "(nobody)"))
    if arguments.get("online"):
        fields.append(CardField(label="Online", value="with a Teams meeting"))
    elif arguments.get("online") is not None and facts.get("event"):
        fields.append(CardField(label="Online", value="no Teams meeting"))
    if arguments.get("body") is not None:
        fields.append(CardField(label="Text", value=text(arguments, "body"), is_long=True))
    return fields


def _address(person: Json) -> Json:
    return {"address": person["address"], **({"name": person["name"]} if person["name"] else {})}


def _named(person: Json) -> str:
    return f"{person['name']} <{person['address']}>" if person["name"] else person["address"]
