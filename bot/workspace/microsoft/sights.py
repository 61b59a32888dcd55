"""What a person sees on the mailbox page: folders, mails, a week, files, chats."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from bot.workspace.microsoft.graph import drives, events, mails, times
from bot.workspace.microsoft.graph.html import text_of, tree_of
from bot.workspace.microsoft.graph.records import (
    FOLDERS,
    Chat,
    Drive,
    DriveItem,
    Event,
    Mail,
    Mailbox,
    OutsideMail,
)
from bot.workspace.microsoft.graph.world import Graph
from bot.workspace.microsoft.records import Account, Json, object_of
from bot.workspace.microsoft.tenant import Tenant

OUTSIDE = "outside"
"""The box of everything that left the company."""
MINUTES = 24 * 60


def overview(graph: Graph, person: Account, box: Mailbox) -> Json:
    """The frame: who is here, which folders there are."""
    people = [a for a in graph.tenant.accounts.values() if not a.is_shared_mailbox]
    return {
        "company": graph.tenant.name,
        "me": person.name,
        "box": box.account.name,
        "people": [_person(account) for account in people],
        "boxes": [_person(account) for account in boxes_of(graph, person)],
        "folders": [_folder(box, name) for name in FOLDERS if name != "archive"],
        "outside": len(graph.outside),
    }


def boxes_of(graph: Graph, person: Account) -> list[Account]:
    """One's own mailbox, and the shared ones that one may open."""
    shared = [a for a in graph.tenant.accounts.values() if person.name in a.delegates]
    return [person, *shared]


def _person(account: Account) -> Json:
    return {
        "name": account.name,
        "display_name": account.display_name,
        "upn": account.upn,
        "title": account.job_title,
        "is_admin": account.is_admin,
        "is_shared": account.is_shared_mailbox,
    }


def _folder(box: Mailbox, name: str) -> Json:
    kept = box.folder(name)
    unread = sum(not mail.fields["isRead"] for mail in kept)
    return {"name": name, "title": FOLDERS[name], "unread": unread, "total": len(kept)}


def mail_rows(graph: Graph, box: Mailbox, folder: str) -> list[Json]:
    """The mails of a folder, the newest first."""
    if folder == OUTSIDE:
        numbered = list(enumerate(graph.outside))
        return [_outside_row(graph, number, mail) for number, mail in reversed(numbered)]
    kept = sorted(box.folder(folder), key=lambda m: str(m.fields["receivedDateTime"]), reverse=True)
    return [_row(graph, mail) for mail in kept]


def _row(graph: Graph, mail: Mail) -> Json:
    fields = mail.fields
    is_own = mail.folder in ("drafts", "outbox", "sentitems")
    return {
        "id": mail.immutable_id,
        "subject": fields["subject"],
        "preview": mails.shown(graph, mail)["bodyPreview"],
        "who": _names(fields["toRecipients"]) if is_own else fields["from"]["emailAddress"]["name"],
        "is_own": is_own,
        "at": fields["receivedDateTime"],
        "is_read": fields["isRead"],
        "is_draft": fields["isDraft"],
        "is_external": not is_own and _is_external(graph.tenant, fields["from"]),
        "has_files": bool(mail.attachments),
        "is_meeting": "meetingMessageType" in fields,
    }


def _outside_row(graph: Graph, number: int, mail: OutsideMail) -> Json:
    body = mail.mail["body"]
    text = text_of(body["content"]) if body["contentType"] == "html" else str(body["content"])
    return {
        "id": f"{OUTSIDE}-{number}",
        "subject": mail.mail["subject"],
        "preview": " ".join(text.split())[: mails.PREVIEW],
        "who": ", ".join(mail.recipients),
        "is_own": True,
        "at": mail.mail["sentDateTime"],
        "is_read": True,
        "is_draft": False,
        "is_external": True,
        "has_files": bool(mail.attachments),
        "is_meeting": False,
    }


def _names(people: Iterable[Json]) -> str:
    return ", ".join(str(one["emailAddress"]["name"]) for one in people)


def _is_external(tenant: Tenant, person: Json) -> bool:
    return tenant.find(str(person["emailAddress"]["address"])) is None


def read(box: Mailbox, mail_id: str) -> bool:
    """Whether this mail was unread until now."""
    found = box.mails.get(mail_id)
    if found is None or found.folder != "inbox" or found.fields["isRead"]:
        return False
    found.fields["isRead"] = True
    return True


