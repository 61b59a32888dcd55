"""Reads a click out of a verified activity: who pressed what, and where they can be told."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast, get_args

from adapters import fields
from adapters.teams import identity, inbound
from core.cards import Button, CallId
from core.parked import Click
from core.records import Address, Json, Person

_CALL = re.compile(r"[A-Za-z0-9_-]{1,80}")
_BUTTONS = frozenset(get_args(Button))
MOST_REVISIONS = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    verb: str
    call: str
    revision: int
    given: Json
    """What the card carries and what was typed: nothing in it says who somebody is."""
    person: Person
    address: Address
    delivery: str
    place: str
    token: str = field(default="", repr=False)
    """What Teams got for the person after it was asked to sign them in; empty otherwise."""


def pressed(activity: Json, tenant: str) -> Pressed | None:
    """None for what is no button of ours."""
    action = fields.child(fields.child(activity, "value"), "action")
    given = fields.child(action, "data")
    revision = given.get("revision")
    person = identity.person(activity, tenant)
    conversation = identity.conversation(activity)
    if person is None or not identity.is_conversation(conversation):
        return None
    if not _CALL.fullmatch(fields.text(given, "call")):
        return None
    if isinstance(revision, float) and revision.is_integer():
        # Some clients give every number back as one with a fraction.
        revision = int(revision)
    is_number = isinstance(revision, int) and not isinstance(revision, bool)
    if not is_number or not 0 < cast(int, revision) < MOST_REVISIONS:
        return None
    place = identity.place(activity, tenant)
    return Pressed(
        verb=fields.text(action, "verb"),
        call=fields.text(given, "call"),
        revision=cast(int, revision),
        given=given,
        person=person,
        address=inbound.address(activity, place, conversation),
        delivery=f"teams:{tenant}/{conversation}/{fields.text(activity, 'id')}",
        place=place.id,
        token=fields.text(fields.child(fields.child(activity, "value"), "authentication"), "token"),
    )


def click(at: Pressed, button: Button, *, reason: str = "") -> Click:
    return Click(
        delivery=at.delivery,
        person=at.person.id,
        place=at.place,
        call=CallId(at.call),
        revision=at.revision,
        button=button,
        reason=reason,
        address=at.address,
    )


def edit(opened: Click, values: Mapping[str, object]) -> Click:
    return replace(opened, is_edit=True, values=values)


def button_of(verb: str) -> Button | None:
    return cast(Button, verb) if verb in _BUTTONS else None
