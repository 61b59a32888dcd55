"""Understands that a person wants to stop: Slack's own button, a cross on a message, a word."""

from adapters.slack import fields, identity
from adapters.slack.api import SlackApi
from core.errors import DeliveryFailed
from core.records import Json, Question, Stop, ThreadId

BUTTON = "agent_session_stopped"
REACTION = "reaction_added"
EVENTS = frozenset({BUTTON, REACTION})
CROSSES = frozenset({"x", "negative_squared_cross_mark", "octagonal_sign", "no_entry"})
WORDS = frozenset({"stop", "cancel", "stopp", "halt", "abort"})
NOTHING = "Nothing of yours is running here."


def said(question: Question) -> Stop | None:
    """The word alone: inside a thread it means that thread, else whatever the person asked for in
    this place."""
    word = question.text.strip(" \t\r\n.!?/").lower()
    if word not in WORDS or question.files:
        return None
    address = question.address
    is_inside = address["thread_ts"] != address["message_ts"]
    return Stop(
        place=question.place.id,
        person=question.person.id,
        thread=question.thread if is_inside else None,
    )


async def of(api: SlackApi, envelope: Json) -> Stop | None:
    """What the event wants stopped; None where it is none of that."""
    event = fields.child(envelope, "event")
    if identity.is_outsider(envelope):
        return None
    if fields.text(event, "type") == BUTTON:
        return _button(envelope, event)
    return await _reaction(api, envelope, event)


def _button(envelope: Json, event: Json) -> Stop | None:
    """Slack shows the button where it may be pressed, and has stopped its stream by now."""
    team, channel = identity.team(envelope), fields.text(event, "channel")
    root = fields.text(event, "thread_ts")
    if not all(map(identity.is_id, (team, channel))) or not root:
        return None
    place = identity.place(team, channel)
    return Stop(place=place.id, thread=ThreadId(f"{place.id}/{root}"))


async def _reaction(api: SlackApi, envelope: Json, event: Json) -> Stop | None:
    """By the one who asked, on the question or on what the bot says to it."""
    item = fields.child(event, "item")
    channel, ts = fields.text(item, "channel"), fields.text(item, "ts")
    team, user = identity.team(envelope), fields.text(event, "user")
    is_cross = fields.text(event, "reaction") in CROSSES and item.get("type") == "message"
    if not is_cross or not ts or not all(map(identity.is_id, (team, channel, user))):
        return None
    place, person = identity.place(team, channel), identity.person(team, user)
    if fields.text(event, "item_user") != fields.text(api.own, "user_id"):
        return Stop(place=place.id, person=person.id, delivery=f"{place.id}/{ts}")
    root = await _root(api, channel, ts)
    return Stop(place=place.id, person=person.id, thread=ThreadId(f"{place.id}/{root}"))


async def _root(api: SlackApi, channel: str, ts: str) -> str:
    """The thread that a message stands in; the message itself where Slack does not say."""
    query: Json = {"channel": channel, "ts": ts, "limit": 1}
    try:
        page = await api.read("conversations.replies", query)
    except DeliveryFailed:
        return ts
    found = fields.children(page, "messages")
    return (fields.text(found[0], "thread_ts") if found else "") or ts
