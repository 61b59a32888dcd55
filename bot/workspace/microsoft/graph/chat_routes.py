"""Graph's chats and channels of Teams."""

import re
import secrets

from bot.workspace.microsoft.graph import drives, odata
from bot.workspace.microsoft.graph.calls import Answer, Call, Route, owned, route
from bot.workspace.microsoft.graph.failures import refused
from bot.workspace.microsoft.graph.records import Chat
from bot.workspace.microsoft.graph.world import stamped
from bot.workspace.microsoft.records import Account, Json, list_of, object_of

BOUND = re.compile(r"/users\('([^']+)'\)$|/users/([^/']+)$")
WRITE = ("ChatMessage.Send", "Chat.ReadWrite")
READ = ("Chat.Read", "Chat.ReadWrite", "ChatMessage.Read")
FILES = ("Files.Read.All", "Files.ReadWrite.All", "Sites.Read.All")
LONGEST = 28 * 1_024
"""Bytes of a message's text."""


def shown(call: Call, chat: Chat) -> Json:
    return {
        "id": chat.id,
        "topic": chat.topic or None,
        "chatType": chat.kind,
        "createdDateTime": stamped(chat.created_at),
        "lastUpdatedDateTime": stamped(chat.created_at),
        "webUrl": call.graph.tenant.link("chats", chat.id),
        "tenantId": call.graph.tenant.id,
    }


def _chat(call: Call) -> Chat:
    """Raises GraphRefused 404, and 403 for a chat that the caller is not in."""
    found = call.graph.chats.get(call.parts["chat"])
    if found is None or found.kind == "channel":
        raise refused(404, "NotFound", "No chat with this id was found.")
    return _entered(call, found)


def _channel(call: Call) -> Chat:
    found = call.graph.chats.get(call.parts["channel"])
    if found is None or found.team != call.parts["team"]:
        raise refused(404, "NotFound", "No channel with this id was found in this team.")
    return _entered(call, found)


def _entered(call: Call, chat: Chat) -> Chat:
    if call.caller.oid not in chat.members:
        raise refused(403, "Forbidden", "The caller is not a member of this conversation.")
    return chat


def list_chats(call: Call) -> Answer:
    own = [
        shown(call, chat)
        for chat in call.graph.chats.values()
        if chat.kind != "channel" and call.caller.oid in chat.members
    ]
    return Answer(body=odata.listed(call, own, usual=20, context="chats"))


def create_chat(call: Call) -> Answer:
    """A chat of two that exists is given back; a group chat is a new one every time."""
    given = call.json()
    kind = str(given.get("chatType", ""))
    members = [_bound(call, one) for one in list_of(given.get("members"))]
    oids = list(dict.fromkeys(account.oid for account in members))
    is_pair = kind == "oneOnOne" and len(oids) == 2
    if call.caller.oid not in oids or not (is_pair or (kind == "group" and len(oids) > 1)):
        raise refused(400, "BadRequest", "Members or chatType of the chat are not valid.")
    if is_pair:
        for chat in call.graph.chats.values():
            if chat.kind == kind and set(chat.members) == set(oids):
                return Answer(status=201, body=shown(call, chat))
    chat = Chat(
        id=f"19:{secrets.token_hex(16)}@thread.v2",
        members=oids,
        kind=kind,
        topic=str(given.get("topic") or ""),
        created_at=call.graph.tenant.clock(),
    )
    call.graph.chats[chat.id] = chat
    call.note("chat.created", chat.topic, chat.id)
    return Answer(status=201, body=shown(call, chat))


def _bound(call: Call, member: Json) -> Account:
    found = BOUND.search(str(member.get("user@odata.bind", "")))
    account = call.graph.tenant.find((found[1] or found[2]) if found else "")
    if account is None:
        raise refused(400, "BadRequest", "Bad user@odata.bind of a member.")
    return account


def get_chat(call: Call) -> Answer:
    return Answer(body=shown(call, _chat(call)))


def list_members(call: Call) -> Answer:
    people = [call.graph.tenant.account(oid) for oid in _chat(call).members]
    found: list[Json] = [
        {"userId": p.oid, "displayName": p.display_name, "email": p.upn, "roles": ["owner"]}
        for p in people
    ]
    return Answer(body=odata.listed(call, found, usual=100, context="members"))


def list_chat_messages(call: Call) -> Answer:
    return _messages(call, _chat(call))


def list_channel_messages(call: Call) -> Answer:
    return _messages(call, _channel(call))


def _messages(call: Call, chat: Chat) -> Answer:
    """The newest first, at most fifty a page."""
    root = call.parts.get("root")
    found = [m for m in reversed(chat.all) if m["replyToId"] == root]
    if int(call.query.get("$top", "20")) > 50:
        raise refused(400, "BadRequest", "The limit of '50' for Top query has been exceeded.")
    return Answer(body=odata.listed(call, found, usual=20, context="messages"))


