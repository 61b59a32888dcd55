"""Decides what a message in Teams means: a question for the core, or something to be left alone."""

from dataclasses import dataclass
from datetime import datetime

from adapters import fields
from adapters.teams import files, identity, mentions
from core.ports import Clock
from core.records import Json, Place, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """`reason` is a word for the log; it never quotes the message."""

    reason: str


def question(activity: Json, tenant: str, clock: Clock) -> Question | Ignored:
    """Read a `message`."""
    own = fields.text(fields.child(activity, "recipient"), "id")
    reason = _not_spoken(activity, own)
    if reason:
        return Ignored(reason=reason)
    person = identity.person(activity, tenant)
    conversation, key = identity.conversation(activity), delivery(activity, tenant)
    if person is None or not key or not identity.is_conversation(own):
        return Ignored(reason="incomplete")
    place = identity.place(activity, tenant)
    is_addressed = mentions.is_addressed(activity, own) or is_targeted(activity)
    if place.kind != "dm" and not is_addressed:
        return Ignored(reason="not_addressed")
    return Question(
        delivery=key,
        thread=identity.thread(tenant, conversation),
        place=place,
        person=person,
        text=mentions.words(activity, own),
        files=files.named(activity, tenant),
        address=address(activity, place, conversation),
        said_at=_moment(activity) or clock(),
    )


def delivery(activity: Json, tenant: str) -> str:
    """The activity's own id in its conversation, so that a message that comes again is known;
    empty where one of them is missing."""
    conversation, stamp = identity.conversation(activity), fields.text(activity, "id")
    is_whole = all(map(identity.is_conversation, (conversation, stamp)))
    return f"teams:{tenant}/{conversation}/{stamp}" if is_whole else ""


def is_targeted(activity: Json) -> bool:
    """Whether the bot alone was shown this message, as with a slash command."""
    return fields.child(activity, "recipient").get("isTargeted") is True


def deleted(activity: Json, tenant: str) -> str:
    """The delivery key of the message that this activity tells is gone; empty where it tells of
    none."""
    is_one = fields.text(activity, "type") == "messageDelete"
    return delivery(activity, tenant) if is_one else ""


def address(activity: Json, place: Place, conversation: str) -> dict[str, str]:
    """Where an answer to this activity belongs."""
    return {
        "tenant": place.tenant,
        "service": fields.text(activity, "serviceUrl"),
        "conversation": conversation,
        "message": fields.text(activity, "id"),
        "user": fields.text(fields.child(activity, "from"), "id"),
        "oid": identity.object_id(activity),
        "bot": fields.text(fields.child(activity, "recipient"), "id"),
        "kind": place.kind,
        **_team(activity),
    }


def _team(activity: Json) -> dict[str, str]:
    """Of a channel: Teams' own id of the team, and the one of its group, which it leaves out at
    times."""
    about = fields.child(fields.child(activity, "channelData"), "team")
    found = {"team": fields.text(about, "id"), "group": fields.text(about, "aadGroupId").lower()}
    return {name: id for name, id in found.items() if identity.is_conversation(id)}


def _not_spoken(activity: Json, own: str) -> str:
    sender = fields.child(activity, "from")
    if fields.text(activity, "type") != "message":
        return "other_kind"
    said = fields.text(sender, "id")
    if said == own or said.startswith("28:") or fields.text(sender, "role") == "bot":
        return "bot"
    has_words = bool(fields.text(activity, "text").strip())
    if not has_words and not fields.children(activity, "attachments"):
        return "submitted" if activity.get("value") else "empty"
    return ""


def _moment(activity: Json) -> float:
    """By the platform's clock; 0 where it does not say."""
    try:
        said = datetime.fromisoformat(fields.text(activity, "timestamp"))
    except ValueError:
        return 0.0
    return said.timestamp() if said.tzinfo is not None else 0.0
