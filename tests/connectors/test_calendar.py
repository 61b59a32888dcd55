"""Events: made once under their key, changed only as they were shown, told in the asker's time."""

import pytest

from bot.workspace.microsoft.records import Fault
from core.connectors.calendar import times
from core.connectors.calendar.effect import CancelEvent, CreateEvent, UpdateEvent
from core.connectors.outcome import Done, Failed, NeedsAccount, Unknown
from core.errors import BadArguments

START, END = "2026-10-06T14:30", "2026-10-06T15:00"


@pytest.fixture
def create(desk):
    return CreateEvent(office=desk.office)


@pytest.fixture
def update(desk):
    return UpdateEvent(office=desk.office)


@pytest.fixture
def cancel(desk):
    return CancelEvent(office=desk.office)


def meeting(**more):
    return {"subject": "Q3 review", "start": START, "end": END, **more}


def named(ms, subject: str, who: str = "mara"):
    return next(e for e in ms.events(who) if e["subject"] == subject)


def count(ms) -> int:
    return len(ms.effects("event.created"))


async def test_an_event_is_made_as_shown_in_the_time_of_the_asker(ms, desk, create):
    given = meeting(attendees=["Lena Hoffmann", "ingrid@fjord-fell.example"], location="Heron")
    call = await desk.park(create, given)
    assert call.effect == "keyed"
    assert desk.shown(create, call) == {
        "Calendar": ms.person("mara").upn,
        "Subject": "Q3 review",
        "When": "Tue 6 Oct 2026, 14:30 to 15:00 (Europe/Berlin)",
        "Place": "Heron",
        "Attendees": "Lena Hoffmann <lena.hoffmann@larkspur.example>, ingrid@fjord-fell.example",
    }
    assert "Invitations go out" in desk.described(create, call).notices[0]
    outcome = await desk.perform(create, call)
    assert isinstance(outcome, Done) and outcome.link and outcome.request_id
    made = named(ms, "Q3 review")
    assert made["start"]["dateTime"] == "2026-10-06T12:30:00.0000000"
    assert named(ms, "Q3 review", "lena")["isOrganizer"] is False


LOST = [
    Fault(status=status, when=when) for status in (500, 503, 504) for when in ("before", "after")
] + [Fault(drop=True, when="before"), Fault(drop=True, when="after"), Fault(delay=1.4)]


@pytest.mark.promise("D3", "core.connectors")
@pytest.mark.parametrize("fault", LOST, ids=lambda f: f"{f.status}{f.when}{f.delay}")
async def test_an_event_whose_answer_is_lost_is_there_once_in_the_end(ms, desk, create, fault):
    fault.times = 1
    call = await desk.park(create, meeting(attendees=["tomas@larkspur.example"]))
    ms.graph.faults.add("POST /me/events", fault)
    assert isinstance(await desk.carry_out(create, call), Done)
    await ms.wait_for(lambda: count(ms))
    assert count(ms) == 1
    assert len([m for m in ms.mails("tomas") if "Q3 review" in m["subject"]]) == 1


async def test_the_same_call_performed_ten_times_is_one_event(ms, desk, create):
    call = await desk.park(create, meeting())
    for _ in range(10):
        assert isinstance(await desk.perform(create, call), Done)
    assert count(ms) == 1
    ms.graph.transaction_seconds = -1.0
    assert isinstance(await create.reconcile(call, desk.token(create, call)), Done)
    other = await desk.park(create, meeting())
    await desk.perform(create, other)
    assert count(ms) == 2


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault(status=401), NeedsAccount),
        (Fault(status=403), Failed),
        (Fault(status=429, retry_after=2), Failed),
        (Fault(status=400), Failed),
    ],
)
async def test_an_event_that_is_refused_is_asked_for_once(ms, desk, create, fault, kind):
    call = await desk.park(create, meeting())
    ms.graph.faults.add("POST /me/events", fault)
    assert isinstance(await desk.carry_out(create, call), kind)
    assert len(ms.graph.requests) == 1 and count(ms) == 0


@pytest.mark.parametrize(
    ("start", "end", "why"),
    [
        (END, START, "after the start"),
        (START, START, "after the start"),
        ("tomorrow", END, "not a time"),
        ("2026-03-29T02:30", "2026-03-29T05:00", "does not exist in Europe/Berlin"),
    ],
)
async def test_times_that_cannot_be_are_refused_before_anybody_decides(
    desk, create, start, end, why
):
    with pytest.raises(BadArguments, match=why):
        await desk.park(create, {"subject": "x", "start": start, "end": end})


