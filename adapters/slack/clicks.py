"""Reads a click out of a signed envelope: who clicked what, and where they can be told."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast, get_args

from adapters.slack import fields, identity
from core.cards import Button, CallId
from core.parked import Click
from core.records import Json, Person

_VALUE = re.compile(r"([A-Za-z0-9_-]{1,80}):([0-9]{1,9})")
_BUTTONS = frozenset(get_args(Button))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where somebody clicked or typed, and thus where they alone can be told something."""

    user: str
    team: str = ""
    channel: str = ""
    thread_ts: str = ""
    message_ts: str = ""
    hook: str = ""
    """Slack's `response_url`."""
    is_private: bool = False
    """The message is one that this person alone sees: only `hook` can change it."""

    @property
    def address(self) -> dict[str, str]:
        is_dm = self.channel.startswith("D")
        return {
            "team": self.team,
            "channel": self.channel,
            "thread_ts": self.thread_ts or ("" if is_dm else self.message_ts),
            "message_ts": self.message_ts,
            "user": self.user,
            "is_dm": "true" if is_dm else "false",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    """A button or a modal's own button. `word` is what follows `call.` in its name."""

    word: str
    value: str
    person: Person
    is_foreign: bool
    """Somebody of another organisation."""
    spot: Spot
    trigger: str
    key: str
    """Of this one delivery."""
    view: Json = field(default_factory=dict[str, Any])
    """The modal that was used; empty for a button of a message."""


def pressed(envelope: Json, own_team: str) -> Pressed | None:
    """None for what is no button of ours."""
    found = fields.children(envelope, "actions")
    name = fields.text(found[0], "action_id") if found else ""
    view = fields.child(envelope, "view")
    if not name.startswith("call."):
        return None
    spot = _kept(envelope, view)[1] if view else spot_of(envelope)
    key = [
        spot.team,
        spot.message_ts or fields.text(view, "id"),
        fields.text(found[0], "action_ts"),
    ]
    return _pressed(
        envelope, own_team, name.partition(".")[2], fields.text(found[0], "value"), spot, key
    )


def submitted(envelope: Json, own_team: str) -> Pressed | None:
    """A modal that was sent; None where it is none of ours."""
    view = fields.child(envelope, "view")
    name = fields.text(view, "callback_id")
    if not name.startswith("call."):
        return None
    value, spot = _kept(envelope, view)
    key = [spot.team, fields.text(view, "id"), fields.text(view, "hash")]
    return _pressed(envelope, own_team, name.partition(".")[2], value, spot, key)


def _pressed(
    envelope: Json, own_team: str, word: str, value: str, spot: Spot, key: list[str]
) -> Pressed | None:
    who = person(envelope)
    if who is None:
        return None
    home = who.id.partition(":")[2].partition("/")[0]
    return Pressed(
        word=word,
        value=value,
        person=who,
        is_foreign=bool(own_team) and home != own_team,
        spot=spot,
        trigger=fields.text(envelope, "trigger_id"),
        key="slack:" + "/".join([*key, spot.user]),
        view=fields.child(envelope, "view"),
    )


def person(envelope: Json) -> Person | None:
    """Who clicked, with the workspace that they belong to themselves: through a shared channel
    somebody of another organisation clicks as that, and is nobody here."""
    user = fields.child(envelope, "user")
    home = fields.text(user, "team_id") or fields.text(fields.child(envelope, "team"), "id")
    if not identity.is_id(home) or not identity.is_id(fields.text(user, "id")):
        return None
    return identity.person(home, fields.text(user, "id"))


def click(at: Pressed, button: Button, *, reason: str = "", value: str = "") -> Click | None:
    """The decision for the desk; None where the button names no call. `value` is what names it
    where that is not the button's own."""
    found = _VALUE.fullmatch(value or at.value)
    if found is None:
        return None
    return Click(
        delivery=at.key,
        person=at.person.id,
        place=f"slack:{at.spot.team}/{at.spot.channel}",
        call=CallId(found[1]),
        revision=int(found[2]),
        button=button,
        reason=reason,
        address=at.spot.address,
    )


def edit(opened: Click, values: Mapping[str, object]) -> Click:
    return replace(opened, is_edit=True, values=values)


def button_of(word: str) -> Button | None:
    return cast(Button, word) if word in _BUTTONS else None


def packed(value: str, spot: Spot) -> str:
    """What a modal keeps of where it was opened. No secret of ours, and nothing that decides who
    somebody is."""
    hook = spot.hook if spot.is_private else ""
    kept = {"call": value, "channel": spot.channel, "thread": spot.thread_ts}
    return json.dumps({**kept, "message": spot.message_ts, "hook": hook})


def named(view: Json) -> str:
    """The call and revision that a modal was opened for."""
    return fields.text(_metadata(view), "call")


def _metadata(view: Json) -> Json:
    try:
        read: Any = json.loads(fields.text(view, "private_metadata"))
    except ValueError:
        read = {}
    return cast(Json, read) if isinstance(read, dict) else {}


def _kept(envelope: Json, view: Json) -> tuple[str, Spot]:
    """The call's value, and where the modal was opened."""
    kept = _metadata(view)
    hook = fields.text(kept, "hook")
    spot = Spot(
        user=fields.text(fields.child(envelope, "user"), "id"),
        team=_team(envelope),
        channel=fields.text(kept, "channel"),
        thread_ts=fields.text(kept, "thread"),
        message_ts=fields.text(kept, "message"),
        hook=hook,
        is_private=bool(hook),
    )
    return fields.text(kept, "call"), spot


def spot_of(envelope: Json) -> Spot:
    """Where the message with the button stands."""
    container = fields.child(envelope, "container")
    return Spot(
        user=fields.text(fields.child(envelope, "user"), "id"),
        team=_team(envelope),
        channel=fields.text(container, "channel_id"),
        thread_ts=fields.text(container, "thread_ts"),
        message_ts=fields.text(container, "message_ts"),
        hook=fields.text(envelope, "response_url"),
        is_private=container.get("is_ephemeral") is True,
    )


def _team(envelope: Json) -> str:
    return fields.text(fields.child(envelope, "team"), "id")
