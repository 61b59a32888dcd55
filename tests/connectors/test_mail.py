"""Mails: what the card shows is what leaves, once, and its outcome is told as it is known."""

import base64

import pytest

from bot.workspace.microsoft.graph.world import stamped
from bot.workspace.microsoft.records import Fault
from core.connectors.mail.effect import MailEffect
from core.connectors.outcome import Done, Failed, NeedsAccount, Unknown
from core.errors import BadArguments
from core.errors import NeedsAccount as Missing
from core.records import FileId, MadeFile
from core.storage import files
from tests.connectors.desk import TURN, keep

INGRID = "ingrid@fjord-fell.example"
WRITE = "Mail.ReadWrite Mail.Send"
KINDS = [pytest.param("Mail.Send", id="blind"), pytest.param(WRITE, id="checkable")]


@pytest.fixture
def tomas(ms):
    return ms.person("tomas").upn


@pytest.fixture
def send(desk):
    return MailEffect(tool="office/send_mail", mode="send", office=desk.office)


def letter(*to: str, **more):
    return {"to": list(to), "subject": "Q3", "body": "See below.", **more}


def sent(ms):
    return ms.effects("mail.sent")


@pytest.mark.parametrize("granted", KINDS)
async def test_what_the_card_shows_is_what_leaves(ms, desk, send, tomas, granted):
    given = letter(tomas, INGRID, cc=["priya@larkspur.example"], bcc=["lena hoffmann"])
    call = await desk.park(send, given, granted=granted)
    assert desk.shown(send, call) == {
        "From": ms.person("mara").upn,
        "To": f"{tomas}, {INGRID}",
        "Cc": "priya@larkspur.example",
        "Bcc": "Lena Hoffmann <lena.hoffmann@larkspur.example>",
        "Subject": "Q3",
        "Text": "See below.",
        "Signature": "Larkspur Cycles, Ghent",
    }
    outcome = await desk.perform(send, call)
    assert isinstance(outcome, Done) and "3 more" in outcome.summary
    assert outcome.evidence["verified"] is (granted == WRITE)
    ending = "/send" if granted == WRITE else "/sendMail"
    asked = next(r for r in ms.graph.requests if r.path.endswith(ending))
    assert outcome.request_id == asked.request_id
    assert [e.client_request_id for e in sent(ms)] == [call.id]
    mail = ms.mails("tomas")[0]
    assert mail["body"]["content"] == "See below.\n\nLarkspur Cycles, Ghent"
    assert ms.mails("lena")[0]["subject"] == "Q3"
    assert ms.graph.outside[0].recipients == (INGRID,)
    assert bool(outcome.link) is (granted == WRITE)


FAULTS = [
    (Fault(status=401), NeedsAccount, 0),
    (Fault(claims="{}"), NeedsAccount, 0),
    (Fault(status=403), Failed, 0),
    (Fault(status=429, retry_after=3), Failed, 0),
    (Fault(status=500), Unknown, 0),
    (Fault(status=503), Unknown, 0),
    (Fault(status=504), Unknown, 0),
    (Fault(drop=True), Unknown, 0),
    (Fault(delay=1.4), Unknown, 1),
    (Fault(status=500, when="after"), Unknown, 1),
    (Fault(status=503, when="after"), Unknown, 1),
    (Fault(status=504, when="after"), Unknown, 1),
    (Fault(drop=True, when="after"), Unknown, 1),
]


def named(fault: Fault) -> str:
    return f"{fault.status or ('drop' if fault.drop else 'slow')} {fault.when}"


@pytest.mark.parametrize(
    ("fault", "kind", "happened"), [pytest.param(*one, id=named(one[0])) for one in FAULTS]
)
async def test_a_blind_mail_is_asked_for_once_whatever_happens(
    ms, desk, send, tomas, fault, kind, happened
):
    fault.times = 1
    call = await desk.park(send, letter(tomas), granted="Mail.Send")
    assert call.effect == "blind"
    ms.graph.faults.add("POST /me/sendMail", fault)
    assert isinstance(await desk.carry_out(send, call), kind)
    await ms.wait_for(lambda: ms.graph.requests)
    assert [(r.method, r.path) for r in ms.graph.requests] == [("POST", "/me/sendMail")]
    assert len(sent(ms)) == happened


