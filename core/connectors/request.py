"""What Graph is asked and answers, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

from core.records import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What Graph is asked for. `path` follows the version and is encoded by its maker."""

    method: str = "GET"
    path: str
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Json | None = None
    content: bytes | None = None
    """Sent as it is, in place of a body."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    id: str = ""
    """Goes along as `client-request-id`, so that Microsoft's support can find it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    body: Json
    """Empty where the answer holds no JSON object."""
    request_id: str = ""
    location: str = ""


def objects(value: Any) -> list[Json]:
    """The JSON objects of a list; nothing of anything else."""
    listed = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("Json", one) for one in listed if isinstance(one, dict)]


def part(value: Any, *path: str) -> Any:
    """What stands at a path through objects; None where nothing does."""
    for name in path:
        if not isinstance(value, dict):
            return None
        value = cast("Json", value).get(name)
    return value


def text(value: Any, *path: str) -> str:
    """As `part`, where it is a text; else empty."""
    found = part(value, *path)
    return found if isinstance(found, str) else ""


def is_below(address: str, base: str) -> bool:
    """Whether the address is one of the base's own, however it is spelled."""
    here, there = urlsplit(base), urlsplit(address)
    is_same = (here.scheme, here.netloc) == (there.scheme, there.netloc)
    return is_same and address.startswith(f"{base}/") and "/.." not in there.path
