"""Finds out which parts of a post stand in Slack already, so that none is posted twice.

Slack gives a post no key of its own; what we post carries its id as message metadata.
"""

from collections.abc import AsyncIterator, Mapping

from adapters.slack import fields
from adapters.slack.api import SlackApi
from core.records import Json

EVENT_TYPE = "countersign_post"
PAGES = 10
PAGE = 200


def metadata(post: str, part: str, card: str = "") -> Json:
    """`card` is the call whose card the message shows."""
    payload = {"post": post, "part": part} | ({"card": card} if card else {})
    return {"event_type": EVENT_TYPE, "event_payload": payload}


async def posted(api: SlackApi, spot: Mapping[str, str], post: str) -> dict[str, str]:
    """The parts of this post that are there, each with its timestamp.

    `spot` has `channel`, `thread_ts` (empty outside of threads) and `after`, the timestamp from
    which on to look. Raises `DeliveryFailed` where Slack does not let us look.
    """
    found: dict[str, str] = {}
    async for message in _messages(api, spot):
        mark = fields.child(message, "metadata")
        payload = fields.child(mark, "event_payload")
        if mark.get("event_type") == EVENT_TYPE and payload.get("post") == post:
            found[fields.text(payload, "part")] = fields.text(message, "ts")
    return found


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
