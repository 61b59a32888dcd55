"""Mails in a mailbox: made, changed, found, shown."""

import base64
import binascii
import hashlib
import re
from typing import Any

from bot.workspace.microsoft.graph.calls import Call
from bot.workspace.microsoft.graph.failures import refused
from bot.workspace.microsoft.graph.html import text_of
from bot.workspace.microsoft.graph.records import FOLDERS, Mail, Mailbox
from bot.workspace.microsoft.graph.world import Graph
from bot.workspace.microsoft.records import Json, texts_of
from bot.workspace.microsoft.tenant import new_guid

RECIPIENTS = ("toRecipients", "ccRecipients", "bccRecipients", "replyTo")
DRAFT_ONLY = frozenset(
    {*RECIPIENTS, "subject", "body", "from", "sender", "internetMessageId", "attachments"}
)
"""What cannot be changed any more once a mail is sent."""
ANYTIME = frozenset(
    {
        "categories",
        "flag",
        "importance",
        "inferenceClassification",
        "internetMessageHeaders",
        "isDeliveryReceiptRequested",
        "isRead",
        "isReadReceiptRequested",
        "multiValueExtendedProperties",
        "singleValueExtendedProperties",
    }
)
PREVIEW = 255
"""Characters of bodyPreview."""
ATTACHMENT_LIMIT = 3 * 2**20
"""Bytes that one request may attach; larger files need an upload session."""


def draft(graph: Graph, box: Mailbox, given: Json) -> Mail:
    """A new mail in Drafts. Raises GraphRefused for fields that a message does not have."""
    now = graph.stamp()
    account = box.account
    own = {"emailAddress": {"name": account.display_name, "address": account.upn}}
    mail = Mail(
        folder="drafts",
        fields={
            "createdDateTime": now,
            "lastModifiedDateTime": now,
            "receivedDateTime": now,
            "sentDateTime": now,
            "internetMessageId": f"<{new_guid()}@{account.upn.partition('@')[2]}>",
            "subject": "",
            "body": {"contentType": "text", "content": ""},
            "importance": "normal",
            "categories": [],
            "conversationId": f"AAQkAD{new_guid().replace('-', '')}",
            "isRead": True,
            "isDraft": True,
            "isDeliveryReceiptRequested": False,
            "isReadReceiptRequested": False,
            "flag": {"flagStatus": "notFlagged"},
            "from": own,
            "sender": own,
            "toRecipients": [],
            "ccRecipients": [],
            "bccRecipients": [],
            "replyTo": [],
        },
    )
    change(graph, mail, given)
    box.mails[mail.immutable_id] = mail
    return mail


def change(graph: Graph, mail: Mail, given: Json) -> None:
    """Lay the given fields over the mail. Raises GraphRefused."""
    wanted = {name: value for name, value in given.items() if "@odata" not in name}
    for name in wanted:
        if name not in DRAFT_ONLY and name not in ANYTIME:
            told = f"The property '{name}' does not exist on type 'microsoft.graph.message'."
            raise refused(400, "RequestBodyRead", told)
        if name in DRAFT_ONLY and not mail.fields["isDraft"]:
            told = f"The property '{name}' can be changed in a draft only."
            raise refused(400, "ErrorInvalidPropertySet", told)
    for name, value in wanted.items():
        match name:
            case "attachments":
                mail.attachments = [attachment(graph, one) for one in value]
            case "singleValueExtendedProperties":
                mail.properties |= {str(p["id"]).lower(): str(p["value"]) for p in value}
            case "body":
                kind = str(value.get("contentType", "text")).lower()
                mail.fields["body"] = {"contentType": kind, "content": str(value["content"])}
            case _ if name in RECIPIENTS:
                mail.fields[name] = [recipient(graph, one) for one in value]
            case _:
                mail.fields[name] = value
    mail.fields["lastModifiedDateTime"] = graph.stamp()


def recipient(graph: Graph, given: Any) -> Json:
    """Graph fills in the name of somebody it knows."""
    try:
        address = str(given["emailAddress"]["address"]).strip()
    except (KeyError, TypeError):
        raise refused(400, "ErrorInvalidRecipients", "A recipient has no address.") from None
    known = graph.tenant.find(address)
    name = given["emailAddress"].get("name") or (known.display_name if known else address)
    return {"emailAddress": {"name": str(name), "address": address}}