def mail(graph: Graph, box: Mailbox, mail_id: str) -> Json:
    """One mail for reading. Raises KeyError."""
    if mail_id.startswith(f"{OUTSIDE}-"):
        gone = graph.outside[int(mail_id.removeprefix(f"{OUTSIDE}-"))]
        return _opened(graph, gone.mail, list(gone.attachments)) | {"id": mail_id}
    found = box.mails[mail_id]
    opened = _opened(graph, found.fields, found.attachments)
    return opened | {"id": mail_id, "folder": found.folder}


def _opened(graph: Graph, fields: Json, attachments: list[Json]) -> Json:
    def people(name: str) -> list[Json]:
        return [_named(graph.tenant, one) for one in fields[name]]

    return {
        "subject": fields["subject"],
        "from": _named(graph.tenant, fields["from"]),
        "sender": _named(graph.tenant, fields["sender"]),
        "to": people("toRecipients"),
        "cc": people("ccRecipients"),
        "bcc": people("bccRecipients"),
        "at": fields["sentDateTime"],
        "is_draft": fields["isDraft"],
        "importance": fields["importance"],
        "body": _body(fields["body"]),
        "message_id": fields["internetMessageId"],
        "files": [
            {"id": one["id"], "name": one["name"], "size": one["size"], "url": one.get("sourceUrl")}
            for one in attachments
        ],
    }


def _named(tenant: Tenant, person: Json) -> Json:
    found = person["emailAddress"]
    is_external = _is_external(tenant, person)
    return {"name": found["name"], "address": found["address"], "is_external": is_external}


def _body(body: Json) -> Json:
    """A tree for HTML, else a text."""
    if body["contentType"] == "html":
        return {"tree": tree_of(str(body["content"]))}
    return {"text": str(body["content"])}


def week(graph: Graph, box: Mailbox, offset: int) -> Json:
    """The week that is `offset` weeks from this one, in the time zone of the mailbox."""
    zone = times.zone(box.account.time_zone)
    now = datetime.fromtimestamp(graph.tenant.clock(), UTC).astimezone(zone)
    monday = now.replace(hour=0, minute=0, second=0, microsecond=0)
    monday += timedelta(days=7 * offset - now.weekday())
    days = [monday + timedelta(days=number) for number in range(7)]
    found = [
        part
        for number, day in enumerate(days)
        for event in events.overlapping(box, day, day + timedelta(days=1))
        for part in [_part(graph, event, day, number)]
    ]
    return {
        "days": [f"{day:%Y-%m-%d}" for day in days],
        "today": now.weekday() if offset == 0 else -1,
        "now": now.hour * 60 + now.minute,
        "zone": box.account.time_zone,
        "events": found,
    }


def _part(graph: Graph, event: Event, day: datetime, number: int) -> Json:
    """What of an event falls on this day; minutes after midnight."""
    fields = event.fields
    start, end = events.start_of(event), events.end_of(event)
    begin = (start - day).total_seconds() / 60
    finish = (end - day).total_seconds() / 60
    return {
        "id": event.immutable_id,
        "subject": fields["subject"],
        "day": number,
        "start": max(0, int(begin)),
        "end": min(MINUTES, int(finish)),
        "when": f"{start.astimezone(day.tzinfo):%H:%M} – {end.astimezone(day.tzinfo):%H:%M}",
        "is_all_day": fields["isAllDay"],
        "place": fields["location"].get("displayName") or "",
        "shows_as": fields["showAs"],
        "is_organizer": fields["isOrganizer"],
        "response": fields["responseStatus"]["response"],
        "organizer": _named(graph.tenant, fields["organizer"]),
        "attendees": [_attendee(graph.tenant, one) for one in fields["attendees"]],
        "online": _joined_at(fields),
        "body": _body(fields["body"]),
    }


def _joined_at(fields: Json) -> str:
    meeting = object_of(fields.get("onlineMeeting"))
    return str(meeting["joinUrl"]) if meeting else ""


def _attendee(tenant: Tenant, one: Json) -> Json:
    status = object_of(one.get("status"))
    return _named(tenant, one) | {"response": status["response"] if status else "none"}


def files(graph: Graph, drive: Drive, folder_id: str) -> Json:
    """A folder of one's own drive; in the root also what others share. Raises KeyError."""
    root = drives.root_of(drive)
    folder = drive.items[folder_id] if folder_id else root
    crumbs: list[Json] = []
    step = folder
    while step.parent:
        crumbs.insert(0, {"id": step.id, "name": step.name})
        step = drive.items[step.parent]
    shared = _shared_with(graph, drive.account) if folder is root else []
    return {
        "crumbs": crumbs,
        "items": [_file(graph, drive, item) for item in drives.children(drive, folder)],
        "shared": [_file(graph, other, item) for other, item in shared],
    }


