"""Remembers which channel somebody looks at beside their conversation with the bot."""

from collections import OrderedDict

from adapters.slack import fields, identity
from core.ports import Clock
from core.records import Json

EVENT = "app_context_changed"
KEPT_SECONDS = 3_600.0
MOST = 5_000


class Looking:
    """In memory alone, for an hour, and only that it is this channel: nothing of it is read."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen: OrderedDict[str, tuple[float, str]] = OrderedDict()

    def turned(self, envelope: Json) -> None:
        """They look at something else now, which may be no channel."""
        event = fields.child(envelope, "event")
        user, channel = fields.text(event, "user"), _channel(fields.child(event, "context"))
        self._seen.pop(user, None)
        if user and channel:
            self._seen[user] = (self._clock(), channel)
        if len(self._seen) > MOST:
            self._seen.popitem(last=False)

    def at(self, user: str) -> str:
        """The channel's id; empty where nothing is known."""
        seen_at, channel = self._seen.get(user, (0.0, ""))
        return channel if self._clock() - seen_at < KEPT_SECONDS else ""


def _channel(context: Json) -> str:
    """Slack's reference shows entities of a type and a value; an older form names the channel."""
    for entity in fields.children(context, "entities"):
        value = fields.text(entity, "value")
        if "channel" in fields.text(entity, "type") and identity.is_id(value):
            return value
    named = fields.text(context, "channel_id") or fields.text(context, "channel")
    return named if identity.is_id(named) else ""