def attachment(graph: Graph, given: Json) -> Json:
    """A file, or a link to one. Raises GraphRefused when it is too large or no base64."""
    kind = str(given.get("@odata.type", "#microsoft.graph.fileAttachment"))
    made: Json = {
        "@odata.type": kind,
        "id": f"AAMkAT{new_guid().replace('-', '')}",
        "lastModifiedDateTime": graph.stamp(),
        "name": str(given.get("name", "")),
        "contentType": given.get("contentType") or "application/octet-stream",
        "isInline": bool(given.get("isInline", False)),
        "contentId": given.get("contentId"),
    }
    if kind.endswith("referenceAttachment"):
        return made | {"sourceUrl": given.get("sourceUrl", ""), "size": 0}
    try:
        content = base64.b64decode(str(given.get("contentBytes", "")), validate=True)
    except binascii.Error:
        told = "Cannot convert the literal to the expected type 'Edm.Binary'."
        raise refused(400, "RequestBodyRead", told) from None
    if len(content) > ATTACHMENT_LIMIT:
        raise refused(413)
    return made | {"size": len(content), "contentBytes": base64.b64encode(content).decode()}


def find(call: Call, mail_id: str) -> Mail:
    """A mail of the mailbox that the call is about.

    An immutable id is only understood together with the preference that asked for it. Raises
    GraphRefused 404.
    """
    box = call.mailbox
    if call.prefers_immutable and mail_id in box.mails:
        return box.mails[mail_id]
    for mail in box.mails.values():
        if mail.id == mail_id:
            return mail
    raise refused(404)


def folder_named(name: str) -> str:
    """A well-known name, or the id of a folder. Raises GraphRefused 404."""
    for known in FOLDERS:
        if name.lower() in (known, folder_id(known).lower()):
            return known
    raise refused(404, "ErrorFolderNotFound", "The specified folder could not be found.")


def folder_id(name: str) -> str:
    return f"AQMkAD{hashlib.sha256(name.encode()).hexdigest()[:40]}AAAA"


def shown(
    graph: Graph,
    mail: Mail,
    *,
    is_immutable: bool = False,
    is_basic: bool = False,
    body_kind: str = "",
) -> Json:
    """The message resource; `is_basic` leaves out what Mail.ReadBasic does not cover."""
    text = plain(mail)
    item: Json = {
        "@odata.etag": etag(mail),
        "id": mail.immutable_id if is_immutable else mail.id,
        "changeKey": etag(mail)[3:-1],
        **mail.fields,
        "bodyPreview": re.sub(r"\s+", " ", text).strip()[:PREVIEW],
        "hasAttachments": any(not one.get("isInline") for one in mail.attachments),
        "parentFolderId": folder_id(mail.folder),
        "webLink": graph.tenant.link("mail", mail.immutable_id),
    }
    if body_kind == "text":
        item["body"] = {"contentType": "text", "content": text}
    if is_basic:
        for name in ("body", "bodyPreview", "uniqueBody"):
            item.pop(name, None)
    return item


def etag(mail: Mail) -> str:
    made = hashlib.sha256(repr((mail.id, mail.fields, mail.properties)).encode()).hexdigest()
    return f'W/"{made[:32]}"'


def plain(mail: Mail) -> str:
    """The body as text."""
    body = mail.fields["body"]
    return text_of(body["content"]) if body["contentType"] == "html" else str(body["content"])


def sortable(graph: Graph, mail: Mail, *, is_immutable: bool) -> Json:
    """All that a filter may ask about."""
    properties = [{"id": k, "value": v} for k, v in mail.properties.items()]
    item = shown(graph, mail, is_immutable=is_immutable)
    return item | {"singleValueExtendedProperties": properties}


def addresses(mail: Mail, *names: str) -> list[str]:
    """Of the named kinds of recipients, of all three when none is named."""
    wanted = names or RECIPIENTS[:3]
    found = [one["emailAddress"]["address"] for name in wanted for one in mail.fields[name]]
    return list(dict.fromkeys(str(address) for address in found))


def answers(item: Json, word: str) -> bool:
    """Whether a message meets one word of a `$search`, such as `budget` or `from:tomas`."""
    name, mark, value = word.partition(":")
    value = value.strip('"').lower()
    if mark and name.lower() in PLACES:
        return any(value in texts_of(item.get(field)) for field in PLACES[name.lower()])
    everywhere = ("subject", "body", "from", *RECIPIENTS[:3], "attachmentNames")
    return any(word.lower() in texts_of(item.get(field)) for field in everywhere)


PLACES = {
    "from": ("from",),
    "to": ("toRecipients",),
    "cc": ("ccRecipients",),
    "bcc": ("bccRecipients",),
    "participants": ("from", *RECIPIENTS[:3]),
    "recipients": RECIPIENTS[:3],
    "subject": ("subject",),
    "body": ("body",),
    "attachment": ("attachmentNames",),
}