def _shared_with(graph: Graph, account: Account) -> list[tuple[Drive, DriveItem]]:
    return [
        (drive, item)
        for drive in graph.drives.values()
        if drive.account.oid != account.oid
        for item in drive.items.values()
        if any(drives.is_invited(grant, account) for grant in item.permissions)
    ]


def _file(graph: Graph, drive: Drive, item: DriveItem) -> Json:
    changed = graph.tenant.find(item.changed_by) or drive.account
    return {
        "id": item.id,
        "owner": drive.account.name,
        "owner_name": drive.account.display_name,
        "name": item.name,
        "is_folder": item.content is None,
        "size": drives.size_of(drive, item),
        "at": drives.time_of(item.changed_at),
        "by": changed.display_name,
        "version": item.version,
        "kind": item.media_type,
        "preview": _preview(item),
        "shares": [_share(graph.tenant, grant) for grant in item.permissions],
    }


def _preview(item: DriveItem) -> str:
    if item.content is None or not item.media_type.startswith("text/"):
        return ""
    return item.content[:4_000].decode("utf-8", "replace")


def _share(tenant: Tenant, grant: Json) -> Json:
    role = "can edit" if "write" in grant["roles"] else "can view"
    if "link" in grant:
        who = {"organization": "Everybody in the company", "anonymous": "Anyone"}
        return {"who": who.get(grant["link"]["scope"], "People with the link"), "role": role}
    account = tenant.find(grant["invitation"]["email"])
    who_is = account.display_name if account else grant["invitation"]["email"]
    return {"who": who_is, "role": role, "is_external": account is None}


def chats(graph: Graph, person: Account) -> list[Json]:
    """Chats and channels, the liveliest first."""
    own = [chat for chat in graph.chats.values() if person.oid in chat.members]
    rows = [
        {
            "id": chat.id,
            "title": _title(graph, chat, person),
            "team": graph.teams.get(chat.team, ""),
            "is_channel": chat.kind == "channel",
            "at": chat.messages[-1]["createdDateTime"] if chat.messages else "",
            "last": _said(chat.messages[-1]) if chat.messages else "",
        }
        for chat in own
    ]
    return sorted(rows, key=lambda row: row["at"], reverse=True)


def _title(graph: Graph, chat: Chat, person: Account) -> str:
    others = [graph.tenant.find(oid) for oid in chat.members if oid != person.oid]
    # Whoever is here from elsewhere has no account.
    return chat.topic or ", ".join(one.display_name if one else "a guest" for one in others)


def _said(message: Json) -> str:
    body = message["body"]
    return text_of(body["content"]) if body["contentType"] == "html" else str(body["content"])


def chat(graph: Graph, person: Account, chat_id: str) -> Json:
    """Raises KeyError for one that this person is not in."""
    found = graph.chats[chat_id]
    if person.oid not in found.members:
        raise KeyError(chat_id)
    return {
        "id": chat_id,
        "title": _title(graph, found, person),
        "messages": [
            {
                "id": message["id"],
                "who": message["from"]["user"]["displayName"],
                "is_me": message["from"]["user"]["id"] == person.oid,
                "at": message["createdDateTime"],
                "is_reply": message["replyToId"] is not None,
                "body": _body(message["body"]),
            }
            for message in found.messages
        ],
    }


def locate(graph: Graph, item_id: str) -> Json:
    """Where an item lies that a link names, and who can open it. Raises KeyError."""
    for box in graph.mailboxes.values():
        if item_id in box.mails:
            place: Json = {"view": "mail", "folder": box.mails[item_id].folder, "mail": item_id}
            return place | _opened_by(graph, box.account)
        if item_id in box.events:
            week_there = _week_of(graph, box, item_id)
            place = {"view": "calendar", "week": week_there, "event": item_id}
            return place | _opened_by(graph, box.account)
    for drive in graph.drives.values():
        if item_id in drive.items:
            parent = drive.items[item_id].parent
            is_top = parent == drives.root_of(drive).id
            place = {"view": "files", "at": "" if is_top else parent, "file": item_id}
            return place | _opened_by(graph, drive.account)
    raise KeyError(item_id)


def _opened_by(graph: Graph, owner: Account) -> Json:
    """A shared mailbox is opened by one of its delegates."""
    opener = next(iter(owner.delegates), owner.name) if owner.is_shared_mailbox else owner.name
    return {"box": owner.name, "me": opener}


def _week_of(graph: Graph, box: Mailbox, event_id: str) -> int:
    zone = times.zone(box.account.time_zone)
    now = datetime.fromtimestamp(graph.tenant.clock(), UTC).astimezone(zone)
    start = events.start_of(box.events[event_id]).astimezone(zone)
    first, then = (at.date() - timedelta(days=at.weekday()) for at in (now, start))
    return (then - first).days // 7
