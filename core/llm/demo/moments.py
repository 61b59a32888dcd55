"""The quarters, months, years and days that a text speaks of."""

import re
from calendar import month_name, monthrange
from dataclasses import dataclass
from datetime import date, timedelta

_NAMED = ("first", "second", "third", "fourth")
_COUNTED = ("1st", "2nd", "3rd", "4th")
ORDINALS = {word: n for names in (_NAMED, _COUNTED) for n, word in enumerate(names, start=1)}
MONTHS = {
    name: number
    for number, full in enumerate(month_name)
    if full
    for name in (full.lower(), full[:3].lower(), full[:4].lower())
}
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_YEAR = r"(?:20\d\d)"
QUARTER = re.compile(
    rf"\b(?:(?P<y1>{_YEAR})[-/ ]?q(?P<q1>[1-4])"
    rf"|q(?P<q2>[1-4])(?:[-/ ]*(?:of )?(?P<y2>{_YEAR}))?"
    rf"|(?P<word>{'|'.join(ORDINALS)}) quarter(?: of)?(?: (?P<y3>{_YEAR}))?"
    r"|(?P<relative>this|current|last|previous) quarter)\b",
    re.IGNORECASE,
)
DAY = re.compile(
    rf"\b(?:(?P<y>{_YEAR})-(?P<m>\d\d)-(?P<d>\d\d)"
    rf"|(?P<d2>[0-3]?\d)(?:st|nd|rd|th)?\.? (?P<n2>{_MONTH})\.?,? (?P<y2>{_YEAR})"
    rf"|(?P<n3>{_MONTH})\.? (?P<d3>[0-3]?\d)(?:st|nd|rd|th)?,? (?P<y3>{_YEAR}))\b",
    re.IGNORECASE,
)
_NAMED_MONTH = re.compile(rf"\b(?P<name>{_MONTH})\b\.?(?:,? (?P<year>{_YEAR}))?", re.IGNORECASE)
_ISO_MONTH = re.compile(rf"\b(?P<year>{_YEAR})-(?P<month>0[1-9]|1[0-2])\b(?!-)")
_TODAY = re.compile(r"Today is \w+, (?P<day>\d{1,2}) (?P<month>\w+) (?P<year>\d{4})")
EVERYTHING = re.compile(
    rf"{QUARTER.pattern}|{_YEAR}-\d\d(?:-\d\d)?|\b(?:(?:in|since|until|from|during) )?{_YEAR}\b"
    r"|\b(?:this|last|previous) (?:month|year|week)\b",
    re.IGNORECASE,
)
"""Whatever is a time and not a name; to take it out of a text."""


@dataclass(frozen=True, slots=True, order=True)
class Quarter:
    year: int
    number: int
    is_year_said: bool = False

    @property
    def first(self) -> date:
        return date(self.year, 3 * self.number - 2, 1)

    @property
    def last(self) -> date:
        return _month_end(self.year, 3 * self.number)


def today(system: str) -> date | None:
    """The day that the system message names."""
    found = _TODAY.search(system)
    if found is None or found["month"].lower() not in MONTHS:
        return None
    return date(int(found["year"]), MONTHS[found["month"].lower()], int(found["day"]))


def quarters(text: str, now: date | None) -> list[Quarter]:
    """The quarters in order, each once. A year that is not said is the text's only year, else
    the last one in which the quarter has begun."""
    said = years(text, now)
    found: dict[tuple[int, int], Quarter] = {}
    for match in QUARTER.finditer(text):
        quarter = _quarter(match, said, now)
        found.setdefault((quarter.year, quarter.number), quarter)
    return list(found.values())


def kinds(text: str) -> list[str]:
    """The words for the times that the text speaks of: `quarter`, `month`, `year`."""
    found = {"quarter": quarters(text, None), "month": months(text, None), "year": years(text)}
    said = [word for word, times in found.items() if times]
    return said + [w for w in found if re.search(rf"\b(?:this|last|previous) {w}\b", text, re.I)]


