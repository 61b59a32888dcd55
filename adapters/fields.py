"""Typed reading of the loosely typed objects that chat platforms send."""

from typing import Any, cast

from core.records import Json


def text(of: Json, key: str) -> str:
    """The string under `key`, an empty one where there is none or it is something else."""
    value: Any = of.get(key)
    return value if isinstance(value, str) else ""


def number(of: Json, key: str) -> int:
    value: Any = of.get(key)
    return value if isinstance(value, int) else 0


def child(of: Json, key: str) -> Json:
    value: Any = of.get(key)
    return cast(Json, value) if isinstance(value, dict) else {}


def children(of: Json, key: str) -> list[Json]:
    """The objects of the list under `key`; whatever in it is no object is left out."""
    value: Any = of.get(key)
    if not isinstance(value, list):
        return []
    return [cast(Json, item) for item in cast(list[Any], value) if isinstance(item, dict)]
