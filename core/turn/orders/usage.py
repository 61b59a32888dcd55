"""Shows what was used: to a person their own, to an admin everybody's."""

import csv
import io
from collections.abc import Sequence

from core.figures import Figure
from core.ledger.asked import USAGE, Asked, read
from core.ledger.money import Currency
from core.panels import Attached, Choice, Order, Panel
from core.policy.links import settle
from core.records import PersonId
from core.storage import entries, usage
from core.storage.usage import Dimension, Filter, Sum
from core.turn.orders.speaking import Ground, Speaker, called, names, person_meant, place_meant

SHOWN = 15
"""Lines of a table; the CSV file has all."""
DRAWN = 10
"""Bars of a chart."""
DRILLS = 4
NOT_YOURS = "Only admins see what others use; the policy names them under `admins`."
_TITLES: dict[Dimension, str] = {
    "person": "Person",
    "place": "Place",
    "model": "Model",
    "tool": "Tool",
    "purpose": "Purpose",
    "day": "Day",
}
_RANGES = {"today": "today", "7d": "in 7 days", "30d": "in 30 days", "month": "this month"}


async def show(ground: Ground, speaker: Speaker, order: Order) -> Panel | None:
    """None where the words are no such order. Raises `Unavailable`."""
    words = order.words.split()[1:]
    asked = read(
        words,
        now=ground.clock(),
        time_zone=speaker.person.time_zone,
        named=lambda word: _named(word, speaker),
    )
    if asked is None:
        return Panel(text=USAGE) if order.is_typed else None
    if "thread" in words:
        return await _of_thread(ground, order)
    own = {speaker.person.id, *speaker.person.ids}
    if not speaker.is_admin and asked.only.person and asked.only.person not in own:
        return Panel(text=NOT_YOURS)
    if asked.is_mine or not speaker.is_admin:
        return await _own(ground, speaker, asked)
    return await _everybody(ground, speaker, asked)


async def _of_thread(ground: Ground, order: Order) -> Panel:
    if order.thread is None:
        return Panel(text="Write it in the thread that you mean: `@Countersign usage thread`.")
    cost = await entries.cost_of_thread(ground.db, order.thread)
    if not cost.calls:
        return Panel(text="No model was asked in this thread.")
    unpriced = f", and {cost.unpriced:,} uses not fully priced" if cost.unpriced else ""
    models = ", ".join(f"`{model}`" for model in cost.models)
    return Panel(
        text=f"This thread has used {cost.calls:,} model calls ({models}) and {cost.tokens:,}"
        f" tokens: ${cost.price}{unpriced}."
    )


async def _own(ground: Ground, speaker: Speaker, asked: Asked) -> Panel:
    person, currency = speaker.person, speaker.setup.budgets.currency
    by = asked.by if asked.by not in (None, "person") else "model"
    ids = (person.id, *sorted(PersonId(one) for one in person.ids if "/" in one))
    found = [
        one
        for id in ids
        for one in await usage.sums(
            ground.db, by or "model", asked.since, asked.until, asked.only._replace(person=id)
        )
    ]
    own = [one for one in usage.merged(found) if one.uses]
    if not own:
        return Panel(text=f"You have used nothing {_when(asked)}.", choices=_ranges(asked))
    total = usage.total(own)
    counted = _counted(total, currency)
    text = f"**You have used {_amount(total, currency)} {_when(asked)}**\n\n{counted}"
    known = await names(ground, [one.name for one in own[:SHOWN]])
    return Panel(
        text=text,
        figures=_figures(own, by or "model", known, currency, asked),
        choices=(*_ranges(asked), *_dimensions(asked, ("model", "tool", "place", "day"))),
        file=_csv(own, by or "model", known, currency) if asked.is_csv else None,
    )


async def _everybody(ground: Ground, speaker: Speaker, asked: Asked) -> Panel:
    currency = speaker.setup.budgets.currency
    by: Dimension = asked.by or ("model" if asked.only.person else "person")
    found = await usage.sums(ground.db, by, asked.since, asked.until, asked.only)
    if not found:
        return Panel(text=f"Nothing was used {_when(asked)}.", choices=_ranges(asked))
    shown = found if asked.is_csv else found[: max(SHOWN, DRAWN)]
    known = await names(ground, [*(one.name for one in shown), *asked.only])
    total = usage.total(found)
    whose = _whose(asked.only, known)
    text = f"**{_amount(total, currency)} {_when(asked)}**{whose}\n\n{_counted(total, currency)}"
    if len(found) > SHOWN:
        text += f"\n\nThe dearest {SHOWN} of {len(found):,} are shown; the CSV file has all."
    return Panel(
        text=text,
        figures=_figures(found, by, known, currency, asked),
        choices=_choices(asked, by, found, known),
        file=_csv(found, by, known, currency) if asked.is_csv else None,
    )


def _named(word: str, speaker: Speaker) -> tuple[str, str] | None:
    kind, _, rest = word.partition(":")
    if kind in ("model", "tool", "purpose") and rest:
        return kind, rest
    if kind == "person" and "/" in rest:
        return "person", rest
    if kind == "place" and rest:
        return "place", rest
    if person := person_meant(word, speaker.place, speaker.person):
        return "person", person
    if place := place_meant(word, speaker.place):
        return "place", place
    if word.count("/") == 1:
        return "tool", word
    return None


