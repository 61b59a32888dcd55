"""The arguments of a Web API call, read from whichever form the client chose."""

import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from bot.workspace.slack.checks import Refusal
from bot.workspace.slack.records import Json

TREES: Mapping[str, str] = {
    "attachments": "invalid_attachments",
    "blocks": "invalid_blocks_format",
    "chunks": "invalid_chunks",
    "files": "invalid_arguments",
    "loading_messages": "invalid_arguments",
    "metadata": "invalid_metadata_format",
    "prompts": "invalid_arguments",
    "view": "invalid_arguments",
}
"""Arguments that are JSON, also inside a form, with the refusal of one that does not parse."""


def read(query: Iterable[tuple[str, str]], content_type: str, body: bytes) -> Json:
    """Query and body in one. Raises Refusal `invalid_json` or the argument's own."""
    args: Json = dict(query)
    if content_type == "application/json" and body:
        try:
            given: Any = json.loads(body)
        except ValueError as error:
            raise Refusal("invalid_json") from error
        if not isinstance(given, dict):
            raise Refusal("json_not_object")
        args |= given
    elif body and content_type == "application/x-www-form-urlencoded":
        args |= dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    for name, code in TREES.items():
        if isinstance(args.get(name), str):
            args[name] = _tree(args[name], code)
    return args


def _tree(text: str, code: str) -> Any:
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError as error:
        raise Refusal(code) from error


def needed(args: Json, name: str) -> str:
    """Raises Refusal `invalid_arguments` when it is missing."""
    value = args.get(name)
    if value is None or value == "":
        raise missing(name)
    return str(value)


def missing(name: str) -> Refusal:
    sentence = f"[ERROR] missing required field: {name}"
    return Refusal("invalid_arguments", response_metadata={"messages": [sentence]})


def flag(args: Json, name: str, default: bool = False) -> bool:
    value = args.get(name)
    return default if value is None else value in (True, 1, "1", "true", "True")


def whole(args: Json, name: str, default: int) -> int:
    """Raises Refusal `invalid_arguments` for something that is no number."""
    value = args.get(name)
    if value is None or value == "":
        return default
    try:
        return int(value)
    except (TypeError, ValueError) as error:
        raise Refusal("invalid_arguments") from error


def page(rows: list[Json], args: Json, most: int, default: int) -> tuple[list[Json], str]:
    """One page of the rows with the cursor of the next, empty on the last. Raises Refusal
    `invalid_limit` or `invalid_cursor`."""
    limit = whole(args, "limit", default)
    if not 0 < limit <= most:
        raise Refusal("invalid_limit")
    cursor = str(args.get("cursor") or "next:0")
    if not cursor.removeprefix("next:").isdigit():
        raise Refusal("invalid_cursor")
    start = int(cursor.removeprefix("next:"))
    following = f"next:{start + limit}" if start + limit < len(rows) else ""
    return rows[start : start + limit], following
