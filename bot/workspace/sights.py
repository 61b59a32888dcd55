"""What a person sees: their channels, the messages in them, the marks of what is new."""

from bot.workspace.inside import turn_of
from bot.workspace.slack import limits, messages
from bot.workspace.slack.people import channel_json
from bot.workspace.slack.records import Channel, Json, Member
from bot.workspace.slack.world import World

HINTS = (
    "What did we sell per region in Q3 2026?",
    "Mail the Q3 summary to priya@larkspur.example.",
    "Put the sales per product into a spreadsheet.",
)


class Marks:
    """Up to where each person has read each channel."""

    def __init__(self) -> None:
        self._read: dict[tuple[str, str], str] = {}

    def read(self, person: str, channel: Channel) -> None:
        self._read[person, channel.id] = max(channel.messages, default="0")

    def unread(self, person: str, channel: Channel) -> list[Json]:
        """Others' messages since then: those in the channel itself, and replies in threads that
        this person takes part in."""
        since = self._read.get((person, channel.id), "0")
        mine = {m.get("thread_ts") for m in channel.messages.values() if m["user"] == person}
        mine |= {m["ts"] for m in channel.messages.values() if m["user"] == person}
        return [
            message
            for message in channel.messages.values()
            if message["ts"] > since
            and message["user"] != person
            and (is_top(message) or message["thread_ts"] in mine)
        ]


def is_top(message: Json) -> bool:
    return bool(message.get("thread_ts", message["ts"]) == message["ts"])


def overview(world: World, marks: Marks, person: str) -> Json:
    """The frame of the page: who is here, which places there are."""
    places = [c for c in world.channels.values() if person in c.members]
    return {
        "team": {"id": world.team.id, "name": world.team.name},
        "app": {
            "id": world.app.member,
            "name": world.app.name,
            "commands": list(world.app.commands),
            "has_home": world.app.has_home,
            "can_stop": "agent_session_stopped" in world.app.subscriptions,
        },
        "me": person,
        "people": [_person(member) for member in world.members.values()],
        "channels": [_place(world, marks, person, channel) for channel in places],
        "hints": list(HINTS),
    }


def _person(member: Member) -> Json:
    return {
        "id": member.id,
        "name": member.name,
        "real_name": member.real_name,
        "title": member.title,
        "is_bot": member.is_bot,
        "is_admin": member.is_admin,
        "is_guest": member.is_guest,
        "tz": member.tz,
    }


def _place(world: World, marks: Marks, person: str, channel: Channel) -> Json:
    unread = marks.unread(person, channel)
    is_named = any(f"<@{person}>" in str(message.get("text")) for message in unread)
    others = [member for member in channel.members if member != person]
    return {
        "id": channel.id,
        "name": channel.name,
        "kind": channel.kind,
        "topic": channel.topic,
        "is_shared": channel_json(world, channel).get("is_shared", False),
        "members": channel.members,
        "other": others[0] if channel.kind == "im" and others else "",
        "unread": len(unread),
        "is_loud": bool(unread) and (is_named or channel.kind == "im"),
    }


def conversation(world: World, person: str, channel: Channel) -> Json:
    """The channel itself: its messages, and what this person alone sees there."""
    rows = messages.of_channel(channel)
    whispers = [m for m in _whispers(channel, person) if not m.get("thread_ts")]
    return {
        "channel": channel.id,
        "messages": _in_order(rows + whispers),
        "statuses": {
            root: status
            for root in (m["ts"] for m in rows)
            if (status := status_of(world, channel, root))
        },
        "prompts": world.prompts.get((channel.id, "")),
    }


def thread(world: World, person: str, channel: Channel, root: str) -> Json:
    """A thread. Raises Refusal `thread_not_found`."""
    rows = messages.of_thread(channel, root)
    whispers = [m for m in _whispers(channel, person) if m.get("thread_ts") == root]
    return {
        "channel": channel.id,
        "ts": root,
        "messages": _in_order(rows + whispers),
        "status": status_of(world, channel, root),
        "session": world.sessions.get((channel.id, root)),
        "prompts": world.prompts.get((channel.id, root)),
    }


def _whispers(channel: Channel, person: str) -> list[Json]:
    return [m for m in channel.ephemerals if m["audience"] == person]


def _in_order(rows: list[Json]) -> list[Json]:
    return [
        {**messages.shown(row), "turn": turn_of(row)}
        for row in sorted(rows, key=lambda m: str(m["ts"]))
    ]


def status_of(world: World, channel: Channel, root: str) -> Json | None:
    """The line that a thread shows while the app works; it clears itself after two minutes."""
    status = world.statuses.get((channel.id, root))
    if status is None or world.clock() - status.set_at > limits.STATUS_SECONDS:
        return None
    return {"text": status.text, "loading_messages": list(status.loading_messages)}