@pytest.mark.parametrize(
    ("fault", "kind", "happened"),
    [
        (Fault(status=401), NeedsAccount, 0),
        (Fault(status=403), Failed, 0),
        (Fault(status=429), Failed, 0),
        (Fault(status=504), Unknown, 0),
        (Fault(drop=True), Unknown, 0),
        (Fault(status=503, when="after"), Done, 1),
        (Fault(status=504, when="after"), Done, 1),
        (Fault(drop=True, when="after"), Done, 1),
    ],
    ids=lambda value: named(value) if isinstance(value, Fault) else "",
)
async def test_a_checkable_mail_is_found_again_when_the_answer_is_lost(
    ms, desk, send, tomas, fault, kind, happened
):
    fault.times = 1
    call = await desk.park(send, letter(tomas), granted=WRITE)
    ms.graph.faults.add("POST /me/messages/*/send", fault)
    assert isinstance(await desk.carry_out(send, call), kind)
    asked = [r for r in ms.graph.requests if r.path.endswith("/send")]
    assert len(asked) == 1 and len(sent(ms)) == happened


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("status", [403, 500, 504])
async def test_a_draft_that_fails_is_a_mail_that_was_certainly_not_sent(
    ms, desk, send, tomas, status, when
):
    call = await desk.park(send, letter(tomas), granted=WRITE)
    ms.graph.faults.add("POST /me/messages", Fault(status=status, when=when))
    outcome = await desk.carry_out(send, call)
    assert isinstance(outcome, Failed) and "Nothing was sent." in outcome.reason
    assert ("may lie in your Drafts" in outcome.reason) is (status >= 500)
    assert sent(ms) == []


async def test_a_draft_that_somebody_changed_is_not_sent(ms, desk, send, tomas):
    call = await desk.park(send, letter(tomas), granted=WRITE)
    box = ms.graph.mailbox("mara")

    def meddle(change):
        if change.kind == "request" and (drafts := box.folder("drafts")):
            drafts[0].fields["toRecipients"][0]["emailAddress"]["address"] = "x@evil.example"
            drafts[0].fields["body"]["content"] += " Pay today."

    ms.tenant.listeners.append(meddle)
    outcome = await desk.perform(send, call)
    assert isinstance(outcome, Failed)
    assert "not what the card shows (the text, To)" in outcome.reason
    assert sent(ms) == []


async def test_a_mail_that_takes_its_time_is_waited_for(ms, desk, send, tomas):
    ms.graph.send_seconds = 1e6
    call = await desk.park(send, letter(tomas), granted=WRITE)
    outcome = await desk.perform(send, call)
    assert isinstance(outcome, Unknown) and outcome.look_at == "your Sent Items"
    assert desk.pauses == [0.0, 1.0, 3.0]
    token = desk.token(send, call)
    assert await send.reconcile(call, token) is None
    for mail in ms.graph.mailbox("mara").mails.values():
        mail.due_at = 0.0 if mail.due_at else None
    assert isinstance(await send.reconcile(call, token), Done)
    assert len(sent(ms)) == 1


async def test_a_draft_left_lying_is_sent_once_more_and_never_again(ms, desk, send, tomas):
    call = await desk.park(send, letter(tomas), granted=WRITE)
    token = desk.token(send, call)
    ms.graph.faults.add("POST /me/messages/*/send", Fault(drop=True, times=2))
    assert isinstance(await desk.perform(send, call), Unknown)
    assert await send.reconcile(call, token) is None
    asked = [r for r in ms.graph.requests if r.path.endswith("/send")]
    assert len(asked) == 1
    draft = next(m for m in ms.graph.mailbox("mara").folder("drafts") if m.properties)
    draft.fields["createdDateTime"] = stamped(ms.tenant.clock() - 61)
    for _ in range(3):
        assert await send.reconcile(call, token) is None
    asked = [r for r in ms.graph.requests if r.path.endswith("/send")]
    assert len(asked) == 2 and sent(ms) == []


