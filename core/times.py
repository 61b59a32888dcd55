"""Moments as people read them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def zone(name: str) -> ZoneInfo:
    """The time zone of this IANA name; UTC where there is none of it."""
    try:
        return ZoneInfo(name)
    # OSError: the name of a folder of zones, such as `Europe`.
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def local(moment: float, zone_name: str) -> datetime:
    """The moment, in seconds since the epoch, by the clocks of that zone."""
    return datetime.fromtimestamp(moment, UTC).astimezone(zone(zone_name))