def years(text: str, now: date | None = None) -> list[int]:
    """The years in order, each once; “last year” where the day is known."""
    found = [int(y) for y in re.findall(rf"\b{_YEAR}(?=\b|q|Q)", text)]
    if now is not None:
        found += [now.year - 1] if re.search(r"\b(?:last|previous) year\b", text, re.I) else []
        found += [now.year] if re.search(r"\bthis year\b", text, re.IGNORECASE) else []
    return list(dict.fromkeys(found))


def months(text: str, now: date | None) -> list[tuple[int, int]]:
    """(year, month) in order. `may` and `march` count in lower case only beside a year."""
    found: list[tuple[int, int]] = [
        (int(m["year"]), int(m["month"])) for m in _ISO_MONTH.finditer(text)
    ]
    year = years(text)[0] if years(text) else 0
    for match in _NAMED_MONTH.finditer(text):
        name = match["name"]
        if name in {"may", "march", "mar", "dec", "sep", "jan"} and not match["year"]:
            continue
        number = MONTHS[name.lower()]
        found.append((int(match["year"] or year or _begun(number, now)), number))
    if now is not None and re.search(r"\b(last|previous) month\b", text, re.IGNORECASE):
        before = now.replace(day=1) - timedelta(days=1)
        found.append((before.year, before.month))
    if now is not None and re.search(r"\bthis month\b", text, re.IGNORECASE):
        found.append((now.year, now.month))
    return list(dict.fromkeys(found))


def days(text: str) -> list[date]:
    found: list[date] = []
    for m in DAY.finditer(text):
        year = int(m["y"] or m["y2"] or m["y3"])
        name = m["n2"] or m["n3"]
        month = MONTHS[name.lower()] if name else int(m["m"])
        number = int(m["d"] or m["d2"] or m["d3"])
        if 1 <= month <= 12 and 1 <= number <= monthrange(year, month)[1]:
            found.append(date(year, month, number))
    return found


def period(text: str, now: date | None) -> tuple[date | None, date | None]:
    """First and last day of the time that the text speaks of; None where it is open."""
    spans = [(d, d) for d in days(text)]
    spans = spans or [(q.first, q.last) for q in quarters(text, now)]
    spans = spans or [(date(y, m, 1), _month_end(y, m)) for y, m in months(text, now)]
    spans = spans or [(date(y, 1, 1), date(y, 12, 31)) for y in years(text, now)]
    if not spans:
        return None, None
    first, last = min(spans)[0], max(spans)[1]
    if re.search(r"\b(since|after|from)\b", text, re.IGNORECASE) and len(spans) == 1:
        return first, None
    if re.search(r"\b(until|before|up to)\b", text, re.IGNORECASE) and len(spans) == 1:
        return None, last
    return first, last


def write_quarter(quarter: Quarter, sample: str) -> str:
    """The quarter in the notation that `sample` (a pattern, an example, a description) shows."""
    if re.search(r"(?:\d{4}|\bY{4}|\\d\{4\})\s*-\s*\(?Q", sample, re.IGNORECASE):
        return f"{quarter.year}-Q{quarter.number}"
    if re.search(r"(?:\d{4}|\bY{4}|\\d\{4\})\s?\(?Q", sample, re.IGNORECASE):
        return f"{quarter.year}Q{quarter.number}"
    if re.search(r"Q\[?[1-4n][-1-4]*\]?[ -](?:\d{4}|Y{4}|\\d\{4\})", sample, re.IGNORECASE):
        return f"Q{quarter.number} {quarter.year}"
    return f"Q{quarter.number}"


def _quarter(match: re.Match[str], said: list[int], now: date | None) -> Quarter:
    if match["relative"] and now is not None:
        number = (now.month + 2) // 3
        if match["relative"].lower() in {"this", "current"}:
            return Quarter(now.year, number, True)
        return Quarter(now.year, number - 1, True) if number > 1 else Quarter(now.year - 1, 4, True)
    number = int(match["q1"] or match["q2"] or ORDINALS.get((match["word"] or "").lower(), 4))
    year = int(match["y1"] or match["y2"] or match["y3"] or 0) or (said[0] if said else 0)
    return Quarter(year or _begun(3 * number - 2, now), number, bool(year))


def _begun(month: int, now: date | None) -> int:
    if now is None:
        return 0
    return now.year if month <= now.month else now.year - 1


def _month_end(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])
