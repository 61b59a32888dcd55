"""Times of a calendar in the zone of the person who asks."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from core.connectors.request import text
from core.errors import BadArguments
from core.records import Json

MOST_DAYS = 62
"""What Graph answers about at once."""


def zone(name: str) -> ZoneInfo:
    """Raises BadArguments for a zone that does not exist."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadArguments(
            f"there is no time zone {name!r}; write one like Europe/Berlin"
        ) from None


def local(written: str, name: str) -> datetime:
    """An ISO 8601 time; without an offset it is one of the zone. Raises BadArguments, also for a
    time that the clocks leave out when they are put forward."""
    try:
        found = datetime.fromisoformat(written.strip())
    except ValueError:
        raise BadArguments(f"{written!r} is not a time like 2026-10-06T14:30") from None
    if found.tzinfo is not None:
        return found.astimezone(zone(name))
    there = found.replace(tzinfo=zone(name))
    if there.astimezone(UTC).astimezone(there.tzinfo).replace(tzinfo=None) != found:
        raise BadArguments(f"{written} does not exist in {name}: the clocks are put forward then")
    return there


def span(start: str, end: str, name: str) -> tuple[datetime, datetime]:
    """Raises BadArguments for an end that is not after its start."""
    begin, finish = local(start, name), local(end, name)
    if finish.astimezone(UTC) <= begin.astimezone(UTC):
        raise BadArguments("the end must be after the start")
    return begin, finish


def asked_span(start: str, end: str, name: str) -> tuple[datetime, datetime]:
    """As `span`, no longer than Graph answers about."""
    begin, finish = span(start, end, name)
    if finish - begin > timedelta(days=MOST_DAYS):
        raise BadArguments(f"ask about at most {MOST_DAYS} days at once")
    return begin, finish


def written(at: datetime) -> Json:
    """As Graph takes it: in UTC, so that no name of a zone can be misunderstood."""
    return {"dateTime": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S"), "timeZone": "UTC"}


def read(given: Json, name: str) -> datetime:
    """A dateTimeTimeZone that was asked for in UTC. Graph writes seven decimals, Python reads
    six."""
    stamp = text(given, "dateTime").partition(".")[0]
    return datetime.fromisoformat(stamp).replace(tzinfo=UTC).astimezone(zone(name))


def in_words(start: datetime, end: datetime) -> str:
    """`Tue 6 Oct 2026, 14:30 to 15:00 (Europe/Berlin)`."""
    is_same_day = start.date() == end.date()
    until = f"{end:%H:%M}" if is_same_day else f"{end:%a} {end.day} {end:%b %Y, %H:%M}"
    return f"{start:%a} {start.day} {start:%b %Y, %H:%M} to {until} ({start.tzinfo})"
