"""Reads what somebody wants to see of the ledger: `usage 7d by model of person:U…`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import cast, get_args

from core.storage.usage import Dimension, Filter
from core.times import local, zone

RANGES = ("today", "7d", "30d", "month", "thread")
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
_ALIASES = {"channel": "place", "channels": "place", "people": "person", "persons": "person"}
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
USAGE = (
    "Write `usage`, then what you want: `today`, `7d`, `30d`, `month`, `thread`, or two days as"
    " `2026-11-01 2026-11-30`; `by person`, `by channel`, `by model`, `by tool`, `by purpose`,"
    " `by day`; `of` a person, `#channel`, model or tool; `csv`; `mine`."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to be shown. Times are seconds since the epoch."""

    label: str = "today"
    since: float = 0.0
    until: float | None = None
    by: Dimension | None = None
    only: Filter = field(default_factory=Filter)
    is_csv: bool = False
    is_mine: bool = False

    def words(self, **changed: object) -> str:
        """The command that asks for this, with something else: `by=`, `label=`, `only=`, …"""
        by = cast("Dimension | None", changed.get("by", self.by))
        only = cast(Filter, changed.get("only", self.only))
        parts = ["usage", str(changed.get("label", self.label))]
        parts += [f"by {'channel' if by == 'place' else by}"] if by else []
        parts += [f"of {name}:{word}" for name, word in only._asdict().items() if word]
        parts += ["mine"] if changed.get("is_mine", self.is_mine) else []
        parts += ["csv"] if changed.get("is_csv") else []
        return " ".join(parts)


Named = Callable[[str], tuple[str, str] | None]
"""What somebody means by a word after `of`: a field of `Filter` and its value."""


def read(words: Sequence[str], *, now: float, time_zone: str, named: Named) -> Asked | None:
    """What the words after `usage` ask for; None where they are something else."""
    label, days, found = "", list[str](), dict[str, object]()
    only = Filter()
    rest = [word for word in words if word.lower() not in ("for", "the", "in", "last")]
    while rest:
        word = rest.pop(0).lower()
        if word in RANGES and not label:
            label = word
        elif _DAY.fullmatch(word) and len(days) < 2:
            days.append(word)
        elif word in ("csv", "mine"):
            found[f"is_{word}"] = True
        elif word == "by" and rest:
            by = _ALIASES.get(rest[0].lower(), rest[0].lower())
            if by not in DIMENSIONS:
                return None
            found["by"] = by
            rest.pop(0)
        elif word == "of" and rest:
            meant = named(rest.pop(0))
            if meant is None:
                return None
            only = only._replace(**{meant[0]: meant[1]})
        else:
            return None
    span = _span(label or "today", days, now, time_zone)
    if span is None:
        return None
    return Asked(label=span[0], since=span[1], until=span[2], only=only, **found)  # pyright: ignore[reportArgumentType]


def _span(
    label: str, days: Sequence[str], now: float, time_zone: str
) -> tuple[str, float, float | None] | None:
    """By the clocks of the person who asks."""
    midnight = local(now, time_zone).replace(hour=0, minute=0, second=0, microsecond=0)
    match label:
        case _ if days:
            return _between(days, time_zone)
        case "7d":
            since = midnight - timedelta(days=6)
        case "30d":
            since = midnight - timedelta(days=29)
        case "month":
            since = midnight.replace(day=1)
        case _:
            since = midnight
    return label, since.timestamp(), None


def _between(days: Sequence[str], time_zone: str) -> tuple[str, float, float] | None:
    try:
        ends = [datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=zone(time_zone)) for day in days]
    except ValueError:
        return None
    first, last = min(ends), max(ends)
    after = (last + timedelta(days=1)).timestamp()
    return " ".join(sorted(set(days))), first.timestamp(), after
