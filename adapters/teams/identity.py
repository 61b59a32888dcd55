"""Who speaks, where, and for which tenant, as a verified activity says."""

import re

from adapters import fields
from core.records import Json, Person, PersonId, Place, PlaceKind, ThreadId

_OBJECT = re.compile(r"[A-Za-z0-9-]{1,64}")
_CONVERSATION = re.compile(r"[A-Za-z0-9:@._;=+!~$*,|-]{1,300}")
_ROOT = ";messageid="
_KINDS: dict[str, PlaceKind] = {"personal": "dm", "groupChat": "group", "channel": "public"}
_ZONE = re.compile(r"[A-Za-z0-9_+-]{1,40}(?:/[A-Za-z0-9_+-]{1,40}){0,2}")
_LOCALE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
_LONGEST_NAME = 80


def tenant(activity: Json) -> str:
    """Empty where two places of the activity name different ones."""
    named = {
        fields.text(fields.child(fields.child(activity, "channelData"), "tenant"), "id").lower(),
        fields.text(fields.child(activity, "conversation"), "tenantId").lower(),
    } - {""}
    return named.pop() if len(named) == 1 else ""


def is_conversation(value: str) -> bool:
    """No slash: keys are built from them."""
    return _CONVERSATION.fullmatch(value) is not None


def object_id(activity: Json) -> str:
    """Of the one who speaks, in their tenant; empty for what is none."""
    found = fields.text(fields.child(activity, "from"), "aadObjectId").lower()
    return found if _OBJECT.fullmatch(found) else ""


def person_id(tenant_id: str, oid: str) -> PersonId:
    return PersonId(f"teams:{tenant_id}/{oid}")


def person(activity: Json, tenant_id: str) -> Person | None:
    """None where the activity does not say who it is."""
    oid = object_id(activity)
    if not oid or not tenant_id:
        return None
    return Person(
        id=person_id(tenant_id, oid),
        name=name(fields.text(fields.child(activity, "from"), "name")),
        time_zone=_time_zone(activity) or "UTC",
        locale=_locale(activity) or "en",
    )


def name(given: str) -> str:
    flat = " ".join(given.split())
    return "".join(char for char in flat if char.isprintable())[:_LONGEST_NAME]


def _client(activity: Json) -> Json:
    for entity in fields.children(activity, "entities"):
        if fields.text(entity, "type").lower() == "clientinfo":
            return entity
    return {}


def _time_zone(activity: Json) -> str:
    """Teams writes it on messages; on other activities the client's own word is all there is."""
    found = fields.text(activity, "localTimezone") or fields.text(_client(activity), "timezone")
    return found if _ZONE.fullmatch(found) else ""


def _locale(activity: Json) -> str:
    found = fields.text(activity, "locale") or fields.text(_client(activity), "locale")
    return found if _LOCALE.fullmatch(found) else ""


def channel(conversation: str) -> str:
    """The channel or chat, without the thread."""
    return conversation.partition(_ROOT)[0]


def conversation(activity: Json) -> str:
    """Where an answer belongs: in a channel the thread, which the channel's own id may leave out
    of a first message."""
    found = fields.text(fields.child(activity, "conversation"), "id")
    if kind(activity) != "public" or _ROOT in found or not found:
        return found
    root = fields.text(activity, "replyToId") or fields.text(activity, "id")
    return f"{found}{_ROOT}{root}" if root.isdigit() else found


def kind(activity: Json) -> PlaceKind:
    """A channel counts as public unless Teams says that it is private."""
    said = fields.child(activity, "conversation")
    found = _KINDS.get(fields.text(said, "conversationType"))
    if found == "public":
        about = fields.child(fields.child(activity, "channelData"), "channel")
        return "private" if fields.text(about, "type").lower() == "private" else "public"
    if found is not None:
        return found
    return "group" if said.get("isGroup") is True else "dm"


def place(activity: Json, tenant_id: str) -> Place:
    about = fields.child(fields.child(activity, "channelData"), "channel")
    return Place(
        surface="teams",
        tenant=tenant_id,
        channel=channel(fields.text(fields.child(activity, "conversation"), "id")),
        kind=kind(activity),
        name=name(fields.text(about, "name")),
    )


def thread(tenant_id: str, conversation_id: str) -> ThreadId:
    return ThreadId(f"teams:{tenant_id}/{conversation_id}")
