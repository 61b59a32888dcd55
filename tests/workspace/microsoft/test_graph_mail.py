"""Mail at the Graph stand-in: drafts, sending, identity of items, reading."""

import base64

import pytest

from bot.workspace.microsoft.records import Fault
from bot.workspace.microsoft.stand_in import MicrosoftStandIn
from tests.workspace.microsoft.conftest import Caller, Clock, mail

SEND, WRITE = "Mail.Send", "Mail.ReadWrite Mail.Send"
TOMAS = "tomas@larkspur.example"
IMMUTABLE = {"Prefer": 'IdType="ImmutableId"'}


async def test_a_sent_mail_lies_in_both_mailboxes_and_counts_once(ms, caller):
    mara = caller("mara", SEND)
    before = len(ms.mails("tomas"))
    reply = await mara("POST", "/me/sendMail", {"message": mail(TOMAS)}, client_request_id="c-1")
    assert (reply.status, reply.body) == (202, b"")
    assert reply.headers["client-request-id"] == "c-1"
    assert reply.headers["request-id"]
    got, sent = ms.mails("tomas")[0], ms.mails("mara", "sentitems")[0]
    assert len(ms.mails("tomas")) == before + 1
    assert got["subject"] == sent["subject"] == "Figures"
    assert got["from"]["emailAddress"]["address"] == "mara@larkspur.example"
    assert got["internetMessageId"] == sent["internetMessageId"]
    assert (got["isRead"], sent["isDraft"]) == (False, False)
    assert ms.graph.counted("mail.sent") == {"c-1": 1}


async def test_the_same_request_twice_is_two_mails(ms, caller):
    mara = caller("mara", SEND)
    for _ in range(2):
        await mara("POST", "/me/sendMail", {"message": mail(TOMAS)}, client_request_id="c-1")
    assert ms.graph.counted("mail.sent") == {"c-1": 2}


async def test_nobody_but_the_sender_sees_bcc_and_strangers_get_theirs_outside(ms, caller):
    more = {
        "ccRecipients": [{"emailAddress": {"address": "Buyer@Elsewhere.example"}}],
        "bccRecipients": [{"emailAddress": {"address": "priya@larkspur.example"}}],
    }
    await caller("mara", SEND)("POST", "/me/sendMail", {"message": mail(TOMAS, **more)})
    assert ms.mails("tomas")[0]["bccRecipients"] == []
    assert ms.mails("priya")[0]["bccRecipients"] == []
    assert len(ms.mails("mara", "sentitems")[0]["bccRecipients"]) == 1
    outside = ms.graph.outside[-1]
    assert outside.recipients == ("Buyer@Elsewhere.example",)
    assert outside.mail["bccRecipients"] == []


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (mail(), "ErrorInvalidRecipients"),
        (mail("not an address"), "ErrorInvalidRecipients"),
        (mail(TOMAS, color="red"), "RequestBodyRead"),
        (
            mail(TOMAS, **{"from": {"emailAddress": {"address": TOMAS}}}),
            "ErrorSendAsDenied",
        ),
    ],
)
async def test_a_mail_that_cannot_go_leaves_nothing_behind(ms, caller, message, code):
    drafts = len(ms.mails("mara", "drafts"))
    reply = await caller("mara", SEND)("POST", "/me/sendMail", {"message": message})
    assert (reply.status in (400, 403), reply.code) == (True, code)
    assert reply.body["error"]["innerError"]["request-id"] == reply.headers["request-id"]
    assert ms.effects("mail.sent") == []
    assert len(ms.mails("mara", "drafts")) == drafts


async def test_an_immutable_id_survives_the_way_out_and_a_plain_one_does_not(ms, caller):
    mara = caller("mara", WRITE)
    draft = (await mara("POST", "/me/messages", mail(TOMAS), **IMMUTABLE)).body
    plain = ms.graph.mailbox("mara").mails[draft["id"]].id
    assert draft["isDraft"]
    assert (await mara("GET", f"/me/messages/{plain}")).body["id"] == plain
    assert (await mara("GET", f"/me/messages/{draft['id']}")).status == 404
    assert (await mara("POST", f"/me/messages/{draft['id']}/send", **IMMUTABLE)).status == 202

    found = await mara("GET", f"/me/messages/{draft['id']}", **IMMUTABLE)
    assert found.body["isDraft"] is False
    assert (await mara("GET", f"/me/messages/{plain}")).code == "ErrorItemNotFound"
    again = await mara("POST", f"/me/messages/{draft['id']}/send", **IMMUTABLE)
    assert again.status == 400
    assert len(ms.effects("mail.sent")) == 1


