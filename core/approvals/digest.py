"""Binds what is shown to what is run: canonical arguments, and a digest over all that counts."""

import hashlib
import json
from typing import Any, cast

from core.cards import CallId
from core.errors import BadArguments
from core.parked import ParkedCall
from core.records import Json, TurnId


def canonical(arguments: Json) -> Json:
    """The arguments as they are stored, digested and run: plain JSON, without what a database
    would change. Raises BadArguments."""
    try:
        text = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise BadArguments("the arguments hold something that JSON cannot") from None
    return cast("Json", json.loads(text.encode("utf-8", "replace")))


def digest(call: ParkedCall) -> str:
    """SHA-256 in hexadecimal over what will be done, by whose right, in which revision."""
    return _sha256(
        [
            call.tool,
            call.tool_digest,
            call.arguments,
            call.facts,
            call.authority,
            call.id,
            call.revision,
        ]
    )


def is_intact(call: ParkedCall) -> bool:
    """Whether the row still holds what its digest says."""
    return call.digest == digest(call)


def ask(tool: str, arguments: Json, instead_of: str = "") -> str:
    """What makes two calls of one turn the same call. `instead_of`: the call that a person had
    prepared again; it is meant to be a second one."""
    return _sha256([tool, arguments, instead_of])


def call_id(turn: TurnId, *parts: object) -> CallId:
    """The same when a round is run again after a crash."""
    return CallId(f"c_{_sha256([turn, *parts])[:20]}")


def _sha256(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
