"""The Web API's views.* methods: modals and the App Home."""

import secrets
from typing import Any

from bot.workspace.slack import limits
from bot.workspace.slack.arguments import missing, needed
from bot.workspace.slack.checks import Refusal, check_view
from bot.workspace.slack.records import Json, Trigger
from bot.workspace.slack.world import World


def _trigger(world: World, args: Json) -> Trigger:
    trigger = world.triggers.get(needed(args, "trigger_id"))
    if trigger is None:
        raise Refusal("invalid_trigger_id")
    if trigger.is_used:
        raise Refusal("exchanged_trigger_id")
    if world.clock() - trigger.made_at > limits.TRIGGER_SECONDS:
        raise Refusal("expired_trigger_id")
    trigger.is_used = True
    return trigger


def open_view(world: World, args: Json) -> Json:
    check_view(_view(args), "modal")
    trigger = _trigger(world, args)
    return _push(world, trigger.person, args["view"])


def push_view(world: World, args: Json) -> Json:
    check_view(_view(args), "modal")
    trigger = _trigger(world, args)
    if len(world.modals.get(trigger.person, [])) >= limits.VIEW_STACK:
        raise Refusal("push_limit_reached")
    return _push(world, trigger.person, args["view"])


def update_view(world: World, args: Json) -> Json:
    asked = args.get("view_id"), args.get("external_id")
    found = [
        view
        for view in world.views.values()
        if view["id"] == asked[0] or (asked[1] and view.get("external_id") == asked[1])
    ]
    if not found:
        raise Refusal("not_found")
    if args.get("hash") and args["hash"] != found[0]["hash"]:
        raise Refusal("hash_conflict")
    check_view(_view(args), found[0]["type"])
    return {"view": replace_view(world, found[0], args["view"])}


def publish_view(world: World, args: Json) -> Json:
    check_view(_view(args), "home")
    person = needed(args, "user_id")
    if person not in world.members:
        raise Refusal("invalid_arguments")
    old = world.homes.get(person)
    if old and args.get("hash") and args["hash"] != world.views[old]["hash"]:
        raise Refusal("hash_conflict")
    view = keep_view(world, person, args["view"], view_id=old)
    world.homes[person] = view["id"]
    world.publish("home", person=person, body=view)
    return {"view": _given(view)}


def _view(args: Json) -> Any:
    if not isinstance(args.get("view"), dict):
        raise missing("view")
    return args["view"]


def _push(world: World, person: str, view: Json) -> Json:
    stack = world.modals.setdefault(person, [])
    previous = stack[-1] if stack else ""
    kept = keep_view(world, person, view)
    kept["previous_view_id"] = previous or None
    kept["root_view_id"] = stack[0] if stack else kept["id"]
    stack.append(kept["id"])
    world.publish("modal", person=person, body=kept)
    return {"view": _given(kept)}


def keep_view(world: World, person: str, view: Json, *, view_id: str | None = None) -> Json:
    """The view as Slack keeps it: with ids, a hash, an empty state and its person."""
    app = world.app
    kept: Json = {
        "id": view_id or world.next_id("V"),
        "team_id": world.team.id,
        "app_id": app.id,
        "app_installed_team_id": world.team.id,
        "bot_id": app.bot,
        "state": {"values": {}},
        "private_metadata": "",
        "callback_id": "",
        "external_id": "",
        "title": None,
        "submit": None,
        "close": None,
        "clear_on_close": False,
        "notify_on_close": False,
        "previous_view_id": None,
        **view,
        "blocks": world.with_ids(view.get("blocks", [])),
        "hash": f"{world.next_ts()}.{secrets.token_hex(4)}",
        "person": person,
    }
    kept.setdefault("root_view_id", kept["id"])
    world.views[kept["id"]] = kept
    return kept


def replace_view(world: World, old: Json, view: Json) -> Json:
    """A new content for an open view; what the person typed stays where the block_id stays."""
    kept = keep_view(world, old["person"], view, view_id=old["id"])
    kept |= {name: old[name] for name in ("previous_view_id", "root_view_id", "state")}
    world.publish("modal" if kept["type"] == "modal" else "home", person=old["person"], body=kept)
    return _given(kept)


def _given(view: Json) -> Json:
    return {name: value for name, value in view.items() if name != "person"}


METHODS = {
    "views.open": open_view,
    "views.publish": publish_view,
    "views.push": push_view,
    "views.update": update_view,
}