async def test_accepted_is_not_yet_sent(session):
    clock = Clock(1_790_000_000.0)
    async with MicrosoftStandIn(clock=clock) as ms:
        ms.graph.send_seconds = 5.0
        mara = Caller(ms, session, ms.token("mara", WRITE))
        before = len(ms.mails("tomas"))
        draft = (await mara("POST", "/me/messages", mail(TOMAS), **IMMUTABLE)).body
        path = f"/me/messages/{draft['id']}"
        assert (await mara("POST", f"{path}/send", **IMMUTABLE)).status == 202
        assert (await mara("GET", path, **IMMUTABLE)).body["isDraft"] is True
        assert len(ms.mails("tomas")) == before
        clock.now += 6.0
        assert (await mara("GET", path, **IMMUTABLE)).body["isDraft"] is False
        assert len(ms.mails("tomas")) == before + 1
        assert ms.tick() == 0


async def test_without_sent_items_a_sent_mail_cannot_be_found(ms, caller):
    mara = caller("mara", WRITE)
    ms.graph.mailbox("mara").keeps_sent = False
    draft = (await mara("POST", "/me/messages", mail(TOMAS), **IMMUTABLE)).body
    await mara("POST", f"/me/messages/{draft['id']}/send", **IMMUTABLE)
    assert (await mara("GET", f"/me/messages/{draft['id']}", **IMMUTABLE)).status == 404

    ms.graph.mailbox("mara").keeps_sent = True
    kept = len(ms.mails("mara", "sentitems"))
    body = {"message": mail(TOMAS), "saveToSentItems": False}
    await mara("POST", "/me/sendMail", body)
    assert len(ms.mails("mara", "sentitems")) == kept
    assert len(ms.effects("mail.sent")) == 2


async def test_a_draft_is_found_by_the_property_and_the_message_id_that_were_set(ms, caller):
    mara = caller("mara", WRITE)
    name = "String {66f5a359-4659-4830-9070-00047ec6ac6e} Name Call"
    given = mail(
        TOMAS,
        internetMessageId="<call-17@countersign.example>",
        singleValueExtendedProperties=[{"id": name, "value": "call-17"}],
    )
    draft = (await mara("POST", "/me/messages", given, **IMMUTABLE)).body
    assert "singleValueExtendedProperties" not in draft
    wanted = (
        f"singleValueExtendedProperties/Any(ep: ep/id eq '{name}' and ep/value eq 'call-17')",
        "internetMessageId eq '<call-17@countersign.example>'",
    )
    for condition in wanted:
        url = f"/me/messages?$filter={condition}&$select=id,isDraft"
        assert [m["id"] for m in (await mara("GET", url, **IMMUTABLE)).body["value"]] == [
            draft["id"]
        ]
    expand = (
        f"/me/messages/{draft['id']}?$expand=singleValueExtendedProperties($filter=id eq '{name}')"
    )
    found = (await mara("GET", expand, **IMMUTABLE)).body["singleValueExtendedProperties"]
    assert [one["value"] for one in found] == ["call-17"]


async def test_a_draft_can_be_changed_and_a_sent_mail_cannot(ms, caller):
    mara = caller("mara", WRITE)
    draft = (await mara("POST", "/me/messages", mail(TOMAS))).body
    path = f"/me/messages/{draft['id']}"
    changed = await mara("PATCH", path, {"subject": "New"}, If_Match=draft["@odata.etag"])
    assert changed.body["subject"] == "New"
    stale = await mara("PATCH", path, {"subject": "Newer"}, If_Match=draft["@odata.etag"])
    assert stale.status == 412
    await mara("POST", f"{path}/send")
    sent = ms.mails("mara", "sentitems")[0]
    path = f"/me/messages/{sent['id']}"
    assert (await mara("PATCH", path, {"subject": "X"}, **IMMUTABLE)).status == 400
    assert (await mara("PATCH", path, {"isRead": False}, **IMMUTABLE)).status == 200


async def test_attachments_travel(ms, caller):
    mara = caller("mara", "Mail.ReadWrite Mail.Send")
    file = {
        "@odata.type": "#microsoft.graph.fileAttachment",
        "name": "q3.csv",
        "contentBytes": base64.b64encode(b"a,b").decode(),
    }
    draft = (await mara("POST", "/me/messages", mail(TOMAS, attachments=[file]))).body
    path = f"/me/messages/{draft['id']}"
    more = file | {"name": "more.csv"}
    assert (await mara("POST", f"{path}/attachments", more)).status == 201
    assert len((await mara("GET", f"{path}/attachments")).body["value"]) == 2
    await mara("POST", f"{path}/send")
    got = ms.mails("tomas")[0]
    assert [one["name"] for one in got["attachments"]] == ["q3.csv", "more.csv"]
    assert base64.b64decode(got["attachments"][0]["contentBytes"]) == b"a,b"
    assert got["hasAttachments"]
    large = file | {"contentBytes": base64.b64encode(b"x" * (3 * 2**20 + 1)).decode()}
    assert (await mara("POST", "/me/messages", mail(TOMAS, attachments=[large]))).status == 413


