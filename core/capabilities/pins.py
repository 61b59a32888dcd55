"""The pin of a tool: a digest over everything of it that a model, the policy or an approved call
goes by."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from core.records import Tool


class Pins(Protocol):
    """Where accepted digests are kept."""

    async def pinned(self) -> Mapping[str, str]:
        """Tool key (`server/name`) -> the digest that was accepted."""
        ...

    async def accept(self, key: str, digest: str, by: str, at: float, listing: str = "") -> None:
        """Let this digest stand for the tool from now on. `by` is a person id, or
        `first contact`; `at` in seconds since the epoch; `listing` is what was accepted, kept to
        say what has changed when it does."""
        ...

    async def listing(self, key: str) -> str:
        """What was accepted last; empty where that was not kept."""
        ...


def digest(
    name: str,
    description: str,
    schema: Mapping[str, Any],
    tags: Iterable[str],
    *,
    is_idempotent: bool,
) -> str:
    """SHA-256 in hex over the canonical JSON of the five; the order of keys and tags is nothing."""
    canonical = json.dumps(
        [name, description, schema, sorted(tags), is_idempotent],
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=True,
    )
    return hashlib.sha256(canonical.encode()).hexdigest()


def as_listing(tool: Tool) -> str:
    """What is accepted of a tool, as text that `of_listing` reads."""
    return json.dumps(
        {
            "server": tool.server,
            "name": tool.name,
            "description": tool.description,
            "schema": tool.schema,
            "tags": sorted(tool.tags),
            "is_idempotent": tool.is_idempotent,
        }
    )


def of_listing(listing: str) -> Tool | None:
    """The tool as it was accepted; None where that was not kept."""
    if not listing:
        return None
    kept: dict[str, Any] = json.loads(listing)
    kept["tags"] = frozenset(kept["tags"])
    return Tool(**kept)


def is_first_contact(server: str, pinned: Mapping[str, str]) -> bool:
    """Whether nothing of this server has ever been accepted."""
    return not any(key.partition("/")[0] == server for key in pinned)


def standing(tools: Iterable[Tool], pinned: Mapping[str, str], *, trusted: bool) -> dict[str, str]:
    """The digests that stand for these tools: their own for a trusted server, else the pins."""
    if trusted:
        return {tool.key: tool.digest for tool in tools}
    return {tool.key: pinned[tool.key] for tool in tools if tool.key in pinned}
