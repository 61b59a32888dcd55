"""Reads what a foreign server says that it used: the `countersign/usage` of a result's `_meta`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from core.capabilities import shapes
from core.records import Usage

USAGE = "countersign/usage"

_MOST = 50
_MOST_UNITS = 1_000_000_000

Kind = Literal["chat", "embedding", "vision", "ocr", "image"]
_KINDS: tuple[Kind, ...] = ("chat", "embedding", "vision", "ocr", "image")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedUse:
    """One use that a server reports of itself. It goes to the ledger marked as reported."""

    model: str
    provider: str = ""
    kind: Kind = "chat"
    usage: Usage


def reported(meta: Mapping[str, Any] | None) -> tuple[ReportedUse, ...]:
    """The uses of `{"countersign/usage": [{model, provider?, kind?, input_tokens, …}]}`. An entry
    without a model is left out, and so is a number that is none."""
    uses: list[ReportedUse] = []
    for entry in shapes.listing((meta or {}).get(USAGE))[:_MOST]:
        given = shapes.mapping(entry)
        model = given.get("model")
        if isinstance(model, str) and model:
            uses.append(
                ReportedUse(
                    model=model[:128],
                    provider=str(given.get("provider") or "")[:64],
                    kind=_kind(given),
                    usage=Usage(
                        input_tokens=_units(given, "input_tokens"),
                        cached_tokens=_units(given, "cached_tokens"),
                        cache_write_tokens=_units(given, "cache_write_tokens"),
                        output_tokens=_units(given, "output_tokens"),
                        reasoning_tokens=_units(given, "reasoning_tokens"),
                        pages=_units(given, "pages"),
                        images=_units(given, "images"),
                    ),
                )
            )
    return tuple(uses)


def _kind(given: Mapping[str, Any]) -> Kind:
    known: list[Kind] = [kind for kind in _KINDS if kind == given.get("kind")]
    return known[0] if known else "chat"


def _units(given: Mapping[str, Any], key: str) -> int:
    value = given.get(key, 0)
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return min(max(value, 0), _MOST_UNITS)
