"""Messages: how they are made, changed, deleted and shown to those who ask."""

import secrets
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from bot.workspace.slack import limits
from bot.workspace.slack.checks import Refusal
from bot.workspace.slack.people import file_json
from bot.workspace.slack.records import Channel, File, Json
from bot.workspace.slack.rich_text import typed
from bot.workspace.slack.world import World


def thread_root(channel: Channel, thread_ts: str) -> str:
    """Raises Refusal `thread_not_found` or `cannot_reply_to_message` (for a reply's own ts)."""
    root = channel.messages.get(thread_ts)
    if root is None:
        raise Refusal("thread_not_found")
    if root.get("thread_ts", thread_ts) != thread_ts:
        raise Refusal("cannot_reply_to_message")
    return thread_ts


def said_by_person(
    world: World,
    channel: Channel,
    person: str,
    said: str,
    thread_ts: str = "",
    files: Sequence[File] = (),
) -> Json:
    """What a person wrote in the composer, put into the channel."""
    text, block = typed(said, world.members.values(), world.channels.values())
    message: Json = {
        "type": "message",
        "user": person,
        "ts": world.next_ts(),
        "client_msg_id": secrets.token_hex(16),
        "text": text,
        "team": world.members[person].team or world.team.id,
        "blocks": world.with_ids([block]) if said else [],
    }
    if thread_ts:
        message["thread_ts"] = thread_root(channel, thread_ts)
    if files:
        message |= {
            "subtype": "file_share",
            "upload": True,
            "files": [file_json(world, file) for file in files],
        }
        for file in files:
            file.channels.append(channel.id)
    return put(world, channel, message)


def said_by_app(world: World, channel: Channel, args: Json) -> Json:
    """What the app posted, put into the channel."""
    message = app_message(world, args) | {"ts": world.next_ts()}
    if args.get("thread_ts"):
        message["thread_ts"] = thread_root(channel, str(args["thread_ts"]))
    if args.get("reply_broadcast") in (True, "true", "1"):
        message["subtype"] = "thread_broadcast"
    return put(world, channel, message)


def app_message(world: World, args: Json) -> Json:
    """The parts of a message that come from the arguments of a chat method."""
    app, markdown = world.app, args.get("markdown_text")
    blocks = [{"type": "markdown", "text": markdown}] if markdown else args.get("blocks") or []
    message: Json = {
        "type": "message",
        "user": app.member,
        "bot_id": app.bot,
        "app_id": app.id,
        "team": world.team.id,
        "bot_profile": {
            "id": app.bot,
            "app_id": app.id,
            "name": app.name,
            "team_id": world.team.id,
            "deleted": False,
        },
        "text": str(args.get("text") or markdown or "")[: limits.POST_TEXT],
    }
    if blocks:
        message["blocks"] = world.with_ids(blocks)
    for name in ("attachments", "metadata"):
        if args.get(name):
            message[name] = deepcopy(args[name])
    return message


def put(world: World, channel: Channel, message: Json) -> Json:
    """Into the channel, with the counters of its thread."""
    ts = message["ts"]
    channel.messages[ts] = message
    root = channel.messages.get(message.get("thread_ts", ""))
    if root is not None and root is not message:
        root.setdefault("thread_ts", root["ts"])
        root["reply_count"] = root.get("reply_count", 0) + 1
        root["latest_reply"] = ts
        root["reply_users"] = list(dict.fromkeys([*root.get("reply_users", []), message["user"]]))
        root["reply_users_count"] = len(root["reply_users"])
        if message.get("bot_id"):
            world.statuses.pop((channel.id, root["ts"]), None)
    world.publish("message", channel=channel.id, body=message)
    return message


def change(world: World, channel: Channel, message: Json, fields: Json) -> Json:
    """New text and blocks; a field that is None goes."""
    before = deepcopy(message)
    for name, value in fields.items():
        if value is None:
            message.pop(name, None)
        else:
            message[name] = value
    message["edited"] = {"user": message["user"], "ts": world.next_ts()}
    world.publish("changed", channel=channel.id, body=message, before=before)
    return message


def remove(world: World, channel: Channel, message: Json) -> None:
    """A root with replies stays as a tombstone, as in Slack."""
    before = deepcopy(message)
    if message.get("reply_count"):
        for name in ("blocks", "files", "attachments", "metadata", "bot_id", "app_id"):
            message.pop(name, None)
        message |= {
            "subtype": "tombstone",
            "text": "This message was deleted.",
            "user": "USLACKBOT",
            "hidden": True,
        }
    else:
        del channel.messages[message["ts"]]
        root = channel.messages.get(message.get("thread_ts", ""))
        if root is not None:
            root["reply_count"] = max(0, root.get("reply_count", 1) - 1)
    world.publish("deleted", channel=channel.id, body=message, before=before)


def whisper(world: World, channel: Channel, person: str, args: Json) -> Json:
    """A message that one person alone sees."""
    message = app_message(world, args) | {
        "ts": world.next_ts(),
        "is_ephemeral": True,
        "audience": person,
    }
    if args.get("thread_ts"):
        message["thread_ts"] = str(args["thread_ts"])
    channel.ephemerals.append(message)
    world.publish("ephemeral", channel=channel.id, person=person, body=message)
    return message


def shown(message: Json, *, with_metadata: bool = False) -> Json:
    """The message as the API gives it away."""
    hidden = {"audience"} if with_metadata else {"audience", "metadata"}
    return {name: value for name, value in message.items() if name not in hidden}


def of_thread(channel: Channel, ts: str) -> list[Json]:
    """The root and its replies, oldest first. Raises Refusal `thread_not_found`."""
    asked = channel.messages.get(ts)
    if asked is None:
        raise Refusal("thread_not_found")
    root = asked.get("thread_ts", ts)
    return [m for m in channel.messages.values() if m["ts"] == root or m.get("thread_ts") == root]


def of_channel(channel: Channel) -> list[Json]:
    """What stands in the channel itself, oldest first: no replies, but broadcast ones."""
    return [
        message
        for message in channel.messages.values()
        if message.get("thread_ts", message["ts"]) == message["ts"]
        or message.get("subtype") == "thread_broadcast"
    ]


def visible_to(channel: Channel, person: str, ts: str) -> tuple[Json, bool]:
    """The message that this person sees under `ts`, with whether it is theirs alone. Raises
    Refusal `message_not_found`."""
    for message in channel.ephemerals:
        if message["ts"] == ts and message["audience"] == person:
            return message, True
    found: Any = channel.messages.get(ts)
    if found is None or person not in channel.members:
        raise Refusal("message_not_found")
    return found, False