def test_an_offset_wins_over_the_zone():
    start, end = times.span("2026-10-06T09:00Z", "2026-10-06T23:30:00+00:00", "Europe/Berlin")
    assert times.in_words(start, end) == (
        "Tue 6 Oct 2026, 11:00 to Wed 7 Oct 2026, 01:30 (Europe/Berlin)"
    )


# Changing and cancelling.


async def test_a_change_says_what_will_be_different_and_to_whom_it_is_told(ms, desk, update):
    weekly = named(ms, "Sales weekly")
    given = {"event_id": weekly["id"], "location": "Room Finch"}
    call = await desk.park(update, given)
    shown = desk.shown(update, call)
    assert shown["Event"].startswith("Sales weekly, Mon") and shown["Place"] == "Room Finch"
    assert "tomas@larkspur.example" in shown["Attendees"]
    assert "told of the change" in desk.described(update, call).notices[0]
    assert isinstance(await desk.perform(update, call), Done)
    assert named(ms, "Sales weekly")["location"]["displayName"] == "Room Finch"
    assert named(ms, "Sales weekly")["attendees"] == weekly["attendees"]


@pytest.mark.parametrize("fault", LOST, ids=lambda f: f"{f.status}{f.when}{f.delay}")
async def test_a_change_whose_answer_is_lost_happens_once(ms, desk, update, fault):
    fault.times = 1
    id = named(ms, "Sales weekly")["id"]
    call = await desk.park(update, {"event_id": id, "start": START, "end": END, "body": "New."})
    ms.graph.faults.add("PATCH /me/events/*", fault)
    assert isinstance(await desk.carry_out(update, call), Done)
    await ms.wait_for(lambda: ms.effects("event.updated"))
    assert len(ms.effects("event.updated")) == 1


@pytest.mark.parametrize("kind", ["update", "cancel"])
async def test_an_event_that_changed_after_it_was_shown_is_left_alone(
    ms, desk, update, cancel, kind
):
    effect = update if kind == "update" else cancel
    id = named(ms, "Sales weekly")["id"]
    given = {"event_id": id, **({"subject": "Weekly"} if kind == "update" else {})}
    call = await desk.park(effect, given)
    ms.graph.mailbox("mara").events[id].fields["subject"] = "Sales weekly, moved"
    outcome = await desk.carry_out(effect, call)
    assert isinstance(outcome, Failed) and "changed by somebody since" in outcome.reason
    assert ms.effects("event.updated") == ms.effects("event.cancelled") == []


async def test_somebody_elses_event_is_neither_changed_nor_cancelled(ms, desk, update, cancel):
    given = {"event_id": named(ms, "Q3 close")["id"], "subject": "Mine"}
    for effect in (update, cancel):
        with pytest.raises(BadArguments, match="somebody else organises"):
            await desk.park(effect, given)


@pytest.mark.parametrize("fault", LOST, ids=lambda f: f"{f.status}{f.when}{f.delay}")
async def test_an_event_is_cancelled_once_and_its_guests_are_told_why(ms, desk, cancel, fault):
    fault.times = 1
    id = named(ms, "Sales weekly")["id"]
    call = await desk.park(cancel, {"event_id": id, "comment": "On holiday."})
    assert desk.shown(cancel, call)["Message"] == "On holiday."
    ms.graph.faults.add("POST /me/events/*/cancel", fault)
    assert isinstance(await desk.carry_out(cancel, call), Done)
    await ms.wait_for(lambda: ms.effects("event.cancelled"))
    assert len(ms.effects("event.cancelled")) == 1


async def test_in_doubt_a_blocked_change_is_not_claimed_to_have_happened(ms, desk, update):
    id = named(ms, "Sales weekly")["id"]
    call = await desk.park(update, {"event_id": id, "subject": "Weekly"})
    ms.graph.faults.add("PATCH /me/events/*", Fault(status=503, times=9))
    assert isinstance(await desk.carry_out(update, call), Unknown)
    assert ms.effects("event.updated") == []


async def test_the_text_of_an_online_meeting_keeps_its_address(ms, desk, create, update):
    call = await desk.park(create, meeting(online=True))
    assert desk.shown(create, call)["Online"] == "with a Teams meeting"
    await desk.perform(create, call)
    given = {"event_id": named(ms, "Q3 review")["id"], "body": "New."}
    with pytest.raises(BadArguments, match="online meeting"):
        await desk.park(update, given)
