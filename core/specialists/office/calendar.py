"""The tools that read calendars."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import Field

from core.connectors.calendar import times
from core.connectors.calendar.event import PREFERENCES
from core.connectors.office import link
from core.connectors.people import is_address
from core.connectors.request import Request, objects, text
from core.errors import BadArguments
from core.records import Json
from core.specialists.office.reader import Call, Reader, refused, table

Start = Annotated[str, Field(description="Like 2026-10-06T09:00, in the asking person's time.")]
End = Annotated[str, Field(description="Like 2026-10-06T18:00, in the asking person's time.")]
_MOST, _SLOTS = 200, 20
_DAY_BEGINS, _DAY_ENDS = 8, 18


@dataclass(frozen=True, slots=True)
class CalendarReading:
    reader: Reader

    async def list_events(self, call: Call, start: Start, end: End) -> CallToolResult:
        """The asking person's calendar between two times: what, when, where, with whom. Gives the
        event id that update_event and cancel_event need."""
        zone = await self.reader.zone_of(call)
        begin, finish = _span(start, end, zone)
        query = {
            "startDateTime": _stamp(begin),
            "endDateTime": _stamp(finish),
            "$top": "50",
            "$orderby": "start/dateTime",
        }
        request = Request(path="/me/calendarView", query=query, headers=PREFERENCES)
        found = await self.reader.items(call, "list_events", request, _MOST)
        rows = [_row(one, zone) for one in found]
        links = [(text(one, "subject"), link(one, "webLink")) for one in found]
        return table(f"{len(rows)} event(s), times in {zone}", rows, links)

    async def find_free_time(
        self,
        call: Call,
        people: Annotated[
            list[str],
            Field(min_length=1, max_length=20, description="Mail addresses of colleagues."),
        ],
        start: Start,
        end: End,
        minutes: Annotated[int, Field(ge=15, le=480)] = 30,
    ) -> CallToolResult:
        """When colleagues are free together, from 8 to 18 on weekdays in the asking person's time.
        Names have to be turned into addresses by find_people first; name the asking person, too."""
        if wrong := [one for one in people if not is_address(one)]:
            raise ToolError(f"{wrong[0]!r} is no mail address: ask find_people for it.")
        zone = await self.reader.zone_of(call)
        begin, finish = _span(start, end, zone)
        body: Json = {
            "schedules": people,
            "startTime": times.written(begin),
            "endTime": times.written(finish),
            "availabilityViewInterval": 30,
        }
        path = "/me/calendar/getSchedule"
        request = Request(method="POST", path=path, body=body, headers=PREFERENCES)
        found = await self.reader.values(call, "find_free_time", request)
        unknown = [text(one, "scheduleId") for one in found if one.get("error")]
        if unknown:
            raise ToolError(f"Microsoft shows no calendar of {', '.join(unknown)}.")
        busy = [span for one in found for span in _busy(one, zone)]
        free = list(_free(busy, begin, finish, timedelta(minutes=minutes)))[:_SLOTS]
        rows = [{"from": f"{a:%a %Y-%m-%d %H:%M}", "to": f"{b:%H:%M}"} for a, b in free]
        return table(f"{len(rows)} time(s) free for all, {zone}", rows, [])


def _span(start: str, end: str, zone: str) -> tuple[datetime, datetime]:
    try:
        return times.asked_span(start, end, zone)
    except BadArguments as fault:
        raise refused(fault) from None


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _row(event: Json, zone: str) -> Json:
    start, end = (times.read(event[name], zone) for name in ("start", "end"))
    guests = objects(event.get("attendees"))
    return {
        "when": times.in_words(start, end),
        "subject": text(event, "subject"),
        "place": text(event, "location", "displayName"),
        "organizer": text(event, "organizer", "emailAddress", "address"),
        "attendees": ", ".join(text(one, "emailAddress", "address") for one in guests),
        "event_id": text(event, "id"),
    }


def _busy(schedule: Json, zone: str) -> Iterator[tuple[datetime, datetime]]:
    for item in objects(schedule.get("scheduleItems")):
        if text(item, "status") != "free":
            yield times.read(item["start"], zone), times.read(item["end"], zone)


def _free(
    busy: Sequence[tuple[datetime, datetime]], begin: datetime, finish: datetime, least: timedelta
) -> Iterator[tuple[datetime, datetime]]:
    """What nobody has taken, within the working hours of the asker's days."""
    day = begin.replace(hour=0, minute=0, second=0, microsecond=0)
    while day < finish:
        at = max(begin, day.replace(hour=_DAY_BEGINS))
        until = min(finish, day.replace(hour=_DAY_ENDS))
        if day.weekday() < 5:
            for start, end in sorted(span for span in busy if span[0] < until and span[1] > at):
                if start - at >= least:
                    yield at, start
                at = max(at, end)
            if until - at >= least:
                yield at, until
        day += timedelta(days=1)
