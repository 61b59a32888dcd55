"""Which turn a message shows, and the inside of that turn for the page's side panel."""

import re
from collections.abc import Awaitable, Callable

from bot.workspace.slack.checks import Refusal
from bot.workspace.slack.records import Json

Reader = Callable[[str], Awaitable[Json | None]]
"""Turn → its inside as JSON values; None for a turn that is not known."""

_POST = re.compile(r"(t_[0-9a-f]{16})\.\w+")


def turn_of(message: Json) -> str:
    """The turn that this message belongs to, by the mark that the bot put on it; empty for any
    other message."""
    mark: Json = message.get("metadata") or {}
    payload: Json = mark.get("event_payload") or {}
    found = _POST.fullmatch(str(payload.get("post", "")))
    return found.group(1) if found else ""


async def of_message(message: Json, read: Reader | None) -> Json:
    """Raises Refusal `no_such_turn`."""
    turn = turn_of(message)
    found = await read(turn) if read is not None and turn else None
    if found is None:
        raise Refusal("no_such_turn")
    return found
