"""What a person sees of Teams: their chats and channels, and what stands in one of them."""

from adapters import fields
from bot.workspace.teams.records import Conversation, Json, Member, Posted
from bot.workspace.teams.world import BOT_NAME, World

TYPING_SECONDS = 4.0
"""For which a sign of typing is shown."""
_SHOWN = (
    "id",
    "by",
    "text",
    "thread",
    "attachments",
    "entities",
    "channelData",
    "edits",
    "is_streaming",
    "only",
)


def overview(world: World, me: Member) -> Json:
    """The frame of the page: who is here, which places there are."""
    own = world.personal(me)
    places = [one for one in world.conversations.values() if one.kind != "personal"]
    return {
        "app": {"id": "bot", "name": BOT_NAME},
        "me": me.key,
        "people": [_person(member) for member in world.members.values()],
        "places": [
            _place(f"@{me.key}", own, BOT_NAME),
            *(_place(one.name, one, one.name) for one in places if me.key in one.members),
        ],
    }


def _person(member: Member) -> Json:
    return {
        "id": member.key,
        "real_name": member.name,
        "title": member.mail,
        "is_guest": member.role == "guest",
        "is_bot": False,
    }


def _place(key: str, place: Conversation, name: str) -> Json:
    return {"key": key, "kind": place.kind, "name": name, "has_bot": place.has_bot}


def conversation(world: World, me: Member, place: Conversation) -> Json:
    """Everything that this person may see there, oldest first."""
    seen = [one for one in place.activities if fields.text(one, "only") in ("", me.key)]
    return {
        "activities": [_activity(one) for one in seen],
        "is_typing": world.clock() - place.typing_at < TYPING_SECONDS,
    }


def _activity(one: Json) -> Json:
    posted: list[Posted] = one.get("posted", [])
    shown = {name: one[name] for name in _SHOWN if name in one}
    return {**shown, "files": [file.name for file in posted]}
