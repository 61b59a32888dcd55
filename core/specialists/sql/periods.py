"""The days that "today" and "last month" mean to a person, by their own clock."""

from collections.abc import Mapping
from datetime import date, timedelta

from core.times import local


def today(now: float, time_zone: str) -> date:
    """`now` is in seconds since the epoch, `time_zone` an IANA name."""
    return local(now, time_zone).date()


def periods(day: date) -> Mapping[str, date]:
    """First and last days by name: `last_month_first`, `this_quarter_last`, `today`, …"""
    month = day.replace(day=1)
    quarter = date(day.year, 3 * ((day.month - 1) // 3) + 1, 1)
    year = date(day.year, 1, 1)
    monday = day - timedelta(days=day.weekday())
    before_month = (month - timedelta(days=1)).replace(day=1)
    before_quarter = _months_on(quarter, -3)
    spans = {
        "this_week": (monday, monday + timedelta(days=6)),
        "last_week": (monday - timedelta(days=7), monday - timedelta(days=1)),
        "this_month": (month, _months_on(month, 1) - timedelta(days=1)),
        "last_month": (before_month, month - timedelta(days=1)),
        "this_quarter": (quarter, _months_on(quarter, 3) - timedelta(days=1)),
        "last_quarter": (before_quarter, quarter - timedelta(days=1)),
        "this_year": (year, date(day.year, 12, 31)),
        "last_year": (date(day.year - 1, 1, 1), date(day.year - 1, 12, 31)),
    }
    found = {"today": day, "yesterday": day - timedelta(days=1)}
    for name, (first, last) in spans.items():
        found |= {f"{name}_first": first, f"{name}_last": last}
    return found


def filled(sql: str, day: date) -> str:
    """A verified query with `{last_month_first}` and the like as days: `2026-10-01`."""
    for name, value in periods(day).items():
        sql = sql.replace(f"{{{name}}}", value.isoformat())
    return sql


def in_words(day: date, time_zone: str) -> str:
    """What a model has to know to write days out."""
    found = periods(day)
    spans = "; ".join(
        f"{name.replace('_', ' ')} is {found[f'{name}_first']} to {found[f'{name}_last']}"
        for name in ("this_week", "last_week", "last_month", "last_quarter", "last_year")
    )
    return f"Today is {day:%A}, {day} ({time_zone}). {spans[:1].upper()}{spans[1:]}."


def _months_on(first: date, months: int) -> date:
    count = first.year * 12 + first.month - 1 + months
    return date(count // 12, count % 12 + 1, 1)
