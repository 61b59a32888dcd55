"""The days and hours that a text speaks of, as seen from today."""

import re
from calendar import day_name
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from core.llm.demo import moments

_DAYS = {name.lower(): number for number, name in enumerate(day_name)}
_WEEKDAY = re.compile(rf"\b(?:next )?(?P<day>{'|'.join(_DAYS)})\b", re.IGNORECASE)
_NEAR = {"today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "tomorrow": 1}
_NEAR_DAY = re.compile(rf"\b(?:{'|'.join(_NEAR)}|yesterday)\b", re.IGNORECASE)
_WEEK = re.compile(r"\b(this|next|last) week\b", re.IGNORECASE)
_YEARLESS = re.compile(
    rf"\b(?:(?P<d1>[0-3]?\d)(?:st|nd|rd|th)?\.? (?:of )?(?P<n1>{'|'.join(moments.MONTHS)})"
    rf"|(?P<n2>{'|'.join(moments.MONTHS)})\.? (?P<d2>[0-3]?\d)(?:st|nd|rd|th)?)\b(?! ?:)",
    re.IGNORECASE,
)
_HOUR = re.compile(
    r"\b(?:(?:at|from|around|by|@)\s*)?(?P<hour>[01]?\d|2[0-3])"
    r"(?:(?::|\.|h)(?P<minute>[0-5]\d))?\s*(?P<half>[ap]\.?m\b\.?|o['’]clock\b)?",
    re.IGNORECASE,
)
_SHARED_HALF = re.compile(r"\b(\d{1,2})\s*(?:-|–|to)\s*(\d{1,2})\s*([ap])\.?m\b", re.IGNORECASE)
"""“2-3pm”: the first hour has no half of its own."""
_RANGE = re.compile(
    r"\b(?:from\s+)?\d{1,2}(?:[:.h]\d\d)?\s*(?:[ap]m)?\s*(?:-|–|to|until|till)\s*"
    r"\d{1,2}(?:[:.h]\d\d)?\s*(?:[ap]m\b)?(?![\w-])",
    re.IGNORECASE,
)
_NOON = re.compile(r"\b(?:noon|midday)\b", re.IGNORECASE)
_UNTIL = re.compile(r"(?:\s*(?:-|–|to|until|till)\s*)$", re.IGNORECASE)
_LENGTH = re.compile(
    r"\b(?:for\s+)?(?P<number>\d{1,3}|an?|one|two|half an|three)[\s-]*"
    r"(?P<unit>minutes?|mins?|min|hours?|hrs?|h)\b",
    re.IGNORECASE,
)
_NUMBERS = {"a": 1.0, "an": 1.0, "one": 1.0, "two": 2.0, "three": 3.0, "half an": 0.5}
USUAL = timedelta(minutes=30)
"""How long a meeting is when nobody says."""
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Span:
    start: datetime
    end: datetime
    has_hour: bool
    """Whether an hour was said; without one it is whole days."""


def span(text: str, now: date | None) -> Span | None:
    """The time that the text speaks of; None where it speaks of none, or nobody knows today."""
    if now is None:
        return None
    first, last = _days(text, now)
    text = _SHARED_HALF.sub(r"\1\3m - \2\3m", text)
    hours = _hours(_LENGTH.sub(" ", _without_days(text)))
    if not hours:
        return Span(_at(first), _at(last, time(23, 59)), False) if first and last else None
    start = datetime.combine(first or now, hours[0])
    end = datetime.combine(first or now, hours[1]) if len(hours) > 1 else start + _length(text)
    return Span(start, end if end > start else start + USUAL, True)


def ahead(now: date) -> Span:
    """Today and the week that follows."""
    return Span(_at(now), _at(now) + WEEK, False)


def written(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M}"


def without_times(text: str) -> str:
    """The text without its days, hours and lengths."""
    bare = _RANGE.sub(" ", _LENGTH.sub(" ", _without_days(text)))
    for found in reversed(list(_HOUR.finditer(bare))):
        if _is_hour(found):
            bare = bare[: found.start()] + bare[found.end() :]
    bare = _NOON.sub(" ", bare)
    # A preposition that nothing follows any more.
    return " ".join(
        re.sub(r"(?i)\b(?:on|at|for|by|from)\s*(?=$|[,.]|(?:with|about|on)\b)", " ", bare).split()
    )


def _at(day: date | None, hour: time = time(0)) -> datetime:
    return datetime.combine(day or date.min, hour)


def _without_days(text: str) -> str:
    for pattern in (_NEAR_DAY, _WEEK, _WEEKDAY, moments.DAY, _YEARLESS):
        text = pattern.sub(" ", text)
    return text


def _days(text: str, now: date) -> tuple[date | None, date | None]:
    """First and last day."""
    if said := moments.days(text):
        return min(said), max(said)
    if near := _NEAR_DAY.search(text):
        day = now + timedelta(days=_NEAR.get(near.group().lower(), -1))
        return day, day
    if week := _WEEK.search(text):
        shift = {"this": 0, "next": 7, "last": -7}[week[1].lower()]
        monday = now - timedelta(days=now.weekday() - shift)
        return monday, monday + timedelta(days=6)
    if named := _WEEKDAY.search(text):
        wait = (_DAYS[named["day"].lower()] - now.weekday()) % 7
        day = now + timedelta(days=wait or 7)
        return day, day
    return _yearless(text, now)


def _yearless(text: str, now: date) -> tuple[date | None, date | None]:
    for found in _YEARLESS.finditer(text):
        month = moments.MONTHS[(found["n1"] or found["n2"]).lower()]
        try:
            day = date(now.year, month, int(found["d1"] or found["d2"]))
            day = day if day >= now else day.replace(year=now.year + 1)
        except ValueError:
            continue
        return day, day
    return None, None


def _is_hour(found: re.Match[str]) -> bool:
    """A bare number is no hour: “at 10”, “10:30” and “3pm” are."""
    is_led = bool(re.match(r"(?i)(?:at|from|around|by|@)\s*\d", found.group()))
    return is_led or bool(found["minute"] or found["half"])


def _hours(text: str) -> list[time]:
    """The first hour, and the one up to which it lasts where the text says so."""
    hours: list[time] = [time(12)] if _NOON.search(text) else []
    end = -1
    for found in _HOUR.finditer(text):
        is_end = len(hours) == 1 and end >= 0 and bool(_UNTIL.fullmatch(text[end : found.start()]))
        if not _is_hour(found) and not is_end:
            continue
        if hours and not is_end:
            break
        hours.append(_hour(found))
        end = found.end()
    if len(hours) == 2 and hours[1] < hours[0] and hours[1].hour < 12:
        hours[1] = hours[1].replace(hour=hours[1].hour + 12)
    return hours[:2]


def _hour(found: re.Match[str]) -> time:
    hour, half = int(found["hour"]), (found["half"] or "").lower()
    if half.startswith("p") and hour < 12:
        hour += 12
    if half.startswith("a") and hour == 12:
        hour = 0
    return time(hour, int(found["minute"] or 0))


def _length(text: str) -> timedelta:
    found = _LENGTH.search(text)
    if found is None:
        return USUAL
    number = _NUMBERS.get(found["number"].lower()) or float(found["number"] or 0)
    is_hours = found["unit"].lower().startswith("h")
    return timedelta(minutes=min(number * 60 if is_hours else number, 1440)) or USUAL