async def test_answers_keep_the_conversation_and_quote_what_they_answer(ms, caller):
    mara, tomas = caller("mara", SEND), caller("tomas", "Mail.ReadWrite Mail.Send Mail.Read")
    cc = {"ccRecipients": [{"emailAddress": {"address": "priya@larkspur.example"}}]}
    await mara("POST", "/me/sendMail", {"message": mail(TOMAS, **cc)})
    got = ms.mails("tomas")[0]
    path = f"/me/messages/{got['id']}"
    assert (
        await tomas("POST", f"{path}/replyAll", {"comment": "Thanks"}, **IMMUTABLE)
    ).status == 202
    back = ms.mails("mara")[0]
    assert back["subject"] == "RE: Figures"
    assert back["body"]["content"].startswith("Thanks\n\n____")
    assert "Attached." in back["body"]["content"]
    assert back["conversationId"] == got["conversationId"]
    assert ms.mails("priya")[0]["subject"] == "RE: Figures"

    draft = await tomas("POST", f"{path}/createForward", {"comment": "See"}, **IMMUTABLE)
    assert draft.body["isDraft"]
    assert draft.body["toRecipients"] == []
    to = [{"emailAddress": {"address": "priya@larkspur.example"}}]
    await tomas("POST", f"{path}/forward", {"comment": "See", "toRecipients": to}, **IMMUTABLE)
    assert ms.mails("priya")[0]["subject"] == "FW: Figures"


async def test_mail_is_listed_searched_filtered_and_paged(ms, caller):
    priya, mara = caller("priya", SEND), caller("mara", "Mail.Read")
    for index in range(12):
        text = {"text": "budget" if index % 2 else "rota"}
        message = mail("mara@larkspur.example", subject=f"Note {index:02}", **text)
        await priya("POST", "/me/sendMail", {"message": message})
    inbox = "/me/mailFolders/inbox/messages"
    page = (await mara("GET", f"{inbox}?$select=subject&$top=5&$count=true")).body
    assert page["@odata.count"] == len(ms.mails("mara"))
    assert page["value"][0].keys() <= {"id", "subject", "@odata.etag"}
    seen = [m["subject"] for m in page["value"]]
    while "@odata.nextLink" in page:
        page = (await mara("GET", page["@odata.nextLink"])).body
        seen += [m["subject"] for m in page["value"]]
    assert seen == [m["subject"] for m in ms.mails("mara")]

    async def subjects(query):
        return [m["subject"] for m in (await mara("GET", f"/me/messages?{query}")).body["value"]]

    assert await subjects('$search="budget from:priya"') == [
        f"Note {index:02}" for index in (11, 9, 7, 5, 3, 1)
    ]
    unread = "$filter=isRead eq false and startswith(subject,'Note 0')&$top=3"
    assert await subjects(unread) == ["Note 09", "Note 08", "Note 07"]
    sender = "$filter=from/emailAddress/address eq 'PRIYA@larkspur.example'&$orderby=subject desc"
    assert (await subjects(sender))[:2] == ["Note 11", "Note 10"]
    both = await mara("GET", '/me/messages?$search="a"&$filter=isRead eq true')
    assert both.code == "SearchWithFilter"
    assert (await mara("GET", "/me/messages?$filter=subject like 'x'")).status == 400
    folder = await mara("GET", "/me/mailFolders/inbox")
    assert folder.body["unreadItemCount"] >= 12


async def test_the_basic_scope_shows_no_text(ms, caller):
    await caller("priya", SEND)("POST", "/me/sendMail", {"message": mail("mara@larkspur.example")})
    ms.entra.consents.withdraw(ms.person("mara"))
    basic = (await caller("mara", "Mail.ReadBasic")("GET", "/me/messages")).body["value"][0]
    assert basic["subject"] == "Figures"
    assert basic.keys().isdisjoint({"body", "bodyPreview"})


async def test_a_shared_mailbox_needs_permission_and_the_scope_for_it(ms, caller):
    body = {"message": mail(TOMAS)}
    path = "/users/dealers@larkspur.example/sendMail"
    assert (await caller("mara", SEND)("POST", path, body)).status == 403
    assert (await caller("tomas", "Mail.Send.Shared")("POST", path, body)).status == 403
    assert (await caller("mara", "Mail.Send.Shared")("POST", path, body)).status == 202
    got = ms.mails("tomas")[0]
    assert got["from"]["emailAddress"]["address"] == "dealers@larkspur.example"
    assert ms.mails("dealers", "sentitems")[0]["subject"] == "Figures"
    assert (
        await caller("mara", SEND)("POST", "/users/nobody@x.example/sendMail", body)
    ).status == 404


@pytest.mark.parametrize("drop", [True, False])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_failure_before_the_effect_sends_nothing_and_one_after_it_does(
    ms, caller, when, drop
):
    mara = caller("mara", SEND)
    fault = Fault(drop=True, when=when) if drop else Fault(status=504, when=when)
    ms.graph.faults.add("POST /me/sendMail", fault)
    sent = mara("POST", "/me/sendMail", {"message": mail(TOMAS)}, client_request_id="c-9")
    if drop:
        with pytest.raises(Exception, match="isconnected"):
            await sent
    else:
        assert (await sent).status == 504
    assert ms.graph.counted("mail.sent")["c-9"] == (1 if when == "after" else 0)
    assert (await mara("POST", "/me/sendMail", {"message": mail(TOMAS)})).status == 202
