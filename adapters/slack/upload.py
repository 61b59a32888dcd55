"""Puts a file into a thread: ask for an address, post the bytes there, share."""

import json
from collections.abc import Mapping

from adapters.slack import fields
from adapters.slack.api import SlackApi
from adapters.slack.render import escape
from core.errors import DeliveryFailed

WHOLE_ANSWER = "answer.md"


async def into(api: SlackApi, spot: Mapping[str, str], name: str, content: bytes) -> str:
    """Return Slack's id of the file. Until the last step nobody sees it, so a failed upload may be
    begun again. Raises `DeliveryFailed`."""
    shown = file_name(name)
    granted = await api.file_step(
        "files.getUploadURLExternal", {"filename": shown, "length": len(content)}
    )
    address, file_id = fields.text(granted, "upload_url"), fields.text(granted, "file_id")
    if not address or not file_id:
        raise DeliveryFailed("unreadable_answer")
    await api.upload(address, content)
    share = {
        "files": json.dumps([{"id": file_id, "title": shown}]),
        "channel_id": spot["channel"],
    }
    if spot["thread_ts"]:
        share["thread_ts"] = spot["thread_ts"]
    await api.file_step("files.completeUploadExternal", share)
    return file_id


def file_name(name: str) -> str:
    """One line without a path."""
    flat = escape.inert(" ".join(name.split())).replace("/", "_").replace("\\", "_")
    return flat[:200] or "file"
