"""Answers to a mail, and mails that are passed on."""

from copy import deepcopy
from html import escape
from typing import Literal

from bot.workspace.microsoft.graph import mails, post
from bot.workspace.microsoft.graph.calls import Answer, Call
from bot.workspace.microsoft.graph.records import Mail
from bot.workspace.microsoft.records import Json

Kind = Literal["reply", "reply_all", "forward"]
MARKS: dict[Kind, str] = {"reply": "RE: ", "reply_all": "RE: ", "forward": "FW: "}


def reply(call: Call) -> Answer:
    return _sent(call, "reply")


def reply_all(call: Call) -> Answer:
    return _sent(call, "reply_all")


def forward(call: Call) -> Answer:
    return _sent(call, "forward")


def create_reply(call: Call) -> Answer:
    return _drafted(call, "reply")


def create_reply_all(call: Call) -> Answer:
    return _drafted(call, "reply_all")


def create_forward(call: Call) -> Answer:
    return _drafted(call, "forward")


def _drafted(call: Call, kind: Kind) -> Answer:
    mail = _made(call, kind)
    call.note("mail.drafted", str(mail.fields["subject"]), mail.immutable_id)
    item = mails.shown(call.graph, mail, is_immutable=call.prefers_immutable)
    return Answer(status=201, body=item)


def _sent(call: Call, kind: Kind) -> Answer:
    mail = _made(call, kind)
    try:
        post.send(call, mail)
    except BaseException:
        call.mailbox.mails.pop(mail.immutable_id, None)
        raise
    return Answer(status=202)


def _made(call: Call, kind: Kind) -> Mail:
    """A draft with the comment over what it answers; fields of `message` win."""
    original, given = mails.find(call, call.parts["id"]), call.json()
    subject = str(original.fields["subject"])
    mark = MARKS[kind]
    fields: Json = {
        "subject": subject if subject.upper().startswith(mark) else f"{mark}{subject}",
        "body": _body(original, str(given.get("comment") or given.get("Comment") or "")),
        **_recipients(call, original, kind),
    }
    if "toRecipients" in given:
        fields["toRecipients"] = given["toRecipients"]
    fields |= given.get("message") or given.get("Message") or {}
    mail = mails.draft(call.graph, call.mailbox, fields)
    mail.fields["conversationId"] = original.fields["conversationId"]
    if kind == "forward":
        mail.attachments = deepcopy(original.attachments) + mail.attachments
    return mail


def _recipients(call: Call, original: Mail, kind: Kind) -> Json:
    if kind == "forward":
        return {}
    own = call.owner.upn.lower()
    was_mine = str(original.fields["from"]["emailAddress"]["address"]).lower() == own
    back = original.fields["replyTo"] or [original.fields["from"]]
    answered = original.fields["toRecipients"] if was_mine else back
    if kind == "reply":
        return {"toRecipients": answered}
    others: list[Json] = [] if was_mine else original.fields["toRecipients"]
    return {
        "toRecipients": _without(own, [*answered, *others]),
        "ccRecipients": _without(own, original.fields["ccRecipients"]),
    }


def _without(own: str, recipients: list[Json]) -> list[Json]:
    found = {str(one["emailAddress"]["address"]).lower(): one for one in recipients}
    return [one for address, one in found.items() if address != own]


def _body(original: Mail, comment: str) -> Json:
    fields = original.fields
    sender = fields["from"]["emailAddress"]
    head = {
        "From": f"{sender['name']} <{sender['address']}>",
        "Sent": str(fields["sentDateTime"]),
        "To": ", ".join(mails.addresses(original, "toRecipients")),
        "Subject": str(fields["subject"]),
    }
    if fields["body"]["contentType"] == "html":
        lines = "<br>".join(f"<b>{name}:</b> {escape(value)}" for name, value in head.items())
        written = escape(comment).replace("\n", "<br>")
        content = f"<p>{written}</p><hr><p>{lines}</p>{fields['body']['content']}"
        return {"contentType": "html", "content": content}
    lines = "\n".join(f"{name}: {value}" for name, value in head.items())
    content = f"{comment}\n\n{'_' * 32}\n{lines}\n\n{fields['body']['content']}"
    return {"contentType": "text", "content": content}
