"""Reads what a Slack message says, with what hangs on it, as plain words."""

from collections.abc import Iterator
from typing import Any, cast

from adapters.slack import fields, mentions
from core.records import Json
from core.said import Said

ATTACHMENTS = 5
"""Of one message that are read."""
_TEXTUAL = frozenset({"mrkdwn", "plain_text", "markdown", "text"})


def words(message: Json, own: frozenset[str] = frozenset()) -> str:
    """The text; for a message that consists of blocks alone what these say; then its attachments
    and the names of its files."""
    text = mentions.words(fields.text(message, "text"), own)
    if not text:
        text = mentions.words("\n".join(_texts(message.get("blocks"))), own)
    parts = [text, *map(_attached, fields.children(message, "attachments")[:ATTACHMENTS])]
    names = [fields.text(file, "name") or "file" for file in fields.children(message, "files")]
    if names:
        parts.append(f"[files: {', '.join(names)}]")
    return "\n".join(part for part in parts if part)


def forwarded(message: Json) -> tuple[Said, ...]:
    """The messages that somebody passed on with this one, and the previews of links in it."""
    found: list[Said] = []
    for one in fields.children(message, "attachments")[:ATTACHMENTS]:
        text = _attached(one)
        if text:
            author = fields.text(one, "author_id")
            name = fields.text(one, "author_name") or fields.text(one, "service_name")
            is_bot = bool(fields.text(one, "bot_id")) or not author
            at = _seconds(fields.text(one, "ts"))
            role = "bot" if is_bot else "person"
            found.append(Said(role=role, name=name or "a message", text=text, at=at, id=author))
    return tuple(found)


def _attached(one: Json) -> str:
    """The words of an attachment: a forwarded message, a link's preview, an alert's body."""
    title, body = fields.text(one, "title"), fields.text(one, "text")
    body = body or "\n".join(_texts(one.get("message_blocks") or one.get("blocks")))
    columns = [
        f"{fields.text(each, 'title')}: {fields.text(each, 'value')}"
        for each in fields.children(one, "fields")
    ]
    lines = [fields.text(one, "pretext"), title, body, *columns]
    whole = "\n".join(line for line in lines if line) or fields.text(one, "fallback")
    return mentions.words(whole, frozenset())


def _texts(node: Any, depth: int = 12) -> Iterator[str]:
    """The texts of blocks, in order, whatever kind they are."""
    if depth == 0:
        return
    if isinstance(node, list):
        for item in cast("list[Any]", node):
            yield from _texts(item, depth - 1)
    elif isinstance(node, dict):
        block = cast(Json, node)
        if block.get("type") in _TEXTUAL and fields.text(block, "text"):
            yield fields.text(block, "text")
            return
        if block.get("type") == "user" and fields.text(block, "user_id"):
            yield f"<@{fields.text(block, 'user_id')}>"
        for value in block.values():
            if isinstance(value, dict | list):
                yield from _texts(value, depth - 1)


def _seconds(stamp: str) -> float:
    try:
        return float(stamp)
    except ValueError:
        return 0.0
