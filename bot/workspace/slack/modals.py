"""What a person does in a modal or the App Home, and what the app's answer does to it."""

import json
from collections.abc import Mapping
from typing import Any, cast

from bot.workspace.slack import interactions
from bot.workspace.slack.checks import Refusal, check_view
from bot.workspace.slack.delivery import Carrier
from bot.workspace.slack.records import Delivery, Json
from bot.workspace.slack.view_methods import keep_view, replace_view
from bot.workspace.slack.world import World

Values = Mapping[str, Mapping[str, Any]]
"""block_id → action_id → what the person picked or typed."""


def view_of(world: World, person: str, view_id: str) -> Json:
    """Raises Refusal `not_found` for a view that this person does not have open."""
    view = world.views.get(view_id)
    if view is None or view["person"] != person:
        raise Refusal("not_found")
    return view


def fill_in(view: Json, values: Values) -> None:
    """Write what the person picked or typed into the view's state."""
    state: Json = view["state"]["values"]
    for block_id, fields in values.items():
        for action_id, value in fields.items():
            _, element = interactions.find(view["blocks"], action_id, block_id)
            state.setdefault(block_id, {})[action_id] = interactions.state_of(element, value)


async def submit(world: World, carrier: Carrier, view: Json, values: Values) -> Json:
    """Send the modal. Returns `{}` when it is done, `{"errors": …}` by block_id when the app
    refuses a field, `{"trouble": …}` when it did not answer."""
    fill_in(view, values)
    delivery = await carrier.interaction(interactions.view_submission(world, view))
    if not 200 <= delivery.status < 300:
        return {"trouble": "We had some trouble connecting. Try again?"}
    answer = _answer(delivery)
    match answer.get("response_action"):
        case "errors":
            return {"errors": answer.get("errors", {})}
        case "update":
            check_view(answer.get("view"), "modal")
            replace_view(world, view, answer["view"])
        case "push":
            check_view(answer.get("view"), "modal")
            push(world, view, answer["view"])
        case "clear":
            close_all(world, view["person"])
        case _:
            take_off(world, view)
    return {}


def push(world: World, below: Json, view: Json) -> None:
    """Lay a modal over the one below."""
    kept = keep_view(world, below["person"], view)
    kept |= {"previous_view_id": below["id"], "root_view_id": below["root_view_id"]}
    world.modals[below["person"]].append(kept["id"])
    world.publish("modal", person=below["person"], body=kept)


def take_off(world: World, view: Json) -> None:
    stack = world.modals.get(view["person"], [])
    if view["id"] in stack:
        stack.remove(view["id"])
    world.publish("modal", person=view["person"], body={})


def close_all(world: World, person: str) -> None:
    world.modals[person] = []
    world.publish("modal", person=person, body={})


async def close(world: World, carrier: Carrier, view: Json, *, is_cleared: bool = False) -> None:
    """Cancel or close; the app hears of it only where it asked to."""
    if is_cleared or view["clear_on_close"]:
        close_all(world, view["person"])
    else:
        take_off(world, view)
    if view["notify_on_close"]:
        await carrier.interaction(interactions.view_closed(world, view, is_cleared=is_cleared))


async def act(
    world: World, carrier: Carrier, view: Json, action_id: str, block_id: str, value: Any
) -> Delivery:
    """Use a button or menu of the view."""
    spot = interactions.find(view["blocks"], action_id, block_id)
    if spot[1]["type"] not in interactions.STATELESS:
        fill_in(view, {spot[0]["block_id"]: {action_id: value}})
    return await carrier.interaction(interactions.view_action(world, view, spot, value))


def _answer(delivery: Delivery) -> Json:
    try:
        found: Any = json.loads(delivery.body or "{}")
    except ValueError:
        return {}
    return cast("Json", found) if isinstance(found, dict) else {}
