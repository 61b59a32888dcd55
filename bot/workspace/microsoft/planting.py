"""Lays the first mails, events, files and chats into a fresh tenant."""

import re
from datetime import UTC, datetime, timedelta

from bot.workspace.microsoft import seed_texts as texts
from bot.workspace.microsoft.graph import drives, events, invitations, mails, post, times
from bot.workspace.microsoft.graph.records import Chat, Mail
from bot.workspace.microsoft.graph.world import Graph, stamped
from bot.workspace.microsoft.records import Account, Json
from bot.workspace.microsoft.seed_texts import SeedEvent, SeedFile, SeedMail

NAMED = re.compile(r"^(.*) <(.*)>$")


def plant(graph: Graph) -> None:
    """Everything is dated from the clock's now: mails of the last days, events of this week."""
    conversations: dict[str, str] = {}
    for mail in texts.MAILS:
        _mail(graph, mail, conversations)
    _draft(graph, texts.DRAFT)
    for event in texts.EVENTS:
        _event(graph, event)
    for file in texts.FILES:
        _file(graph, file)
    _teams(graph)


def _person(graph: Graph, who: str) -> Json:
    account = graph.tenant.find(who)
    if account is not None:
        return {"emailAddress": {"name": account.display_name, "address": account.upn}}
    named = NAMED.match(who)
    name, address = (named[1], named[2]) if named else (who, who)
    return {"emailAddress": {"name": name, "address": address}}


def _mail(graph: Graph, given: SeedMail, conversations: dict[str, str]) -> None:
    sender = graph.tenant.find(given.sender)
    owner = sender or graph.tenant.account(given.to[0])
    mail = _written(graph, owner, given)
    topic = given.subject.removeprefix("RE: ")
    mail.fields["conversationId"] = conversations.setdefault(topic, mail.fields["conversationId"])
    mail.fields |= {"from": _person(graph, given.sender), "sender": _person(graph, given.sender)}
    mail.fields["isDraft"] = False
    for address in mails.addresses(mail):
        reader = graph.tenant.find(address)
        if reader is not None:
            post.arrive(graph, reader, mail).fields["isRead"] = given.is_read
    box = graph.mailboxes[owner.oid]
    if sender is None:
        del box.mails[mail.immutable_id]
    else:
        mail.move("sentitems")


def _written(graph: Graph, owner: Account, given: SeedMail) -> Mail:
    fields: Json = {
        "subject": given.subject,
        "body": {"contentType": "text", "content": given.text},
        "toRecipients": [_person(graph, who) for who in given.to],
        "ccRecipients": [_person(graph, who) for who in given.cc],
    }
    mail = mails.draft(graph, graph.mailboxes[owner.oid], fields)
    at = stamped(graph.tenant.clock() - given.age)
    for name in ("createdDateTime", "lastModifiedDateTime", "receivedDateTime", "sentDateTime"):
        mail.fields[name] = at
    return mail


def _draft(graph: Graph, given: SeedMail) -> None:
    _written(graph, graph.tenant.account(given.sender), given)


def _event(graph: Graph, given: SeedEvent) -> None:
    organizer = graph.tenant.account(given.organizer)
    box, zone = graph.mailboxes[organizer.oid], organizer.time_zone
    today = datetime.fromtimestamp(graph.tenant.clock(), UTC).astimezone(times.zone(zone))
    day = today + timedelta(days=given.day - today.weekday())
    fields: Json = {
        "subject": given.subject,
        "start": {"dateTime": f"{day:%Y-%m-%d}T{given.start}:00", "timeZone": zone},
        "end": {"dateTime": f"{day:%Y-%m-%d}T{given.end}:00", "timeZone": zone},
        "location": {"displayName": given.place},
        "attendees": [_person(graph, who) for who in given.attendees],
        "body": {"contentType": "text", "content": given.text},
    }
    event = events.create(graph, box, fields)
    invitations.lay_copies(graph, box, event)
    accepted: Json = {"response": "accepted", "time": graph.stamp()}
    for attendee in event.fields["attendees"]:
        attendee["status"] = dict(accepted)
    for other in graph.mailboxes.values():
        copy = invitations.copy_of(other, event)
        if copy is not None:
            copy.fields |= {"responseStatus": dict(accepted), "showAs": "busy"}


def _file(graph: Graph, given: SeedFile) -> None:
    owner = graph.tenant.account(given.owner)
    drive = graph.drives[owner.oid]
    target = drives.folder_for(graph, drive, drives.root_of(drive), given.path)
    item, _ = drives.write(graph, drive, owner, target, given.text.encode())
    item.created_at = item.changed_at = target[0].changed_at = graph.tenant.clock() - given.age
    for reader in given.readers:
        email = graph.tenant.account(reader).upn
        item.permissions.append({"id": email, "roles": ["read"], "invitation": {"email": email}})


def _teams(graph: Graph) -> None:
    team = "8f2c6a50-1f0b-4b9e-9d0c-6f5b0f3a7c21"
    graph.teams[team] = texts.TEAM
    for number, (name, people) in enumerate(texts.CHANNELS.items()):
        channel = f"19:larkspur{number}@thread.tacv2"
        members = [graph.tenant.account(who).oid for who in people]
        graph.chats[channel] = Chat(
            id=channel, members=members, kind="channel", topic=name, team=team
        )
    pair = [graph.tenant.account(who) for who in ("mara", "tomas")]
    chat = Chat(id="19:mara-tomas@unq.gbl.spaces", members=[one.oid for one in pair])
    graph.chats[chat.id] = chat
    for number, (who, text) in enumerate(texts.CHAT):
        account = graph.tenant.account(who)
        chat.messages.append(
            {
                "id": str(number),
                "replyToId": None,
                "messageType": "message",
                "createdDateTime": stamped(graph.tenant.clock() - 3_600),
                "from": {"user": {"id": account.oid, "displayName": account.display_name}},
                "body": {"contentType": "text", "content": text},
                "attachments": [],
                "mentions": [],
            }
        )
