"""Calendars at the Graph stand-in: events, invitations, free and busy times."""

import pytest

from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from tests.workspace.microsoft.conftest import Caller, Clock

WRITE = "Calendars.ReadWrite"
BERLIN = {"Prefer": 'outlook.timezone="Europe/Berlin"'}


def event(*attendees, hour=10, **more):
    return {
        "subject": "Q3 review",
        "start": {"dateTime": f"2026-10-06T{hour:02}:00:00", "timeZone": "Europe/Berlin"},
        "end": {"dateTime": f"2026-10-06T{hour + 1:02}:00:00", "timeZone": "Europe/Berlin"},
        "body": {"contentType": "text", "content": "Numbers"},
        "attendees": [{"emailAddress": {"address": who}, "type": "required"} for who in attendees],
        **more,
    }


def named(events, subject):
    return [one for one in events if one["subject"] == subject]


async def test_an_event_is_kept_in_utc_and_shown_in_the_zone_that_is_preferred(ms, caller):
    mara = caller("mara", WRITE)
    made = (await mara("POST", "/me/events", event())).body
    assert made["start"] == {"dateTime": "2026-10-06T08:00:00.0000000", "timeZone": "UTC"}
    path = f"/me/events/{made['id']}"
    local = (await mara("GET", path, **BERLIN)).body["start"]
    assert local == {"dateTime": "2026-10-06T10:00:00.0000000", "timeZone": "Europe/Berlin"}
    windows = await mara("GET", path, Prefer='outlook.timezone="Eastern Standard Time"')
    assert windows.body["start"]["dateTime"].startswith("2026-10-06T04:00")
    assert (await mara("GET", path, Prefer='outlook.timezone="Mars"')).status == 400


async def test_invitations_reach_calendar_and_inbox(ms, caller):
    mara = caller("mara", WRITE)
    await mara("POST", "/me/events", event("tomas@larkspur.example", "buyer@elsewhere.example"))
    theirs = named(ms.events("tomas"), "Q3 review")[0]
    assert (theirs["isOrganizer"], theirs["showAs"]) == (False, "tentative")
    request = ms.mails("tomas")[0]
    assert request["meetingMessageType"] == "meetingRequest"
    assert "10:00 (Europe/Berlin)" in request["body"]["content"]
    assert ms.graph.outside[-1].recipients == ("buyer@elsewhere.example",)
    assert ms.effects("mail.sent") == []


async def test_the_same_transaction_twice_is_one_event_and_one_invitation(ms, caller):
    mara = caller("mara", WRITE)
    before = len(ms.mails("tomas"))
    given = event("tomas@larkspur.example", transactionId="call-17")
    first = await mara("POST", "/me/events", given)
    second = await mara("POST", "/me/events", given)
    assert (first.status, second.status) == (201, 201)
    assert first.body["id"] == second.body["id"]
    assert len(named(ms.events("mara"), "Q3 review")) == 1
    assert len(ms.mails("tomas")) == before + 1
    assert len(ms.effects("event.created")) == 1
    other = await mara("POST", "/me/events", event(transactionId="call-18"))
    assert other.body["id"] != first.body["id"]


async def test_a_transaction_is_forgotten_in_the_end(session):
    clock = Clock(1_790_000_000.0)
    async with MicrosoftStandIn(clock=clock) as ms:
        mara = Caller(ms, session, ms.token("mara", WRITE))
        await mara("POST", "/me/events", event(transactionId="call-17"))
        clock.now += ms.graph.transaction_seconds + 1
        mara.token = ms.token("mara", WRITE)
        await mara("POST", "/me/events", event(transactionId="call-17"))
        assert len(ms.effects("event.created")) == 2


async def test_a_change_needs_the_right_etag_and_reaches_everybody(ms, caller):
    mara = caller("mara", WRITE)
    made = (await mara("POST", "/me/events", event("tomas@larkspur.example"))).body
    path = f"/me/events/{made['id']}"
    later = {"start": event(hour=14)["start"], "end": event(hour=14)["end"]}
    changed = await mara("PATCH", path, later, If_Match=made["@odata.etag"])
    assert changed.status == 200
    assert (await mara("PATCH", path, later, If_Match=made["@odata.etag"])).status == 412
    assert named(ms.events("tomas"), "Q3 review")[0]["start"]["dateTime"].startswith(
        "2026-10-06T12:00"
    )
    assert ms.mails("tomas")[0]["subject"] == "Updated: Q3 review"
    await mara("PATCH", path, {"attendees": []})
    assert named(ms.events("tomas"), "Q3 review") == []
    assert ms.mails("tomas")[0]["subject"] == "Canceled: Q3 review"