@pytest.mark.parametrize(("age", "is_sent"), [(50, False), (61, True), (601, False)])
async def test_a_draft_left_lying_is_completed_within_ten_minutes(
    ms, desk, send, tomas, age, is_sent
):
    call = await desk.park(send, letter(tomas), granted=WRITE)
    ms.graph.faults.add("POST /me/messages/*/send", Fault(status=503))
    assert isinstance(await desk.perform(send, call), Unknown)
    draft = next(m for m in ms.graph.mailbox("mara").folder("drafts") if m.properties)
    draft.fields["createdDateTime"] = stamped(ms.tenant.clock() - age)
    token = desk.token(send, call)
    for _ in range(2):
        assert isinstance(await send.reconcile(call, token), Done) is is_sent
    assert len(sent(ms)) == is_sent


async def test_where_sent_items_are_off_nobody_claims_to_know(ms, desk, send, tomas):
    ms.graph.mailbox("mara").keeps_sent = False
    call = await desk.park(send, letter(tomas), granted=WRITE)
    assert isinstance(await desk.carry_out(send, call), Unknown)
    assert len(sent(ms)) == 1


# Who is meant, and from whom.


async def test_a_name_that_two_people_have_is_asked_about(desk, send):
    with pytest.raises(BadArguments) as asked:
        await desk.park(send, letter("Lena"))
    said = str(asked.value)
    assert "2 people are called 'Lena'" in said
    assert "lena.hoffmann@larkspur.example" in said and "lena.haraldsen@larkspur.example" in said


@pytest.mark.parametrize(
    "who", ["Nobody Known", "x@", "a@b", "a b@c.example", "x@y.example>, z@w.example"]
)
async def test_what_is_neither_a_name_nor_an_address_is_refused(desk, send, who):
    with pytest.raises(BadArguments):
        await desk.park(send, letter(who))


async def test_without_an_account_a_mail_to_an_address_waits_and_says_so(ms, desk, send, tomas):
    desk.accounts.gone.add("mara")
    call = await desk.park(send, letter(tomas))
    assert desk.shown(send, call)["From"] == "the Microsoft account that is connected then"
    with pytest.raises(Missing, match="Connect your Microsoft account first"):
        await desk.park(send, letter("Lena Hoffmann"))
    assert ms.graph.requests == []


async def test_another_account_than_the_card_shows_sends_nothing(ms, desk, send, tomas):
    call = await desk.park(send, letter(tomas))
    call.facts["sender"] = "old.mara@larkspur.example"
    outcome = await desk.perform(send, call)
    assert isinstance(outcome, Failed) and "The card says old.mara" in outcome.reason
    assert sent(ms) == []


# What goes along.


async def test_a_file_of_the_thread_goes_along_as_it_was_shown(ms, desk, send, tomas):
    made = MadeFile(id=FileId("file_1"), name="q3.csv", media_type="text/csv", size=5)
    await files.keep(desk.office.db, TURN, made, b"North", made_at=1.0)
    await keep(desk.office.db, 1, "Made.", files=(made,))
    await keep(desk.office.db, 2, "| region |\n|---|\n| North |")
    call = await desk.park(send, letter(tomas, attachments=["q3.csv", "2"]), granted=WRITE)
    assert desk.shown(send, call)["Attachments"] == (
        "q3.csv (5 bytes)\nSales by region.md (26 bytes)"
    )
    assert isinstance(await desk.perform(send, call), Done)
    got = {one["name"]: one["contentBytes"] for one in ms.mails("tomas")[0]["attachments"]}
    assert base64.b64decode(got["q3.csv"]) == b"North" and len(got) == 2
    again = await desk.park(send, letter(tomas, attachments=["file_1"]), granted=WRITE)
    await files.keep(desk.office.db, TURN, made, b"South", made_at=2.0)
    outcome = await desk.perform(send, again)
    assert isinstance(outcome, Failed) and "no longer the file" in outcome.reason
    assert len(sent(ms)) == 1


