"""The App Home: what is a person's own, and what the buttons there and under panels lead to."""

import logging
import re
from collections.abc import Sequence
from typing import Any, cast

from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncAck, AsyncApp

from adapters.slack import clicks, commands, direct, fields, identity, private
from adapters.slack.commands import Speech
from adapters.slack.render import panels
from core.errors import CountersignError
from core.panels import Choice, Order, Panel
from core.records import Json, Person, Place

log = logging.getLogger(__name__)
_OURS = re.compile(rf"{re.escape(panels.ACTION)}\d+")
SHOWN = 8
"""Calls that wait, by name."""
IN_MESSAGES = "What you asked for is in **Messages**, beside this tab."


def register(app: AsyncApp, speech: Speech) -> None:
    """Attach the listener of the buttons. It answers once the order is carried out."""

    async def on_button(ack: AsyncAck, body: dict[str, Any]) -> BoltResponse:
        try:
            await _pressed(speech, body)
        except CountersignError as error:
            log.warning("slack.no_order", extra={"fields": {"reason": type(error).__name__}})
            return BoltResponse(status=503)
        return await ack()

    cast(Any, app).action(_OURS)(on_button)


async def opened(speech: Speech, event: Json) -> None:
    """Best effort: who opens it again asks again."""
    team, user = fields.text(speech.api.own, "team_id"), fields.text(event, "user")
    place = identity.place(team, fields.text(event, "channel"), "im")
    try:
        await _publish(speech, identity.person(team, user), place)
    except CountersignError as error:
        log.warning("slack.no_home", extra={"fields": {"reason": type(error).__name__}})


async def _pressed(speech: Speech, body: Json) -> None:
    """Type the button's words for whoever pressed it: the person comes from the envelope."""
    found, at = fields.children(body, "actions"), clicks.spot_of(body)
    who = clicks.person(body)
    words = fields.text(found[0], "value") if found else ""
    own = fields.text(speech.api.own, "team_id")
    if who is None or not words or not who.id.startswith(f"slack:{own}/"):
        return
    is_home = fields.text(fields.child(body, "view"), "type") == "home"
    place = identity.place(at.team, at.channel, "im" if is_home else "")
    if fault := await speech.admission.fault(at.user):
        await private.tell(speech.api, at, private.sentence(fault))
        return
    order = Order(person=who, place=place, words=words, is_typed=True)
    asked = f"{at.user} {fields.text(found[0], 'action_ts')}"
    if is_home:
        await _in_home(speech, order, asked)
        return
    said = await commands.carried(speech, order, at.address, asked=asked)
    if said is not None:
        await private.answer(
            speech.api,
            at,
            {"response_type": "ephemeral", "replace_original": at.is_private, **said},
        )


async def _in_home(speech: Speech, order: Order, asked: str) -> None:
    """What comes of it stands above the rest; what is made for messages goes there."""
    panel = await commands.ordered(speech, order)
    if panel is None:
        team, user = order.place.tenant, order.person.id.rpartition("/")[2]
        there = await direct.address(speech.api, team, user)
        said = await commands.carried(speech, order, there, asked=asked)
        if said is not None:
            await speech.api.write("chat.postMessage", {"channel": there["channel"], **said})
        panel = Panel(text=IN_MESSAGES)
    await _publish(speech, order.person, order.place, [panel])


async def _publish(
    speech: Speech, person: Person, place: Place, above: Sequence[Panel] = ()
) -> None:
    """Raises `CountersignError`."""
    user = person.id.rpartition("/")[2]
    if fault := await speech.admission.fault(user):
        shown = [Panel(text=fault)]
    else:
        order = Order(person=person, place=place, words="home", is_typed=True)
        own = await commands.ordered(speech, order)
        waits = await _waiting(speech, person)
        shown = [*above, *([own] if own else []), *([waits] if waits else [])]
    await speech.api.write("views.publish", {"user_id": user, "view": panels.home(shown)})


async def _waiting(speech: Speech, person: Person) -> Panel | None:
    if speech.deciding is None:
        return None
    cards = await speech.deciding.waiting(person.id)
    if not cards:
        return Panel(text="**Approvals**\n\nNothing waits for you.")
    lines = [f"- #{card.number} {card.title}, for {card.approvers}" for card in cards[:SHOWN]]
    more = f"\n- … and {len(cards) - SHOWN} more" if len(cards) > SHOWN else ""
    return Panel(
        text="**Approvals**\n\n" + "\n".join(lines) + more,
        choices=(Choice(label="Show the cards", words="approvals"),),
    )