async def test_a_cancelled_meeting_leaves_every_calendar(ms, caller):
    mara, tomas = caller("mara", WRITE), caller("tomas", WRITE)
    made = (await mara("POST", "/me/events", event("tomas@larkspur.example"))).body
    theirs = ms.graph.mailbox("tomas").events
    copy = next(e for e in theirs.values() if e.fields["subject"] == "Q3 review")
    assert (await tomas("POST", f"/me/events/{copy.id}/cancel", {})).status == 400
    assert (await tomas("PATCH", f"/me/events/{copy.id}", {"start": {}})).status == 403
    path = f"/me/events/{made['id']}"
    assert (await mara("POST", f"{path}/cancel", {"comment": "Ill"})).status == 202
    assert named(ms.events("tomas"), "Q3 review") == []
    assert "Ill" in ms.mails("tomas")[0]["body"]["content"]
    assert (await mara("DELETE", path)).status == 404


async def test_an_answer_is_seen_by_the_organizer(ms, caller):
    mara, tomas = caller("mara", WRITE), caller("tomas", WRITE)
    await mara("POST", "/me/events", event("tomas@larkspur.example"))
    theirs = named(ms.events("tomas"), "Q3 review")[0]
    path = f"/me/events/{theirs['id']}/accept"
    reply = await tomas("POST", path, {"comment": "Gladly"}, Prefer='IdType="ImmutableId"')
    assert reply.status == 202
    status = named(ms.events("mara"), "Q3 review")[0]["attendees"][0]["status"]
    assert status["response"] == "accepted"
    assert ms.mails("mara")[0]["subject"] == "Accepted: Q3 review"


async def test_a_view_holds_what_touches_its_time(ms, caller):
    mara = caller("mara", WRITE)
    for hour in (8, 10, 12):
        await mara("POST", "/me/events", event(hour=hour, subject=f"At {hour}"))
    window = "startDateTime=2026-10-06T09:30:00%2B02:00&endDateTime=2026-10-06T12:00:00%2B02:00"
    found = await mara("GET", f"/me/calendarView?{window}&$select=subject")
    assert [one["subject"] for one in found.body["value"]] == ["At 10"]
    assert (await mara("GET", "/me/calendarView")).status == 400


async def test_others_see_that_one_is_busy_and_not_with_what(ms, caller):
    await caller("mara", WRITE)("POST", "/me/events", event(subject="Secret"))
    body = {
        "schedules": ["mara@larkspur.example", "ghost@larkspur.example"],
        "startTime": {"dateTime": "2026-10-06T09:00:00", "timeZone": "Europe/Berlin"},
        "endTime": {"dateTime": "2026-10-06T12:00:00", "timeZone": "Europe/Berlin"},
        "availabilityViewInterval": 30,
    }
    reply = await caller("tomas", "Calendars.Read")("POST", "/me/calendar/getSchedule", body)
    known, unknown = reply.body["value"]
    assert known["availabilityView"] == "002200"
    assert "Secret" not in str(known)
    assert unknown["error"]["responseCode"] == "ErrorMailRecipientNotFound"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"recurrence": {}}, "RequestBodyRead"),
        ({"end": None}, "ErrorInvalidRequest"),
        ({"end": event(hour=8)["start"]}, "ErrorCalendarEndDateIsEarlierThanStartDate"),
        ({"start": {"dateTime": "soon", "timeZone": "UTC"}}, "RequestBodyRead"),
    ],
)
async def test_an_event_that_makes_no_sense_is_refused(ms, caller, change, code):
    reply = await caller("mara", WRITE)("POST", "/me/events", event() | change)
    assert (reply.status, reply.code) == (400, code)
    assert ms.effects("event.created") == []
