"""Writes activities as Teams does: a message, a click on a card, an installation."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from adapters import fields
from bot.workspace.teams.records import Conversation, Json, Member
from bot.workspace.teams.world import BOT_NAME, World

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
            "team": {"id": "19:team0001@thread.tacv2"},
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