async def test_a_file_of_onedrive_goes_along_as_the_copy_that_was_shown(ms, desk, send, tomas):
    drive = ms.graph.drive("mara")
    item = next(one for one in drive.items.values() if one.name.startswith("Visit plan"))
    shown = item.content
    call = await desk.park(send, letter(tomas, attachments=[f"onedrive:{item.id}"]))
    assert "from OneDrive" in desk.shown(send, call)["Attachments"]
    item.content = b"changed since"
    await desk.perform(send, call)
    got = ms.mails("tomas")[0]["attachments"][0]["contentBytes"]
    assert base64.b64decode(got) == shown


@pytest.mark.parametrize("what", ["nothing.pdf", "7", "onedrive:none", "/etc/passwd", ""])
async def test_a_file_that_is_not_this_threads_does_not_go_along(desk, send, tomas, what):
    await keep(desk.office.db, 1, "Made.")
    with pytest.raises(BadArguments):
        await desk.park(send, letter(tomas, attachments=[what]))


async def test_files_that_are_too_large_are_refused_before_anybody_decides(desk, send, tomas):
    await keep(desk.office.db, 1, "x" * 2_900_000)
    with pytest.raises(BadArguments, match="too large together"):
        await desk.park(send, letter(tomas, attachments=["1"]))


# Answers, and mails that are passed on.


def last(ms, who: str, subject: str):
    return next(m for m in ms.mails(who) if subject in m["subject"])


@pytest.mark.parametrize("granted", KINDS)
async def test_an_answer_holds_our_words_and_nothing_else(ms, desk, tomas, granted):
    reply = MailEffect(tool="office/reply_to_mail", mode="reply", office=desk.office)
    asked = last(ms, "mara", "Q3 summary for the close")
    given = {"message_id": asked["id"], "to": [tomas], "body": "Here it is."}
    call = await desk.park(reply, given, granted=granted)
    shown = desk.shown(reply, call)
    assert shown["Subject"] == "RE: Q3 summary for the close"
    assert shown["Answers"].startswith("“Q3 summary for the close” from tomas")
    assert isinstance(await desk.perform(reply, call), Done)
    got = ms.mails("tomas")[0]
    assert got["body"]["content"] == "Here it is.\n\nLarkspur Cycles, Ghent"
    assert got["conversationId"] == asked["conversationId"]
    assert len(sent(ms)) == 1


@pytest.mark.parametrize("granted", KINDS)
async def test_a_mail_is_forwarded_as_shown(ms, desk, granted):
    forward = MailEffect(tool="office/forward_mail", mode="forward", office=desk.office)
    asked = last(ms, "mara", "Discount step")
    given = {"message_id": asked["id"], "to": ["Lena Haraldsen"], "body": "Yours?"}
    call = await desk.park(forward, given, granted=granted)
    assert "we have passed the next discount step" in desk.shown(forward, call)["Its text"]
    assert isinstance(await desk.perform(forward, call), Done)
    got = ms.mails("lenah")[0]
    assert got["subject"] == "FW: Discount step for our orders"
    assert got["body"]["content"].startswith("Yours?\n\nLarkspur Cycles, Ghent")
    assert "Kind regards" in got["body"]["content"]


async def test_a_mail_that_cannot_be_shown_cannot_be_forwarded(ms, desk):
    forward = MailEffect(tool="office/forward_mail", mode="forward", office=desk.office)
    given = {"message_id": "none", "to": [INGRID], "body": ""}
    with pytest.raises(BadArguments, match="does not find it"):
        await desk.park(forward, given)
    desk.accounts.gone.add("mara")
    with pytest.raises(Missing, match="Connect your Microsoft account first"):
        await desk.park(forward, given)
