"""What Teams does not take: activities too large, malformed cards, too many at once."""

import json
from collections import deque
from typing import Any, cast

from adapters import fields
from bot.workspace.teams import limits
from bot.workspace.teams.records import Json

CARD = "application/vnd.microsoft.card.adaptive"


class Refused(Exception):
    """Answered with this status and code."""

    def __init__(
        self, status: int, code: str, retry_after: int | None = None, *, said: str = ""
    ) -> None:
        super().__init__(code)
        self.status, self.code, self.retry_after = status, code, retry_after
        self.said = said or code


def activity(body: Json) -> None:
    """Raises `Refused`."""
    size = len(json.dumps(body, ensure_ascii=False).encode("utf-16-le"))
    if size > limits.MESSAGE_BYTES:
        raise Refused(413, "MessageSizeTooBig")
    if body.get("type") not in ("message", "typing"):
        raise Refused(400, "BadSyntax")
    for attachment in fields.children(body, "attachments"):
        if attachment.get("contentType") == CARD:
            card(attachment.get("content"))
    for entity in fields.children(body, "entities"):
        if not isinstance(entity.get("type"), str):
            raise Refused(400, "BadSyntax")
        if entity["type"] == "https://schema.org/Message" and entity.get("@type") != "Message":
            raise Refused(400, "BadSyntax")


def card(content: Any) -> None:
    if not isinstance(content, dict):
        raise Refused(400, "BadSyntax")
    shown = cast(Json, content)
    if shown.get("type") != "AdaptiveCard" or shown.get("version") not in limits.CARD_VERSIONS:
        raise Refused(400, "BadSyntax")
    ids: list[str] = []
    _walk(shown.get("body") or [], ids)
    if len(ids) != len(set(ids)):
        raise Refused(400, "BadSyntax")
    for action in fields.children(shown, "actions"):
        if action.get("type") not in ("Action.Execute", "Action.OpenUrl", "Action.ShowCard"):
            raise Refused(400, "BadSyntax")


def _walk(value: Any, ids: list[str]) -> None:
    if isinstance(value, list):
        for one in cast("list[Any]", value):
            _walk(one, ids)
    elif isinstance(value, dict):
        known = cast(Json, value)
        if str(known.get("type", "")).startswith("Input."):
            ids.append(str(known.get("id")))
        for one in known.values():
            _walk(one, ids)


class Throttle:
    """Counts what one bot sends to one conversation."""

    def __init__(self) -> None:
        self._sent: dict[str, deque[float]] = {}

    def count(self, conversation: str, now: float) -> None:
        """Raises `Refused`."""
        sent = self._sent.setdefault(conversation, deque(maxlen=limits.WINDOWS[-1][0]))
        for count, seconds in limits.WINDOWS:
            if len(sent) >= count and now - sent[-count] < seconds:
                raise Refused(429, "429", retry_after=1)
        sent.append(now)
