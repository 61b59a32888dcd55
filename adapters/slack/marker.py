"""Finds out which parts of a post stand in Slack already, so that none is posted twice.

Slack gives a post no key of its own; what we post carries its id as message metadata.
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field

from adapters.slack import fields
from adapters.slack.api import SlackApi
from core.records import Json

EVENT_TYPE = "countersign_post"
LIVE = "live/"
"""How the parts of an answer are called that was streamed and is not known to be whole."""
END = "live/end"
"""The part with which a streamed answer is whole, with all the parts before it."""
PAGES = 10
PAGE = 200


def metadata(post: str, part: str, card: str = "") -> Json:
    """`card` is the call whose card the message shows."""
    payload = {"post": post, "part": part} | ({"card": card} if card else {})
    return {"event_type": EVENT_TYPE, "event_payload": payload}


@dataclass(frozen=True, slots=True)
class There:
    """What stands in Slack of a post."""

    parts: dict[str, str] = field(default_factory=dict[str, str])
    """The timestamps of its parts by their names."""
    pieces: list[str] = field(default_factory=list[str])
    """The timestamps of messages that were streamed and are not known to be right, oldest
    first."""


NOTHING = There()


async def posted(api: SlackApi, spot: Mapping[str, str], post: str) -> There:
    """What is there of this post.

    `spot` has `channel`, `thread_ts` (empty outside of threads) and `after`, the timestamp from
    which on to look. Raises `DeliveryFailed` where Slack does not let us look.
    """
    parts: dict[str, str] = {}
    pieces: list[str] = []
    async for message in _messages(api, spot):
        mark = fields.child(message, "metadata")
        payload = fields.child(mark, "event_payload")
        ts = fields.text(message, "ts")
        if mark.get("event_type") == EVENT_TYPE and payload.get("post") == post:
            parts[fields.text(payload, "part")] = ts
            if fields.text(payload, "part").startswith(LIVE):
                pieces.append(ts)
        elif any(id.startswith(f"{post}:") for id in _ids(message)):
            pieces.append(ts)
    return There(parts, sorted(pieces))


def _ids(message: Json) -> Iterator[str]:
    """The ids that a stream of ours gives to what its messages begin with."""
    for block in fields.children(message, "blocks"):
        yield fields.text(block, "block_id")
        for task in fields.children(block, "tasks"):
            yield fields.text(task, "task_id")


async def card(api: SlackApi, spot: Mapping[str, str], call: str) -> str:
    """The timestamp of the newest message that shows this call's card, an empty string where
    there is none. Raises `DeliveryFailed` where Slack does not let us look."""
    newest = ""
    async for message in _messages(api, spot):
        mark = fields.child(message, "metadata")
        payload = fields.child(mark, "event_payload")
        is_it = mark.get("event_type") == EVENT_TYPE and payload.get("card") == call
        if is_it and fields.text(message, "ts") > newest:
            newest = fields.text(message, "ts")
    return newest


async def has_file(api: SlackApi, spot: Mapping[str, str], name: str, size: int) -> str:
    """The timestamp of a message of ours with this file, an empty string where there is none.

    Messages that carry a file take no metadata; name and size, since the question, stand in.
    """
    async for message in _messages(api, spot):
        is_ours = fields.text(message, "user") == fields.text(api.own, "user_id")
        for file in fields.children(message, "files") if is_ours else []:
            if fields.text(file, "name") == name and fields.number(file, "size") == size:
                return fields.text(message, "ts")
    return ""


async def _messages(api: SlackApi, spot: Mapping[str, str]) -> AsyncIterator[Json]:
    method = "conversations.replies" if spot["thread_ts"] else "conversations.history"
    query: Json = {"channel": spot["channel"], "limit": PAGE, "include_all_metadata": True}
    if spot["thread_ts"]:
        query["ts"] = spot["thread_ts"]
    if spot["after"]:
        query["oldest"] = spot["after"]
    for _ in range(PAGES):
        page = await api.read(method, query)
        for message in fields.children(page, "messages"):
            yield message
        query["cursor"] = fields.text(fields.child(page, "response_metadata"), "next_cursor")
        if not query["cursor"]:
            return
