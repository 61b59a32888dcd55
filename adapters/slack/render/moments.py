"""Reads and writes a moment as tools want it, between ISO 8601 and Slack's picker."""

from datetime import UTC, datetime


def read(text: str) -> datetime | None:
    """None for what names no moment: no date and time, or one without an offset from UTC, of
    which the picker would make another."""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return found if found.tzinfo is not None else None


def written(seconds: int, before: str) -> str:
    """The picked moment, in the offset of the one that it stands for; else in UTC."""
    was = read(before)
    zone = UTC if was is None else was.tzinfo
    return datetime.fromtimestamp(seconds, zone).isoformat()


def is_same(seconds: int, before: str) -> bool:
    """Whether the picker shows what was there; it knows no seconds."""
    was = read(before)
    return was is not None and int(was.timestamp()) // 60 == seconds // 60
