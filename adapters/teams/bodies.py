"""Reads the bytes of a delivery as an activity, whoever sent them."""

import json
from typing import Any, cast

from core.records import Json

DEEPEST = 64


def read(raw: bytes) -> Json | None:
    """The object; None for what is none, has no type, or is nested beyond reason."""
    try:
        found: Any = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    # What has few brackets cannot be deep.
    may_be_deep = raw.count(b"{") + raw.count(b"[") > DEEPEST
    if not isinstance(found, dict) or (may_be_deep and not _is_shallow(found)):
        return None
    activity = cast(Json, found)
    kind = activity.get("type")
    return activity if isinstance(kind, str) and kind else None


def _is_shallow(value: Any) -> bool:
    rest: list[tuple[Any, int]] = [(value, 1)]
    while rest:
        one, depth = rest.pop()
        if depth > DEEPEST:
            return False
        if isinstance(one, dict):
            rest += [(inner, depth + 1) for inner in cast(Json, one).values()]
        elif isinstance(one, list):
            rest += [(inner, depth + 1) for inner in cast("list[Any]", one)]
    return True
