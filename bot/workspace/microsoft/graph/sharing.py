"""Sharing a file: links, and invitations by name."""

import secrets
from html import escape

from bot.workspace.microsoft.graph import drives, mails, post
from bot.workspace.microsoft.graph.calls import Answer, Call
from bot.workspace.microsoft.graph.failures import refused
from bot.workspace.microsoft.graph.records import DriveItem
from bot.workspace.microsoft.records import Json, list_of

LINKS = {"view": ["read"], "edit": ["write"], "embed": ["read"]}
SCOPES = ("anonymous", "organization", "users")


def create_link(call: Call, item: DriveItem) -> Answer:
    """200 with the link of that kind which is there, 201 with a new one."""
    given = call.json()
    kind, scope = str(given.get("type", "")), str(given.get("scope") or "organization")
    if kind not in LINKS or scope not in SCOPES:
        raise refused(400, "invalidRequest", "The sharing link type or scope is not valid.")
    if scope == "anonymous" and not call.graph.allows_anonymous_links:
        told = "Sharing with anyone has been disabled for this site."
        raise refused(403, "accessDenied", told)
    for grant in item.permissions:
        link = grant.get("link")
        if link is not None and (link["type"], link["scope"]) == (kind, scope):
            return Answer(body=grant)
    secret = secrets.token_urlsafe(16)
    address = call.graph.tenant.link("files", item.id) + f"?share={secret}"
    link = {"type": kind, "scope": scope, "webUrl": address, "preventsDownload": False}
    grant: Json = {"id": secret, "roles": LINKS[kind], "link": link, "shareId": f"u!{secret}"}
    item.permissions.append(grant)
    call.note("link.created", item.name, item.id)
    return Answer(status=201, body=grant)


def invite(call: Call, item: DriveItem) -> Answer:
    """Permissions for people by address; a mail to each unless `sendInvitation` is false."""
    given = call.json()
    roles = [str(role) for role in list_of(given.get("roles"))]
    emails = [str(one.get("email", "")) for one in list_of(given.get("recipients"))]
    if not roles or not set(roles) <= {"read", "write"} or not emails:
        raise refused(400, "invalidRequest", "Roles or recipients are not valid.")
    for email in emails:
        if not post.ADDRESS.match(email):
            told = "One or more of the recipients could not be resolved."
            raise refused(400, "invalidRequest", told)
    grants = [_grant(item, email, roles) for email in emails]
    call.note("file.shared", item.name, item.id)
    if given.get("sendInvitation"):
        _tell(call, item, emails, str(given.get("message") or ""))
    return Answer(body={"value": grants})


def _grant(item: DriveItem, email: str, roles: list[str]) -> Json:
    for known in item.permissions:
        invited = known.get("invitation", {}).get("email", "").lower()
        if invited == email.lower():
            known["roles"] = roles
            return known
    made: Json = {"id": secrets.token_urlsafe(16), "roles": roles, "invitation": {"email": email}}
    item.permissions.append(made)
    return made


def _tell(call: Call, item: DriveItem, emails: list[str], message: str) -> None:
    box = call.graph.mailboxes[call.caller.oid]
    address = drives.shown(call.graph, call.drive, item)["webUrl"]
    text = f"<p>{escape(message)}</p><p><a href='{escape(address)}'>{escape(item.name)}</a></p>"
    given: Json = {
        "subject": f'{call.caller.display_name} shared "{item.name}" with you',
        "toRecipients": [{"emailAddress": {"address": email}} for email in emails],
        "body": {"contentType": "html", "content": text},
    }
    mail = mails.draft(call.graph, box, given)
    mail.is_kept = False
    post.depart(call.graph, box, mail)
    call.note("mail.sent", str(mail.fields["subject"]), mail.immutable_id)


def permissions(call: Call, item: DriveItem) -> Answer:
    """Those of the item and of the folders that it is in."""
    found: list[Json] = []
    while True:
        found += [_named(call, grant) for grant in item.permissions]
        if not item.parent:
            return Answer(body={"value": found})
        item = call.drive.items[item.parent]


def _named(call: Call, grant: Json) -> Json:
    who = call.graph.tenant.find(str(grant.get("invitation", {}).get("email", "")))
    return grant if who is None else {**grant, "grantedToV2": {"user": {"id": who.oid}}}
