"""Times of a calendar: a local time with the name of its zone on the wire, UTC inside."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.workspace.microsoft.graph.failures import refused
from bot.workspace.microsoft.records import Json, object_of

WINDOWS = {
    "utc": "UTC",
    "gmt standard time": "Europe/London",
    "greenwich standard time": "Atlantic/Reykjavik",
    "w. europe standard time": "Europe/Berlin",
    "central europe standard time": "Europe/Budapest",
    "central european standard time": "Europe/Warsaw",
    "romance standard time": "Europe/Paris",
    "e. europe standard time": "Europe/Chisinau",
    "fle standard time": "Europe/Kiev",
    "eastern standard time": "America/New_York",
    "central standard time": "America/Chicago",
    "mountain standard time": "America/Denver",
    "pacific standard time": "America/Los_Angeles",
    "india standard time": "Asia/Kolkata",
    "china standard time": "Asia/Shanghai",
    "tokyo standard time": "Asia/Tokyo",
    "aus eastern standard time": "Australia/Sydney",
}
"""Graph takes Windows' names as well as those of the IANA database."""


def zone(name: str) -> ZoneInfo:
    """Raises GraphRefused for a zone that does not exist."""
    try:
        return ZoneInfo(WINDOWS.get(name.lower(), name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        told = f"The time zone '{name}' is not supported."
        raise refused(400, "TimeZoneNotSupportedException", told) from None


def read(given: object) -> datetime:
    """A dateTimeTimeZone in UTC. Raises GraphRefused."""
    found = object_of(given)
    if found is None:
        raise refused(400, "ErrorInvalidRequest", "A time with its time zone is missing.")
    return parsed(str(found.get("dateTime", "")), str(found.get("timeZone") or "UTC"))


def parsed(text: str, zone_name: str = "UTC") -> datetime:
    """An offset in the text wins over the zone."""
    try:
        found = datetime.fromisoformat(_shortened(text))
    except ValueError:
        told = f"Cannot convert the literal '{text}' to the expected type 'Edm.DateTimeOffset'."
        raise refused(400, "RequestBodyRead", told) from None
    if found.tzinfo is None:
        found = found.replace(tzinfo=zone(zone_name))
    return found.astimezone(UTC)


def _shortened(text: str) -> str:
    """Graph writes seven decimals of a second, Python reads six."""
    head, mark, rest = text.partition(".")
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    return f"{head}{mark}{digits[:6]}{rest[len(digits) :]}"


def written(at: datetime, zone_name: str = "UTC") -> Json:
    """As Graph answers in the zone that was preferred."""
    local = at.astimezone(zone(zone_name))
    return {"dateTime": local.strftime("%Y-%m-%dT%H:%M:%S.0000000"), "timeZone": zone_name}


def stamp(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def of_stamp(text: str) -> datetime:
    return datetime.fromisoformat(text)