def get_message(call: Call) -> Answer:
    """One message of a chat or channel, or one answer in a thread."""
    chat = _chat(call) if "chat" in call.parts else _channel(call)
    root, wanted = call.parts.get("root"), call.parts["message"]
    for message in chat.all:
        if message["id"] == wanted and message["replyToId"] == root:
            return Answer(body=message)
    raise refused(404, "NotFound", "No message with this id was found.")


def get_folder(call: Call) -> Answer:
    """Where the files of the channel lie."""
    _channel(call)
    drive = call.graph.drives[call.graph.tenant.service.oid]
    folder = drives.by_path(drive, drives.root_of(drive), call.parts["channel"].replace(":", "-"))
    return Answer(body=drives.shown(call.graph, drive, folder))


def post_chat_message(call: Call) -> Answer:
    return _posted(call, _chat(call))


def post_channel_message(call: Call) -> Answer:
    return _posted(call, _channel(call))


def post_reply(call: Call) -> Answer:
    chat = _channel(call)
    if not any(m["id"] == call.parts["root"] for m in chat.all):
        raise refused(404, "NotFound", "No message with this id was found.")
    return _posted(call, chat, call.parts["root"])


def _posted(call: Call, chat: Chat, root: str | None = None) -> Answer:
    given = call.json()
    body = object_of(given.get("body")) or {}
    content = str(body.get("content") or "")
    if not content and not given.get("attachments"):
        raise refused(400, "BadRequest", "Missing body content")
    if len(content.encode()) > LONGEST:
        raise refused(413, "RequestEntityTooLarge", "The message is too large.")
    message: Json = {
        "id": f"{int(call.graph.tenant.clock() * 1_000)}{call.graph.tenant.next_number():03}",
        "replyToId": root,
        "messageType": "message",
        "createdDateTime": call.graph.stamp(),
        "lastModifiedDateTime": call.graph.stamp(),
        "deletedDateTime": None,
        "subject": given.get("subject"),
        "importance": given.get("importance") or "normal",
        "chatId": None if chat.kind == "channel" else chat.id,
        "from": {"user": {"id": call.caller.oid, "displayName": call.caller.display_name}},
        "body": {"contentType": str(body.get("contentType") or "text").lower(), "content": content},
        "attachments": list_of(given.get("attachments")),
        "mentions": list_of(given.get("mentions")),
        "reactions": [],
        "webUrl": call.graph.tenant.link("chats", chat.id),
    }
    chat.messages.append(message)
    call.note("chat.posted", content[:80], message["id"])
    return Answer(status=201, body=message)


def list_teams(call: Call) -> Answer:
    """The teams in one of whose channels the caller is."""
    own = {c.team for c in call.graph.chats.values() if c.team and call.caller.oid in c.members}
    found: list[Json] = [
        {"id": team, "displayName": name} for team, name in call.graph.teams.items() if team in own
    ]
    return Answer(body=odata.listed(call, found, context="teams"))


def list_channels(call: Call) -> Answer:
    found: list[Json] = [
        {
            "id": chat.id,
            "displayName": chat.topic,
            "membershipType": "standard",
            "webUrl": call.graph.tenant.link("chats", chat.id),
        }
        for chat in call.graph.chats.values()
        if chat.team == call.parts["team"] and call.caller.oid in chat.members
    ]
    return Answer(body=odata.listed(call, found, context="channels"))


CHANNEL = "/teams/{team}/channels/{channel}/messages"
ROUTES: tuple[Route, ...] = (
    owned("GET", "/chats", list_chats, *READ, "Chat.ReadBasic"),
    owned("GET", "/joinedTeams", list_teams, "Team.ReadBasic.All"),
    route("GET", "/chats", list_chats, *READ, "Chat.ReadBasic"),
    route("POST", "/chats", create_chat, "Chat.Create", "Chat.ReadWrite"),
    route("GET", "/chats/{chat}", get_chat, *READ, "Chat.ReadBasic"),
    route("GET", "/chats/{chat}/members", list_members, *READ, "Chat.ReadBasic"),
    route("GET", "/chats/{chat}/messages", list_chat_messages, *READ),
    route("GET", "/chats/{chat}/messages/{message}", get_message, *READ),
    route("POST", "/chats/{chat}/messages", post_chat_message, *WRITE),
    route("GET", "/teams/{team}/channels", list_channels, "Channel.ReadBasic.All"),
    route("GET", CHANNEL, list_channel_messages, "ChannelMessage.Read.All"),
    route("GET", f"{CHANNEL}/{{message}}", get_message, "ChannelMessage.Read.All"),
    route("GET", "/teams/{team}/channels/{channel}/filesFolder", get_folder, *FILES),
    route("POST", CHANNEL, post_channel_message, "ChannelMessage.Send"),
    route("GET", f"{CHANNEL}/{{root}}/replies", list_channel_messages, "ChannelMessage.Read.All"),
    route("GET", f"{CHANNEL}/{{root}}/replies/{{message}}", get_message, "ChannelMessage.Read.All"),
    route("POST", f"{CHANNEL}/{{root}}/replies", post_reply, "ChannelMessage.Send"),
)
