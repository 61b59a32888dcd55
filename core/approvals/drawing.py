"""Draws the card of a row: finds the effect that can describe it and the names of its people."""

from core.approvals import plain
from core.approvals.card import View, card, is_too_long
from core.approvals.rooms import Rooms
from core.cards import Card
from core.connectors.outcome import Description
from core.parked import ParkedCall
from core.policy import approvers
from core.records import PersonId


async def view(rooms: Rooms, call: ParkedCall) -> View:
    """What the card needs beside the row. Reads only what is stored."""
    rules, now = rooms.rules(), rooms.clock()
    involved = {
        call.requester,
        call.authority,
        *approvers.named(call, rules, now=now),
        *call.agreed,
        *(person for person in (call.decided_by, call.edited_by) if person),
    }
    names: dict[str, str] = {}
    time_zone = "UTC"
    for person in involved:
        who = await rooms.people.profile(PersonId(person))
        if who.name:
            names[person] = who.name
        if person == call.requester:
            time_zone = who.time_zone
    return View(rules=rules, now=now, names=names, time_zone=time_zone)


def described(rooms: Rooms, call: ParkedCall) -> tuple[Description, Description]:
    """The effect in words, as it will run and as it was proposed."""
    effect = rooms.effects.get(call.tool)
    describe = plain.describe if effect is None else effect.describe
    now = describe(call.arguments, call.facts)
    if call.arguments == call.proposed:
        return now, now
    return now, describe(call.proposed, call.facts)


def drawn(rooms: Rooms, call: ParkedCall, seen: View, *, is_opened: bool = False) -> Card:
    return card(call, *described(rooms, call), seen, is_opened=is_opened)


def has_to_be_opened(rooms: Rooms, call: ParkedCall, seen: View) -> bool:
    return is_too_long(*described(rooms, call), seen)
