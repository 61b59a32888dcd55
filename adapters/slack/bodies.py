"""Reads a verified body into one of the kinds of delivery that Slack sends."""

import json
from dataclasses import dataclass
from typing import Any, Literal, cast
from urllib.parse import parse_qsl

from core.records import Json

DEPTH = 64
"""How deeply a body may be nested."""
FORM_FIELDS = 200

Kind = Literal["ssl_check", "url_verification", "event", "interaction", "command", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    kind: Kind
    fields: Json


def read(content_type: str, raw: bytes) -> Body | None:
    """None where this is nothing that Slack sends: malformed, too deep, of another type.

    slack-bolt takes every form that contains the word `payload` for an interaction, and so loses
    commands whose text has it; here only a field of that name counts.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if content_type == "application/json":
        return _of_json(text)
    if content_type == "application/x-www-form-urlencoded":
        return _of_form(text)
    return None


def _of_json(text: str) -> Body | None:
    fields = _object(text)
    if fields is None:
        return None
    if fields.get("type") == "url_verification":
        is_complete = isinstance(fields.get("challenge"), str)
        return Body(kind="url_verification", fields=fields) if is_complete else None
    if fields.get("type") == "event_callback":
        is_complete = isinstance(fields.get("event"), dict)
        return Body(kind="event", fields=fields) if is_complete else None
    return Body(kind="other", fields=fields)


def _of_form(text: str) -> Body | None:
    try:
        fields = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=FORM_FIELDS))
    except ValueError:
        return None
    if "command" in fields:
        return Body(kind="command", fields=fields)
    if "payload" in fields:
        payload = _object(fields["payload"])
        return None if payload is None else Body(kind="interaction", fields=payload)
    if fields.get("ssl_check") == "1":
        return Body(kind="ssl_check", fields=fields)
    return None


def _object(text: str) -> Json | None:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or _is_deeper(cast(Json, value), DEPTH):
        return None
    return cast(Json, value)


def _is_deeper(value: Json, limit: int) -> bool:
    """Level by level, so that the nesting itself cannot exhaust the stack."""
    level: list[Any] = [value]
    for _ in range(limit):
        below: list[Any] = []
        for node in level:
            if isinstance(node, dict):
                below.extend(cast(Json, node).values())
            elif isinstance(node, list):
                below.extend(cast(list[Any], node))
        if not below:
            return False
        level = below
    return any(isinstance(node, dict | list) for node in level)
