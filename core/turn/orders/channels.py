"""Lets admins set which model and agent answer in a channel where a question names none."""

import json

from core.panels import Order, Panel
from core.storage.acts import Act
from core.turn.laid import CHANNEL
from core.turn.orders.speaking import Ground, Speaker, listed, plain
from core.turn.orders.switches import NOT_AN_ADMIN
from core.turn.steering import Steering

HOW = (
    "Write `channel` to see what answers here; `channel model NAME`, `channel agent NAME` or"
    " `channel file` to change it."
)


async def channel(
    ground: Ground, steering: Steering, speaker: Speaker, order: Order
) -> Panel | None:
    """None where the words are no such order. Raises `Unavailable`."""
    words = order.words.split()[1:]
    setup, place = speaker.setup, order.place
    if not words:
        now = setup.choice(place)
        agent = f", as the agent `{plain(now.agent)}`" if now.agent else ""
        return Panel(text=f"Here answers `{plain(now.model)}`{agent}.")
    known = {"model": setup.models, "agent": tuple(setup.agents), "file": ()}.get(words[0])
    if known is None or len(words) != (1 if words[0] == "file" else 2):
        return Panel(text=HOW) if order.is_typed else None
    if not speaker.is_admin:
        return Panel(text=NOT_AN_ADMIN)
    if words[0] != "file" and words[1] not in known:
        offered = listed(known) or "none"
        return Panel(text=f"There is no {words[0]} `{plain(words[1])[:60]}` here: {offered}.")
    value = ""
    if words[0] != "file":
        # The default falls through where a word is empty, so an agent keeps its own model.
        before = setup.channels.get(place.id)
        given = {"model": before.model if before else "", "agent": before.agent if before else ""}
        value = json.dumps(given | {words[0]: words[1]})
    await steering.act(Act(CHANNEL, place.id, value, "", speaker.name, ground.clock()))
    now = steering.setup.choice(place)
    agent = f", as the agent `{plain(now.agent)}`" if now.agent else ""
    return Panel(text=f"From the next question on `{plain(now.model)}` answers here{agent}.")
