"""Graph's mail: reading, drafts, sending."""

from bot.workspace.microsoft.graph import mails, odata, post, replies
from bot.workspace.microsoft.graph.calls import Answer, Call, Route, owned
from bot.workspace.microsoft.graph.failures import refused
from bot.workspace.microsoft.graph.records import FOLDERS, Mail
from bot.workspace.microsoft.records import Json, object_of

READ = ("Mail.ReadBasic", "Mail.Read", "Mail.ReadWrite")
WRITE = ("Mail.ReadWrite",)
SEND = ("Mail.Send",)
REQUEST_LIMIT = 4 * 2**20
"""Bytes of one request."""


def _shown(call: Call, mail: Mail) -> Json:
    is_basic = not call.scopes & {
        "Mail.Read",
        "Mail.ReadWrite",
        "Mail.Read.Shared",
        "Mail.ReadWrite.Shared",
    }
    item = mails.shown(
        call.graph,
        mail,
        is_immutable=call.prefers_immutable,
        is_basic=is_basic,
        body_kind=call.preference("outlook.body-content-type"),
    )
    return item | expanded(mail, call.query.get("$expand", ""))


def expanded(mail: Mail, wanted: str) -> Json:
    """What `$expand` adds: attachments, or the properties that it names."""
    added: Json = {}
    if "attachments" in wanted:
        added["attachments"] = mail.attachments
    if "singleValueExtendedProperties" in wanted:
        found = [{"id": k, "value": v} for k, v in mail.properties.items() if k in wanted.lower()]
        if found:
            added["singleValueExtendedProperties"] = found
    return added


def _one(call: Call, mail: Mail, status: int = 200) -> Answer:
    item = odata.selected(_shown(call, mail), call.query.get("$select", ""))
    context = f"{call.graph.tenant.base}/v1.0/$metadata#users('{call.owner.oid}')/messages/$entity"
    headers = {"Preference-Applied": 'IdType="ImmutableId"'} if call.prefers_immutable else {}
    return Answer(status=status, body={"@odata.context": context} | item, headers=headers)


def list_messages(call: Call) -> Answer:
    folder = mails.folder_named(call.parts["folder"]) if "folder" in call.parts else ""
    kept = [m for m in reversed(call.mailbox.mails.values()) if folder in ("", m.folder)]
    seen = [_seen(call, mail) for mail in kept]
    query = call.query
    if "$orderby" not in query and "$search" not in query:
        seen.sort(key=lambda item: str(item["receivedDateTime"]), reverse=True)
    page = odata.listed(call, seen, meets=mails.answers, context="Collection(message)")
    expand = call.query.get("$expand", "")
    by_id = {mail.immutable_id: mail for mail in kept} | {mail.id: mail for mail in kept}
    for item in page["value"]:
        mail = by_id[item["id"]]
        for hidden in ("singleValueExtendedProperties", "attachmentNames"):
            item.pop(hidden, None)
        item.update(expanded(mail, expand))
    headers = {"Preference-Applied": 'IdType="ImmutableId"'} if call.prefers_immutable else {}
    return Answer(body=page, headers=headers)


def _seen(call: Call, mail: Mail) -> Json:
    properties = [{"id": k, "value": v} for k, v in mail.properties.items()]
    names = [one["name"] for one in mail.attachments]
    more = {"singleValueExtendedProperties": properties, "attachmentNames": names}
    return _shown(call, mail) | more


def get_message(call: Call) -> Answer:
    return _one(call, mails.find(call, call.parts["id"]))


def create_draft(call: Call) -> Answer:
    mail = mails.draft(call.graph, call.mailbox, call.json())
    call.note("mail.drafted", str(mail.fields["subject"]), mail.immutable_id)
    return _one(call, mail, 201)


def change_message(call: Call) -> Answer:
    mail = mails.find(call, call.parts["id"])
    expected = call.headers.get("if-match", "*")
    if expected not in ("*", mails.etag(mail)):
        raise refused(412)
    mails.change(call.graph, mail, call.json())
    call.note("mail.changed", str(mail.fields["subject"]), mail.immutable_id)
    return _one(call, mail)


def delete_message(call: Call) -> Answer:
    """Into Deleted Items, and out of there for good."""
    mail = mails.find(call, call.parts["id"])
    if mail.folder == "deleteditems":
        del call.mailbox.mails[mail.immutable_id]
    else:
        mail.move("deleteditems")
    call.note("mail.deleted", str(mail.fields["subject"]), mail.immutable_id)
    return Answer(status=204)


def move_message(call: Call) -> Answer:
    mail = mails.find(call, call.parts["id"])
    mail.move(mails.folder_named(str(call.json().get("destinationId", ""))))
    call.note("mail.moved", str(mail.fields["subject"]), mail.immutable_id)
    return _one(call, mail, 201)


