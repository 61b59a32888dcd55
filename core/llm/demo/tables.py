"""The part of a table that answers a question."""

import re
from collections.abc import Set

from core.llm.demo.choice import SUPERLATIVES
from core.llm.demo.results import Table
from core.llm.demo.words import bare, stems, words

_LEAST = frozenset("least lowest worst smallest fewest minimum weakest cheapest".split())
_MONEY = frozenset("revenue amount total value turnover sales price sum".split())
_SUM = frozenset("total totals altogether overall sum".split())
_HOW_MUCH = re.compile(r"\bhow (?:much|many)\b", re.IGNORECASE)
_ANGLED = re.compile(r"<([^<>\s]+@[^<>\s]+)>")
_HANDLE = 24
"""Characters, up to which a person may still read an id."""
_TOP = re.compile(r"\b(?:top|best|first)\s+(\d{1,3})\b", re.IGNORECASE)


def headline(found: Table, question: str, topic: str) -> str:
    """“**North** is highest: revenue 1,234.” where the question asks for a first or a last, the
    sum where it asks for a total."""
    asked = set(words(question))
    is_least = bool(asked & _LEAST)
    is_most = bool(asked & (SUPERLATIVES - _LEAST))
    column = _measure(found, question, topic)
    if column is None or len(_body(found)) < 2:
        return ""
    if asked & _SUM or _HOW_MUCH.search(question):
        total = sum(_amount(row[column]) or 0.0 for row in _body(found))
        return f"**{spoken(found.head[column])}** comes to {total:,.2f} in total.".replace(
            ".00 in", " in"
        )
    if is_most == is_least:
        return ""
    first = _sorted(found, column, descending=is_most)[0]
    word = "highest" if is_most else "lowest"
    name = first[_label(found, question)].strip("* ")
    return f"**{name}** is {word}: {spoken(found.head[column])} {first[column]}."


def narrowed(found: Table, question: str, topic: str, known: Set[str]) -> Table:
    """The table with the rows that the question asks for: the top so many, or those that it
    names. All rows where it does neither. `known` are stems that name no row."""
    top = _TOP.search(question)
    column = _measure(found, question, topic)
    if top and column is not None:
        return Table(found.head, tuple(_sorted(found, column, descending=True)[: int(top[1])]))
    wanted = set(stems(question)) - known - set(stems(" ".join(found.head)))
    fits = [len(wanted & set(stems(" ".join(row)))) for row in found.rows]
    best = max(fits, default=0)
    named = [row for row, fit in zip(found.rows, fits, strict=True) if fit == best]
    return Table(found.head, tuple(named)) if best else found


def readable(found: Table) -> Table:
    """The table without the handles that only tools can use, and with addresses in brackets that
    no renderer takes for a tag."""
    kept = [
        i
        for i in range(len(found.head))
        if not ("id" in words(found.head[i]) and any(len(r[i]) > _HANDLE for r in found.rows))
    ]
    rows = tuple(tuple(_ANGLED.sub(r"(\1)", row[i]) for i in kept) for row in found.rows)
    return Table(tuple(found.head[i] for i in kept), rows)


def numeric_columns(found: Table) -> list[int]:
    """The columns behind the first one that hold nothing but numbers."""
    return [
        i
        for i in range(1, len(found.head))
        if found.rows and all(i < len(r) and _amount(r[i]) is not None for r in found.rows)
    ]


def spoken(name: str) -> str:
    """A column, parameter or tool name in words."""
    return " ".join(words(name))


def heading(name: str) -> str:
    """`revenue_eur` as `Revenue (EUR)`, the other names in plain words."""
    title = name.replace("_", " ").strip()
    title = re.sub(r" (eur|usd|gbp|chf)$", lambda found: f" ({found[1].upper()})", title)
    return title[:1].upper() + title[1:]


def _label(found: Table, question: str) -> int:
    """The column that names a row: one that the question speaks of, else the first that is
    neither an id nor a number nor a day."""
    plain = [i for i in range(len(found.head)) if not any(_amount(r[i]) for r in found.rows)]
    for i in sorted(plain, key=lambda i: "id" in words(found.head[i])):
        if _bare_words(question) & _bare_words(found.head[i]):
            return i
    undated = [i for i in plain if not any(re.match(r"\d{4}-\d\d-", r[i]) for r in found.rows)]
    return next((i for i in undated if "id" not in words(found.head[i])), 0)


def _bare_words(text: str) -> set[str]:
    return {bare(word) for word in words(text)}


def _measure(found: Table, question: str, topic: str) -> int | None:
    """The column of numbers that the question or its topic speaks of, else one of money, else
    the last one; None where there are no numbers."""
    numeric = numeric_columns(found)
    for text in (question, topic):
        named = [i for i in numeric if _bare_words(text) & _bare_words(found.head[i])]
        if named:
            return named[0]
    money = [i for i in numeric if _MONEY & set(words(found.head[i]))]
    return (money[:1] or numeric[-1:] or [None])[0]


def _body(found: Table) -> list[tuple[str, ...]]:
    """The rows without a line of totals."""
    totals = {"total", "sum", "all", "grand total"}
    return [row for row in found.rows if row[0].strip("* ").casefold() not in totals]


def _sorted(found: Table, column: int, *, descending: bool) -> list[tuple[str, ...]]:
    return sorted(_body(found), key=lambda r: _amount(r[column]) or 0.0, reverse=descending)


def _amount(cell: str) -> float | None:
    if not re.fullmatch(r"\W*-?[\d,.]+\s*(?:%|[A-Za-z]{0,3})\W*", cell) or cell.count("-") > 1:
        return None
    try:
        return float(re.sub(r"[^\d.\-]", "", cell.replace(",", "")))
    except ValueError:
        return None
