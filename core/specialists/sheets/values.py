"""Reads numbers and days from how people write them."""

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

_CURRENCY = r"(?:kr\.?|dkk|sek|nok|eur|usd|gbp|chf|[€$£])"
_BEFORE = re.compile(rf"^{_CURRENCY}", re.IGNORECASE)
_AFTER = re.compile(rf"{_CURRENCY}$", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_BLANKS = str.maketrans("", "", "\u00a0\u202f\u2009 '’")
_NAMES = {
    1: "jan januar january janv janvier",
    2: "feb februar february févr février",
    3: "mar marts march märz mars",
    4: "apr april avr avril",
    5: "may maj mai",
    6: "jun juni june juin",
    7: "jul juli july juil juillet",
    8: "aug august août",
    9: "sep sept september septembre",
    10: "oct okt oktober october octobre",
    11: "nov november novembre",
    12: "dec dez december dezember déc décembre",
}
MONTHS = {word: number for number, words in _NAMES.items() for word in words.split()}
_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ][\d:.]+Z?)?")
_YEAR_LAST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?: [\d:.]+)?")
_DAY_MONTH = re.compile(r"(\d{1,2})\.?[ -]*([^\W\d_]{3,10})\.?[ ,-]*(\d{4}|\d{2})")
_MONTH_DAY = re.compile(r"([^\W\d_]{3,10})\.? (\d{1,2}),? (\d{4})")
_UNITS = {"kr": "kr", "kr.": "kr", "€": "EUR", "$": "USD", "£": "GBP"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A number as it stood there."""

    value: Decimal
    unit: str = ""
    """`%`, a currency, or nothing. A percentage's value is the fraction: 12.5 % is 0.125."""


def number(text: str, *, has_decimal_comma: bool) -> Written | None:
    """`(1.234,50 kr)` → -1234.50; None where it is no number."""
    bare = text.strip().translate(_BLANKS).replace("−", "-")
    is_negative = bare.startswith("(") and bare.endswith(")")
    bare = bare.strip("()")
    unit = ""
    for pattern in (_BEFORE, _AFTER):
        if found := pattern.search(bare):
            word = found[0].lower()
            unit, bare = _UNITS.get(word, word.upper()), pattern.sub("", bare)
    if bare.endswith("%"):
        unit, bare = "%", bare[:-1]
    if bare.endswith("-") and len(bare) > 1:
        bare = f"-{bare[:-1]}"
    bare = bare.replace(".", "").replace(",", ".") if has_decimal_comma else bare.replace(",", "")
    if not _NUMBER.fullmatch(bare):
        return None
    value = Decimal(bare)
    value = -value if is_negative else value
    return Written(value=value / 100 if unit == "%" else value, unit=unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Commas:
    """How the texts of a column write decimals."""

    is_decimal: bool
    is_ambiguous: bool
    """Nothing told: `1.234` alone can be both."""
    is_shown: bool = False
    """Some text leaves no doubt."""


def commas(texts: list[str]) -> Commas:
    """By the last separator of each text: what is followed by other than three digits, or comes
    after the other mark, is the decimal one."""
    as_comma = as_point = 0
    unclear = False
    for text in texts:
        bare = re.sub(r"[^\d.,]", "", text)
        if re.search(r"\.\d{3},", bare) or re.search(r",(?:\d{1,2}|\d{4,})$", bare):
            as_comma += 1
        elif re.search(r",\d{3}\.", bare) or re.search(r"\.(?:\d{1,2}|\d{4,})$", bare):
            as_point += 1
        elif re.search(r"[.,]\d{3}$", bare):
            unclear = unclear or not re.search(r"([.,])\d{3}\1\d{3}", bare)
            # Three times the same mark in groups of three is a mark of thousands.
            if re.search(r"\.\d{3}\.\d{3}$", bare):
                as_comma += 1
            elif re.search(r",\d{3},\d{3}$", bare):
                as_point += 1
    return Commas(
        is_decimal=as_comma > as_point,
        is_ambiguous=unclear and not (as_comma or as_point),
        is_shown=as_comma != as_point,
    )


def parts(text: str) -> tuple[int, int] | None:
    """The two numbers before the year of a date whose order has to be found out."""
    found = _YEAR_LAST.fullmatch(text.strip())
    return (int(found[1]), int(found[2])) if found else None


def day(text: str, *, is_day_first: bool) -> date | None:
    """The day that the text names; None where it names none."""
    bare = text.strip()
    if found := _YEAR_FIRST.fullmatch(bare):
        return _day(int(found[1]), int(found[2]), int(found[3]))
    if found := _YEAR_LAST.fullmatch(bare):
        first, second, year = int(found[1]), int(found[2]), int(found[3])
        month, of_month = (second, first) if is_day_first else (first, second)
        return _day(year, month, of_month)
    if found := _DAY_MONTH.fullmatch(bare):
        return _day(int(found[3]), MONTHS.get(found[2].lower(), 0), int(found[1]))
    if found := _MONTH_DAY.fullmatch(bare):
        return _day(int(found[3]), MONTHS.get(found[1].lower(), 0), int(found[2]))
    return None


def _day(year: int, month: int, of_month: int) -> date | None:
    if year < 100:
        year += 2000 if year < 70 else 1900
    try:
        return date(year, month, of_month)
    except ValueError:
        return None
