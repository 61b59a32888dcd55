"""Who speaks, where, and for which workspace, as the signed envelope says."""

import re

from adapters.slack import fields
from core.records import Json, Person, PersonId, Place, PlaceKind

_ID = re.compile(r"[A-Za-z0-9]{1,40}")
_KINDS: dict[str, PlaceKind] = {
    "im": "dm",
    "mpim": "group",
    "group": "private",
    "channel": "public",
}


def is_id(value: str) -> bool:
    """Slack's ids are letters and digits; a slash in one would make keys ambiguous."""
    return _ID.fullmatch(value) is not None


def team(envelope: Json) -> str:
    """The workspace that the delivery is about; empty where it names none."""
    return next(iter(teams(envelope)), "")


def teams(envelope: Json) -> tuple[str, ...]:
    """The workspaces that the delivery may be about, the likeliest first.

    In an organisation-wide installation `authorizations` may name another workspace than the one
    where the message stands, and `team_id` may be null.
    """
    event = fields.child(envelope, "event")
    authorized = fields.children(envelope, "authorizations")
    candidates = (
        fields.text(envelope, "team_id"),
        fields.text(event, "team"),
        fields.text(envelope, "context_team_id"),
        fields.text(authorized[0], "team_id") if authorized else "",
    )
    return tuple(dict.fromkeys(found for found in candidates if is_id(found)))


def own_ids(envelope: Json) -> frozenset[str]:
    """Under which ids of persons the bot itself is known to the sender of this envelope."""
    return frozenset(
        fields.text(entry, "user_id")
        for entry in fields.children(envelope, "authorizations")
        if entry.get("is_bot") is True and fields.text(entry, "user_id")
    )


def is_outsider(envelope: Json) -> bool:
    """True for people of another organisation in a shared channel.

    Where the channel is shared outwards and nothing says whose the person is, the answer is True.
    """
    if envelope.get("is_ext_shared_channel") is not True:
        return False
    event = fields.child(envelope, "event")
    home = fields.text(event, "user_team") or fields.text(event, "team")
    return home != team(envelope)


def person(team_id: str, user_id: str, name: str = "") -> Person:
    return Person(id=PersonId(f"slack:{team_id}/{user_id}"), name=name)


def place(
    team_id: str,
    channel: str,
    channel_type: str = "",
    name: str = "",
    *,
    is_shared: bool = False,
) -> Place:
    return Place(
        surface="slack",
        tenant=team_id,
        channel=channel,
        kind=_KINDS.get(channel_type) or _kind_of_prefix(channel),
        name=name,
        is_shared=is_shared,
    )


def _kind_of_prefix(channel: str) -> PlaceKind:
    """`app_mention` carries no channel type, and private channels of today start with C as well:
    the stricter reading is taken."""
    if channel.startswith("D"):
        return "dm"
    return "private" if channel.startswith("G") else "public"
