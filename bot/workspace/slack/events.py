"""What Slack's Events API tells an app about a change."""

from bot.workspace.slack.messages import shown
from bot.workspace.slack.records import Change, Channel, Json
from bot.workspace.slack.world import World

MESSAGE_EVENTS = {
    "public": "message.channels",
    "private": "message.groups",
    "im": "message.im",
    "mpim": "message.mpim",
}
CHANNEL_TYPES = {"public": "channel", "private": "group", "im": "im", "mpim": "mpim"}


def envelope(world: World, event: Json, *, event_id: str = "") -> Json:
    """The outer body of one event delivery."""
    channel = world.channels.get(_channel_of(event))
    return {
        "token": "verification-token-is-deprecated",
        "team_id": world.team.id,
        "context_team_id": world.team.id,
        "context_enterprise_id": None,
        "api_app_id": world.app.id,
        "event": event,
        "type": "event_callback",
        "event_id": event_id or world.next_id("Ev"),
        "event_time": int(world.clock()),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": world.team.id,
                "user_id": world.app.member,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": channel is not None and channel.is_shared,
        "event_context": f"4-{world.next_id('ec')}",
    }


def _channel_of(event: Json) -> str:
    if isinstance(event.get("item"), dict):
        return str(event["item"].get("channel") or "")
    return str(event.get("channel") or event.get("channel_id") or "")


def events_of(world: World, change: Change) -> list[Json]:
    """The events that the app has subscribed to and may see."""
    channel = world.channels.get(change.channel)
    made = events_about(world, change)
    return [event for event in made if _name(channel, event) in world.app.subscriptions]


def events_about(world: World, change: Change) -> list[Json]:
    """The events that some app could see where ours is; a mention in a channel is two."""
    channel = world.channels.get(change.channel)
    if channel is not None and world.app.member not in channel.members:
        return []
    match change.kind:
        case "message" if channel:
            made = _said(world, channel, change.body)
        case "changed" if channel:
            made = _changed(world, channel, change)
        case "deleted" if channel:
            made = _deleted(world, channel, change)
        case "reaction" if channel:
            made = [_reaction(world, channel, change.body)]
        case "home_opened" | "session_stopped" | "joined":
            made = [change.body | {"event_ts": world.next_ts()}]
        case _:
            return []
    return made


def _name(channel: Channel | None, event: Json) -> str:
    is_message = event["type"] == "message" and channel is not None
    return MESSAGE_EVENTS[channel.kind] if is_message and channel else str(event["type"])


def _mentions(world: World, message: Json) -> bool:
    is_theirs = message.get("user") != world.app.member
    return is_theirs and f"<@{world.app.member}>" in str(message.get("text"))


def _mention(channel: Channel, message: Json, event_ts: str) -> Json:
    names = ("user", "text", "ts", "team", "thread_ts", "blocks", "client_msg_id", "files")
    kept = {name: message[name] for name in names if name in message}
    return {"type": "app_mention", **kept, "channel": channel.id, "event_ts": event_ts}


def _said(world: World, channel: Channel, message: Json) -> list[Json]:
    event = shown(message) | {
        "channel": channel.id,
        "channel_type": CHANNEL_TYPES[channel.kind],
        "event_ts": message["ts"],
    }
    made = [event]
    if channel.kind != "im" and _mentions(world, message):
        made.insert(0, _mention(channel, message, message["ts"]))
    return made + [_shared(channel, message, file) for file in message.get("files", [])]


def _shared(channel: Channel, message: Json, file: Json) -> Json:
    return {
        "type": "file_shared",
        "channel_id": channel.id,
        "file_id": file["id"],
        "user_id": message["user"],
        "file": {"id": file["id"]},
        "event_ts": message["ts"],
    }


def _hidden(world: World, channel: Channel, subtype: str) -> Json:
    ts = world.next_ts()
    return {
        "type": "message",
        "subtype": subtype,
        "hidden": True,
        "channel": channel.id,
        "channel_type": CHANNEL_TYPES[channel.kind],
        "ts": ts,
        "event_ts": ts,
    }


def _changed(world: World, channel: Channel, change: Change) -> list[Json]:
    event: Json = _hidden(world, channel, "message_changed") | {
        "message": shown(change.body),
        "previous_message": shown(change.before),
    }
    was_there = _mentions(world, change.before)
    if channel.kind != "im" and _mentions(world, change.body) and not was_there:
        return [_mention(channel, change.body, event["event_ts"]), event]
    return [event]


def _deleted(world: World, channel: Channel, change: Change) -> list[Json]:
    if change.body.get("subtype") == "tombstone":
        return _changed(world, channel, change)
    event = _hidden(world, channel, "message_deleted") | {
        "deleted_ts": change.before["ts"],
        "previous_message": shown(change.before),
    }
    return [event]


def _reaction(world: World, channel: Channel, body: Json) -> Json:
    return {
        "type": "reaction_added" if body["is_added"] else "reaction_removed",
        "user": body["member"],
        "reaction": body["name"],
        "item": {"type": "message", "channel": channel.id, "ts": body["message"]["ts"]},
        "item_user": body["message"].get("user", ""),
        "event_ts": world.next_ts(),
    }
