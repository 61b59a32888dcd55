"""The name by which a model calls a tool, for a world in which every provider has rules for
names."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from core.capabilities.servers import HOST
from core.records import Tool

LONGEST = 64
"""Characters: OpenAI's limit for a function's name, the smallest of the providers'."""
RESERVED = frozenset(("read_result",))


def aliases(tools: Iterable[Tool]) -> Mapping[str, Tool]:
    """Alias -> tool: `server_tool` in `[a-zA-Z0-9_-]`, at most 64 characters.

    Where that says less than the key does (it was cut, a character was replaced, two keys read
    the same), a part of the key's hash follows. It depends on the keys alone, never on the order
    in which servers connected. Policy and pins go by the key, never by an alias.
    """
    by_key = {tool.key: tool for tool in tools}
    named = {key: _name(tool) for key, tool in by_key.items()}
    seen = Counter(named.values())
    named = {
        key: name if name and seen[name] == 1 else _suffixed(by_key[key])
        for key, name in named.items()
    }
    # A tool may be named so that it reads like another one's suffixed alias.
    seen = Counter(named.values())
    return {
        (name if seen[name] == 1 else f"tool_{_hash(key)[:48]}"): by_key[key]
        for key, name in named.items()
    }


def _name(tool: Tool) -> str:
    """The readable alias, empty where it would say less than the key."""
    if tool.server == HOST:
        return tool.name
    name = f"{tool.server}_{tool.name}"
    is_faithful = re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_-]*", name) and len(name) <= LONGEST
    return name if is_faithful and name not in RESERVED else ""


def _suffixed(tool: Tool) -> str:
    name = re.sub(r"[^a-zA-Z0-9_-]+", "_", f"{tool.server}_{tool.name}")
    ending = f"_{_hash(tool.key)[:10]}"
    return f"{name[: LONGEST - len(ending)]}{ending}"


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
