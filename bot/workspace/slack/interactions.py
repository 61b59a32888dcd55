"""The payloads that Slack sends when a person clicks, submits, closes or types a command."""

from copy import deepcopy
from typing import Any

from bot.workspace.slack.checks import Refusal, objects_of
from bot.workspace.slack.messages import shown
from bot.workspace.slack.records import Channel, Hook, Json
from bot.workspace.slack.world import World

SELECTED = {
    "users_select": "selected_user",
    "conversations_select": "selected_conversation",
    "channels_select": "selected_channel",
    "datepicker": "selected_date",
    "timepicker": "selected_time",
    "datetimepicker": "selected_date_time",
    "multi_users_select": "selected_users",
    "plain_text_input": "value",
    "email_text_input": "value",
    "url_text_input": "value",
    "number_input": "value",
}
ONE_OPTION = ("static_select", "external_select", "radio_buttons", "overflow")
STATELESS = ("button", "icon_button", "feedback_buttons", "overflow")
MANY_OPTIONS = ("multi_static_select", "checkboxes")


def _common(world: World, kind: str, person: str) -> Json:
    member, team = world.members[person], world.team
    return {
        "type": kind,
        "user": {
            "id": member.id,
            "username": member.name,
            "name": member.name,
            "team_id": member.team or team.id,
        },
        "api_app_id": world.app.id,
        "token": "verification-token-is-deprecated",
        "team": {"id": team.id, "domain": team.domain},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def chosen(element: Json, value: Any) -> Json:
    """What the element says once the person picked `value`: an option's value, a list of them, a
    date, an id, a text. Raises Refusal `invalid_arguments` for an option that is not there."""
    kind = element["type"]
    if kind in ONE_OPTION:
        return {"selected_option": _option(element, value) if value is not None else None}
    if kind in MANY_OPTIONS:
        return {"selected_options": [_option(element, one) for one in value or ()]}
    if kind in SELECTED:
        return {SELECTED[kind]: value}
    if kind == "feedback_buttons":
        side = "positive_button" if value in (None, "positive") else "negative_button"
        return {"text": element[side]["text"], "value": element[side]["value"]}
    kept = {name: element[name] for name in ("text", "value", "style") if name in element}
    return kept


def _option(element: Json, value: Any) -> Json:
    for part in objects_of([element.get("options", []), element.get("option_groups", [])]):
        if part.get("value") == value and "text" in part:
            return part
    raise Refusal("invalid_arguments")


def find(blocks: list[Json], action_id: str, block_id: str = "") -> tuple[Json, Json]:
    """The block and the element. Raises Refusal `invalid_arguments` when nothing is there."""
    for block in blocks:
        if block_id and block.get("block_id") != block_id:
            continue
        for part in objects_of(block):
            if part.get("action_id") == action_id:
                return block, part
    raise Refusal("invalid_arguments")


def _action(world: World, block: Json, element: Json, value: Any) -> Json:
    return {
        "type": element["type"],
        "action_id": element["action_id"],
        "block_id": block["block_id"],
        "action_ts": world.next_ts(),
        **chosen(element, value),
    }


def state_of(element: Json, value: Any) -> Json:
    """What `state.values` holds of an element."""
    return {"type": element["type"], **chosen(element, value)}


def _picked(world: World, message: Json, spot: tuple[Json, Json], value: Any) -> Json:
    block, element = spot
    values = world.picked.setdefault(message["ts"], {})
    if element["type"] not in STATELESS:
        fields = values.setdefault(block["block_id"], {})
        fields[element["action_id"]] = state_of(element, value)
    return deepcopy(values)


def message_action(
    world: World, person: str, channel: Channel, message: Json, spot: tuple[Json, Json], value: Any
) -> Json:
    """`block_actions` from a message; an ephemeral message is not in the payload."""
    is_ephemeral = bool(message.get("is_ephemeral"))
    thread_ts = str(message.get("thread_ts") or "")
    hook = Hook(
        channel=channel.id,
        person=person,
        made_at=world.clock(),
        message_ts=message["ts"],
        thread_ts=thread_ts,
        is_ephemeral=is_ephemeral,
    )
    container: Json = {
        "type": "message",
        "message_ts": message["ts"],
        "channel_id": channel.id,
        "is_ephemeral": is_ephemeral,
    }
    if thread_ts:
        container["thread_ts"] = thread_ts
    payload = _common(world, "block_actions", person) | {
        "container": container,
        "trigger_id": world.trigger(person),
        "channel": {"id": channel.id, "name": channel_name(channel)},
        "state": {"values": _picked(world, message, spot, value)},
        "response_url": world.hook(hook),
        "actions": [_action(world, *spot, value)],
    }
    return payload if is_ephemeral else payload | {"message": shown(message)}


def view_action(world: World, view: Json, spot: tuple[Json, Json], value: Any) -> Json:
    """`block_actions` from a modal or the App Home."""
    person = view["person"]
    return _common(world, "block_actions", person) | {
        "container": {"type": "view", "view_id": view["id"]},
        "trigger_id": world.trigger(person, view["id"]),
        "view": given(view),
        "actions": [_action(world, *spot, value)],
    }


def view_submission(world: World, view: Json) -> Json:
    person = view["person"]
    return _common(world, "view_submission", person) | {
        "trigger_id": world.trigger(person, view["id"]),
        "view": given(view),
        "response_urls": [],
    }


def view_closed(world: World, view: Json, *, is_cleared: bool) -> Json:
    common = _common(world, "view_closed", view["person"])
    return common | {"view": given(view), "is_cleared": is_cleared}


def shortcut(world: World, person: str, callback_id: str) -> Json:
    """A global shortcut."""
    return _common(world, "shortcut", person) | {
        "callback_id": callback_id,
        "trigger_id": world.trigger(person),
        "action_ts": world.next_ts(),
    }


def message_shortcut(
    world: World, person: str, channel: Channel, message: Json, callback_id: str
) -> Json:
    hook = Hook(channel=channel.id, person=person, made_at=world.clock(), message_ts=message["ts"])
    return _common(world, "message_action", person) | {
        "callback_id": callback_id,
        "trigger_id": world.trigger(person),
        "response_url": world.hook(hook),
        "message_ts": message["ts"],
        "channel": {"id": channel.id, "name": channel_name(channel)},
        "message": shown(message),
        "action_ts": world.next_ts(),
    }


def command(world: World, person: str, channel: Channel, name: str, text: str) -> dict[str, str]:
    """The form of a slash command. It never carries a thread."""
    member = world.members[person]
    hook = Hook(channel=channel.id, person=person, made_at=world.clock())
    return {
        "token": "verification-token-is-deprecated",
        "team_id": world.team.id,
        "team_domain": world.team.domain,
        "channel_id": channel.id,
        "channel_name": channel_name(channel),
        "user_id": member.id,
        "user_name": member.name,
        "command": name,
        "text": text,
        "api_app_id": world.app.id,
        "is_enterprise_install": "false",
        "response_url": world.hook(hook),
        "trigger_id": world.trigger(person),
    }


def channel_name(channel: Channel) -> str:
    """Slack writes `directmessage` and `privategroup` where a name would say too much."""
    return {"im": "directmessage", "private": "privategroup"}.get(channel.kind, channel.name)


def given(view: Json) -> Json:
    """The view as the app sees it."""
    return {name: value for name, value in view.items() if name != "person"}
