"""Writes activities as Teams does: a message, a click on a card, an installation."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from html import escape

from adapters import fields
from bot.workspace.teams.records import GROUP, TEAM, Conversation, Json, Member, Posted
from bot.workspace.teams.world import BOT_NAME, World

DOWNLOAD = "application/vnd.microsoft.teams.file.download.info"
MENTION = f"<at>{BOT_NAME}</at>"


def envelope(
    world: World,
    service_url: str,
    kind: str,
    member: Member,
    place: Conversation,
    root: str = "",
) -> Json:
    """What every activity has. `root`: the first message of a channel's thread."""
    id = world.next_id()
    in_channel = place.kind == "channel"
    conversation: Json = {
        "id": f"{place.id};messageid={root or id}" if in_channel else place.id,
        "conversationType": place.kind,
        "tenantId": world.tenant,
    }
    if place.kind != "personal":
        conversation["isGroup"] = True
    channel_data: Json = {"tenant": {"id": world.tenant}}
    if in_channel:
        channel_data |= {
            "team": {"id": TEAM, **({"aadGroupId": GROUP} if world.names_group else {})},
            "channel": {"id": place.id, "name": place.name},
        }
    return {
        "type": kind,
        "id": id,
        "channelId": "msteams",
        "serviceUrl": service_url,
        "timestamp": datetime.fromtimestamp(world.clock(), UTC).isoformat(),
        "localTimezone": member.time_zone,
        "locale": member.locale,
        "from": {"id": member.id, "name": member.name, "aadObjectId": member.oid},
        "recipient": {"id": world.bot, "name": BOT_NAME},
        "conversation": conversation,
        "channelData": channel_data,
        "entities": [
            {
                "type": "clientInfo",
                "locale": member.locale,
                "country": "DE",
                "platform": "Web",
                "timezone": member.time_zone,
            }
        ],
    }


def message(
    base: Json, text: str, *, is_mention: bool, bot: str, others: Sequence[Member] = ()
) -> Json:
    """`text` may hold `<at>…</at>` of `others`."""
    entities = [
        {
            "type": "mention",
            "text": f"<at>{one.name}</at>",
            "mentioned": {"id": one.id, "name": one.name},
        }
        for one in others
    ]
    if is_mention:
        own = {"type": "mention", "text": MENTION, "mentioned": {"id": bot, "name": BOT_NAME}}
        entities = [own, *entities]
        text = f"{MENTION} {text}"
    return {
        **base,
        "text": text,
        "textFormat": "plain",
        "entities": [*entities, *base["entities"]],
    }


def with_files(activity: Json, posted: Sequence[Posted]) -> Json:
    """A message in which files were posted: in a chat of two the bot is told where they are,
    elsewhere no more than that they are there."""
    attached: list[Json] = []
    if activity["conversation"]["conversationType"] == "personal":
        for one in posted:
            kind = one.name.rpartition(".")[2]
            told = {"downloadUrl": one.address, "uniqueId": one.id, "fileType": kind}
            attached.append({"contentType": DOWNLOAD, "name": one.name, "content": told})
    marks = "".join(f'<attachment id="{one.id}"></attachment>' for one in posted)
    markup = f"<div><div>{escape(activity['text'])}</div>{marks}</div>"
    attached.append({"contentType": "text/html", "content": markup})
    return {**activity, "attachments": attached}


def in_graph(activity: Json, conversation: Conversation, members: Mapping[str, Member]) -> Json:
    """The message as Microsoft Graph shows it."""
    by, id = activity["by"], str(activity["id"])
    writer: Json = {"application": {"id": "", "displayName": BOT_NAME}}
    if by != "bot":
        writer = {"user": {"id": members[by].oid, "displayName": members[by].name}}
    root = activity["thread"] if conversation.kind == "channel" else ""
    posted: list[Posted] = activity.get("posted", [])
    marks = "".join(f'<attachment id="{one.id}"></attachment>' for one in posted)
    return {
        "id": id,
        "replyToId": root or None,
        "messageType": "message",
        "createdDateTime": datetime.fromtimestamp(int(id) / 1000, UTC).isoformat(),
        "deletedDateTime": None,
        "from": writer,
        "body": {
            "contentType": "html",
            "content": f"<p>{escape(str(activity.get('text') or ''))}</p>{marks}",
        },
        "attachments": [
            {
                "id": one.id,
                "contentType": "reference",
                "name": one.name,
                "contentUrl": one.address,
            }
            for one in posted
        ],
        "mentions": [],
    }


def click(base: Json, activity: str, action: Json, values: Json) -> Json:
    """`action` as it stands in the card."""
    sent: Json = {
        "type": action["type"],
        "title": action.get("title", ""),
        "verb": action.get("verb", ""),
        "id": action.get("id", ""),
        "data": {**fields.child(action, "data"), **values},
    }
    return {
        **base,
        "name": "adaptiveCard/action",
        "replyToId": activity,
        "value": {"action": sent, "trigger": "manual"},
    }


def feedback(base: Json, activity: str, reaction: str, text: str = "") -> Json:
    """The thumb under an answer, and what was typed beside it."""
    given = {"reaction": reaction, "feedback": json.dumps({"feedbackText": text})}
    return {
        **base,
        "name": "message/submitAction",
        "replyToId": activity,
        "value": {"actionName": "feedback", "actionValue": given},
    }


def exchange(base: Json, activity: str, id: str, token: str) -> Json:
    """What Teams sends after it has signed the person in."""
    value = {"id": id, "connectionName": "countersign", "token": token}
    return {**base, "name": "signin/tokenExchange", "replyToId": activity, "value": value}


def consent(base: Json, activity: str, asked: Json, upload_url: str) -> Json:
    """The answer to a bot that has a file for the person; without an address: no."""
    content = fields.child(asked, "content")
    word = "accept" if upload_url else "decline"
    name = fields.text(asked, "name")
    value: Json = {
        "type": "fileUpload",
        "action": word,
        "context": content[f"{word}Context"],
    }
    if upload_url:
        value["uploadInfo"] = {
            "contentUrl": upload_url,
            "name": name,
            "uploadUrl": upload_url,
            "uniqueId": name,
            "fileType": name.rpartition(".")[2],
        }
    return {**base, "name": "fileConsent/invoke", "replyToId": activity, "value": value}