def send_draft(call: Call) -> Answer:
    post.send(call, mails.find(call, call.parts["id"]))
    return Answer(status=202)


def send_mail(call: Call) -> Answer:
    """Accepted is not yet sent; nothing says afterwards under which id it lies."""
    if len(call.content) > REQUEST_LIMIT:
        raise refused(413)
    given = call.json()
    message = object_of(given.get("message", given.get("Message")))
    if message is None:
        raise refused(400, "ErrorInvalidRequest", "The parameter 'Message' is missing.")
    is_kept = given.get("saveToSentItems", given.get("SaveToSentItems"))
    mail = mails.draft(call.graph, call.mailbox, message)
    try:
        post.send(call, mail, is_kept=is_kept is not False)
    except BaseException:
        call.mailbox.mails.pop(mail.immutable_id, None)
        raise
    return Answer(status=202)


def list_attachments(call: Call) -> Answer:
    mail = mails.find(call, call.parts["id"])
    return Answer(body=odata.listed(call, mail.attachments, context="Collection(attachment)"))


def get_attachment(call: Call) -> Answer:
    mail = mails.find(call, call.parts["id"])
    return Answer(body=_attachment(mail, call.parts["attachment"]))


def _attachment(mail: Mail, wanted: str) -> Json:
    for one in mail.attachments:
        if one["id"] == wanted:
            return one
    raise refused(404)


def add_attachment(call: Call) -> Answer:
    mail = _draft(call)
    made = mails.attachment(call.graph, call.json())
    mail.attachments.append(made)
    call.note("mail.changed", str(mail.fields["subject"]), mail.immutable_id)
    return Answer(status=201, body=made)


def remove_attachment(call: Call) -> Answer:
    mail = _draft(call)
    mail.attachments.remove(_attachment(mail, call.parts["attachment"]))
    call.note("mail.changed", str(mail.fields["subject"]), mail.immutable_id)
    return Answer(status=204)


def _draft(call: Call) -> Mail:
    mail = mails.find(call, call.parts["id"])
    if not mail.fields["isDraft"]:
        raise refused(400, "ErrorInvalidPropertySet", "Attachments belong to drafts.")
    return mail


def list_folders(call: Call) -> Answer:
    folders = [_folder(call, name) for name in FOLDERS]
    return Answer(body=odata.listed(call, folders, context="Collection(mailFolder)"))


def get_folder(call: Call) -> Answer:
    return Answer(body=_folder(call, mails.folder_named(call.parts["folder"])))


def _folder(call: Call, name: str) -> Json:
    kept = call.mailbox.folder(name)
    return {
        "id": mails.folder_id(name),
        "displayName": FOLDERS[name],
        "parentFolderId": mails.folder_id("root"),
        "childFolderCount": 0,
        "unreadItemCount": sum(not mail.fields["isRead"] for mail in kept),
        "totalItemCount": len(kept),
        "isHidden": False,
    }


ROUTES: tuple[Route, ...] = (
    owned("GET", "/messages", list_messages, *READ),
    owned("POST", "/messages", create_draft, *WRITE),
    owned("GET", "/messages/{id}", get_message, *READ),
    owned("PATCH", "/messages/{id}", change_message, *WRITE),
    owned("DELETE", "/messages/{id}", delete_message, *WRITE),
    owned("POST", "/messages/{id}/move", move_message, *WRITE),
    owned("POST", "/messages/{id}/send", send_draft, *SEND),
    owned("POST", "/messages/{id}/reply", replies.reply, *SEND),
    owned("POST", "/messages/{id}/replyAll", replies.reply_all, *SEND),
    owned("POST", "/messages/{id}/forward", replies.forward, *SEND),
    owned("POST", "/messages/{id}/createReply", replies.create_reply, *WRITE),
    owned("POST", "/messages/{id}/createReplyAll", replies.create_reply_all, *WRITE),
    owned("POST", "/messages/{id}/createForward", replies.create_forward, *WRITE),
    owned("GET", "/messages/{id}/attachments", list_attachments, "Mail.Read", "Mail.ReadWrite"),
    owned("POST", "/messages/{id}/attachments", add_attachment, *WRITE),
    owned(
        "GET",
        "/messages/{id}/attachments/{attachment}",
        get_attachment,
        "Mail.Read",
        "Mail.ReadWrite",
    ),
    owned("DELETE", "/messages/{id}/attachments/{attachment}", remove_attachment, *WRITE),
    owned("POST", "/sendMail", send_mail, *SEND),
    owned("GET", "/mailFolders", list_folders, *READ),
    owned("GET", "/mailFolders/{folder}", get_folder, *READ),
    owned("GET", "/mailFolders/{folder}/messages", list_messages, *READ),
    owned("GET", "/mailFolders/{folder}/messages/{id}", get_message, *READ),
)
