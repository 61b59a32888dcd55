"""response_url: what an app may say through the address that came with a click or a command."""

import json
from copy import deepcopy
from typing import Any

from bot.workspace.slack import limits, messages
from bot.workspace.slack.checks import Refusal, check_message
from bot.workspace.slack.records import Channel, Delivery, Hook, Json
from bot.workspace.slack.world import World


def use(world: World, name: str, body: Any) -> None:
    """Raises Refusal `expired_url` after thirty minutes or for an address that never was,
    `used_url` after five uses, and whatever a message may be refused for."""
    hook = world.hooks.get(name)
    if hook is None or world.clock() - hook.made_at > limits.HOOK_SECONDS:
        raise Refusal("expired_url")
    if hook.uses >= limits.HOOK_USES:
        raise Refusal("used_url")
    if not isinstance(body, dict):
        raise Refusal("invalid_payload")
    hook.uses += 1
    respond(world, hook, body)  # pyright: ignore[reportUnknownArgumentType]


def respond(world: World, hook: Hook, body: Json) -> None:
    """Post, replace or delete, as the body asks. Also serves the direct answer to a command."""
    channel = world.channel(hook.channel)
    if body.get("delete_original"):
        _delete(world, channel, hook)
        return
    check_message(body)
    if body.get("replace_original") and hook.message_ts:
        _replace(world, channel, hook, body)
    elif body.get("response_type") == "in_channel":
        args = body | {"thread_ts": body.get("thread_ts") or hook.thread_ts}
        messages.said_by_app(world, channel, args)
    else:
        args = body | {"thread_ts": body.get("thread_ts") or hook.thread_ts}
        said = messages.whisper(world, channel, hook.person, args)
        if not hook.message_ts:
            # What a command was answered with is what its address replaces from then on.
            hook.message_ts, hook.is_ephemeral = said["ts"], True


def _original(world: World, channel: Channel, hook: Hook) -> Json:
    if not hook.is_ephemeral:
        return world.message(channel, hook.message_ts)
    for message in channel.ephemerals:
        if message["ts"] == hook.message_ts:
            return message
    raise Refusal("message_not_found")


def _delete(world: World, channel: Channel, hook: Hook) -> None:
    message = _original(world, channel, hook)
    if not hook.is_ephemeral:
        messages.remove(world, channel, message)
        return
    channel.ephemerals.remove(message)
    world.publish("deleted", channel=channel.id, person=hook.person, body=message, before=message)


def _replace(world: World, channel: Channel, hook: Hook, body: Json) -> None:
    message = _original(world, channel, hook)
    made = messages.app_message(world, body)
    fields: Json = {"text": made["text"], "blocks": made.get("blocks")}
    if not hook.is_ephemeral:
        messages.change(world, channel, message, fields)
        return
    before = deepcopy(message)
    message |= {name: value for name, value in fields.items() if value is not None}
    if fields["blocks"] is None:
        message.pop("blocks", None)
    world.publish("changed", channel=channel.id, person=hook.person, body=message, before=before)


def answered(world: World, form: dict[str, str], delivery: Delivery) -> None:
    """Show what the app answered directly to a command, or that it did not answer."""
    hook = world.hooks[form["response_url"].rpartition("/")[2]]
    command = form["command"]
    if not 200 <= delivery.status < 300:
        word = "operation_timeout" if delivery.reason == "http_timeout" else "dispatch_failed"
        respond(world, hook, {"text": f'{command} failed with the error "{word}"'})
    elif delivery.body.strip():
        respond(world, hook, _body(delivery.body))


def _body(text: str) -> Json:
    """Slack takes JSON or plain words."""
    try:
        body: Any = json.loads(text)
    except ValueError:
        body = None
    return {"text": text} if not isinstance(body, dict) else dict(body)  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
