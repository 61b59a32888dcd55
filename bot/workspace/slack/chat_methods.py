"""The Web API's chat.* methods for whole messages: post, change, delete."""

from urllib.parse import quote

from bot.workspace.slack import limits, messages
from bot.workspace.slack.arguments import needed
from bot.workspace.slack.checks import Refusal, check_message
from bot.workspace.slack.records import Channel, Json
from bot.workspace.slack.world import World


def post_message(world: World, args: Json) -> Json:
    channel = world.open_to_app(needed(args, "channel"))
    not_archived(channel)
    check_message(args)
    message = messages.said_by_app(world, channel, args)
    return {"channel": channel.id, "ts": message["ts"], "message": messages.shown(message)}


def post_ephemeral(world: World, args: Json) -> Json:
    channel = world.open_to_app(needed(args, "channel"))
    not_archived(channel)
    person = needed(args, "user")
    if person not in channel.members:
        raise Refusal("user_not_in_channel")
    check_message(args)
    message = messages.whisper(world, channel, person, args)
    return {"message_ts": message["ts"]}


def not_archived(channel: Channel, word: str = "is_archived") -> None:
    """Raises Refusal, with the word that the method has for it."""
    if channel.is_archived:
        raise Refusal(word)


def own(world: World, args: Json, refusal: str) -> tuple[Channel, Json]:
    """The channel, and the app's own message in it. Raises Refusal, for somebody else's message
    with this word."""
    channel = world.channel(needed(args, "channel"))
    if world.app.member not in channel.members:
        raise Refusal("channel_not_found")
    message = world.message(channel, needed(args, "ts"))
    if message.get("bot_id") != world.app.bot:
        raise Refusal(refusal)
    return channel, message


def update(world: World, args: Json) -> Json:
    channel, message = own(world, args, "cant_update_message")
    not_archived(channel, "is_inactive")
    if (channel.id, message["ts"]) in world.streams:
        raise Refusal("streaming_state_conflict")
    check_message(args)
    if len(str(args.get("text") or "")) > limits.UPDATE_TEXT:
        raise Refusal("msg_too_long")
    made = messages.app_message(world, args)
    fields: Json = {"text": made["text"], "blocks": made.get("blocks")}
    if args.get("attachments") is not None:
        fields["attachments"] = made.get("attachments")
    if args.get("metadata") is not None:
        fields["metadata"] = made.get("metadata")
    messages.change(world, channel, message, fields)
    shown = messages.shown(message)
    return {"channel": channel.id, "ts": message["ts"], "text": message["text"], "message": shown}


def delete(world: World, args: Json) -> Json:
    channel, message = own(world, args, "cant_delete_message")
    messages.remove(world, channel, message)
    return {"channel": channel.id, "ts": args["ts"]}


def get_permalink(world: World, args: Json) -> Json:
    channel = world.channel(needed(args, "channel"))
    message = world.message(channel, needed(args, "message_ts"))
    link = f"{world.base}/archives/{channel.id}/p{message['ts'].replace('.', '')}"
    if message.get("thread_ts", message["ts"]) != message["ts"]:
        link += f"?thread_ts={quote(message['thread_ts'])}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}


METHODS = {
    "chat.delete": delete,
    "chat.getPermalink": get_permalink,
    "chat.postEphemeral": post_ephemeral,
    "chat.postMessage": post_message,
    "chat.update": update,
}