def _choices(
    asked: Asked, by: Dimension, found: Sequence[Sum], known: dict[str, str]
) -> tuple[Choice, ...]:
    return (
        *_ranges(asked),
        *_dimensions(asked, ("person", "place", "model", "tool", "purpose", "day")),
        *_drills(asked, by, found, known),
        Choice(label="CSV", words=asked.words(by=by, is_csv=True)),
    )


def _ranges(asked: Asked) -> tuple[Choice, ...]:
    labels = {"today": "Today", "7d": "7 days", "30d": "30 days", "month": "This month"}
    return tuple(
        Choice(label=label, words=asked.words(label=word))
        for word, label in labels.items()
        if word != asked.label
    )


def _dimensions(asked: Asked, offered: tuple[Dimension, ...]) -> tuple[Choice, ...]:
    return tuple(
        Choice(
            label=f"By {'channel' if one == 'place' else one}",
            words=asked.words(by=one),
        )
        for one in offered
        if one != asked.by and not (one != "day" and getattr(asked.only, one))
    )


def _drills(
    asked: Asked, by: Dimension, found: Sequence[Sum], known: dict[str, str]
) -> list[Choice]:
    """The dearest names, each of which leads to what it consists of."""
    if by == "day":
        return []
    inner: Dimension = "model" if by in ("person", "place") else "person"
    return [
        Choice(
            label=f"{called(one.name, known)} ›"[:40],
            words=asked.words(by=inner, only=asked.only._replace(**{by: one.name})),
        )
        for one in found[:DRILLS]
        if one.name and one.name.isprintable() and " " not in one.name
    ]


def _figures(
    found: Sequence[Sum],
    by: Dimension,
    known: dict[str, str],
    currency: Currency,
    asked: Asked,
) -> tuple[Figure, ...]:
    ordered = sorted(found, key=lambda one: one.name) if by == "day" else list(found)
    drawn = ordered[-31:] if by == "day" else ordered[:DRAWN]
    name = f"{_TITLES[by]}, {_when(asked)}"
    chart = Figure(
        kind="line" if by == "day" else "bar",
        title=f"{currency.code} by {_TITLES[by].lower()}",
        columns=(_TITLES[by], currency.code),
        rows=tuple((_cell(one.name, known), currency.number(one.picos)) for one in drawn),
        total=len(drawn),
    )
    table = Figure(
        kind="table",
        title=name,
        columns=(_TITLES[by], "Cost", "Calls", "Tokens", "Unpriced"),
        rows=tuple(
            (
                _cell(one.name, known),
                _amount(one, currency),
                one.calls,
                one.tokens,
                one.unpriced,
            )
            for one in ordered[:SHOWN]
        ),
        total=len(ordered),
    )
    is_drawn = len(drawn) > 1 and any(one.picos for one in drawn)
    return (chart, table) if is_drawn else (table,)


def _csv(
    found: Sequence[Sum], by: Dimension, known: dict[str, str], currency: Currency
) -> Attached:
    """All lines, for a spreadsheet; what a person is called is never a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(
        (by, "name", "uses", "calls", "tokens", currency.code, "unpriced", "likely more")
    )
    for one in found:
        name = known.get(one.name, "")
        shown = [f"'{word}" if word.startswith(("=", "+", "-", "@")) else word
                 for word in (one.name, name)]  # fmt: skip
        amount = format(currency.number(one.picos), "f")
        likely = format(currency.number(one.likely), "f")
        writer.writerow((*shown, one.uses, one.calls, one.tokens, amount, one.unpriced, likely))
    return Attached(name=f"usage-by-{by}.csv", content=text.getvalue().encode("utf-8-sig"))


def _cell(name: str, known: dict[str, str]) -> str:
    shown = known.get(name) or (name.rpartition("/")[2] if ":" in name else name) or "none"
    return settle(shown, ())[0] if any(mark in shown for mark in "[<&%\\@") else shown


def _amount(one: Sum, currency: Currency) -> str:
    """A part without a known price is named, never counted as nothing."""
    if one.unpriced and not one.picos:
        return "unpriced"
    return currency.shown(one.picos) + (" + unpriced" if one.unpriced else "")


def _counted(total: Sum, currency: Currency) -> str:
    unpriced = f" · {total.unpriced:,} uses not fully priced" if total.unpriced else ""
    unpriced += f" (about {currency.shown(total.likely)} more)" if total.likely else ""
    calls = "1 model call" if total.calls == 1 else f"{total.calls:,} model calls"
    count = total.uses - total.calls
    others = f" · {count:,} other {'use' if count == 1 else 'uses'}" if count else ""
    return f"{calls} · {total.tokens:,} tokens{others}{unpriced}"


def _when(asked: Asked) -> str:
    days = asked.label.split()
    named = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}"
    return _RANGES.get(asked.label, named)


def _whose(only: Filter, known: dict[str, str]) -> str:
    found = [called(word, known) if "/" in word else word for word in only if word]
    return f" · {', '.join(found)}" if found else ""
