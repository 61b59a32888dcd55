"""Which budgets hold for a question, what it may cost at most, and how that is said."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Literal, NamedTuple

from core.ledger.money import Currency
from core.policy.rules import Rules, is_meant, is_there
from core.records import Person, PersonId, Place, Usage
from core.storage.reservations import Amount, Cap, Standing
from core.storage.usage import picos

Span = Literal["day", "month"]
Unpriced = Literal["refuse", "allow", "count"]
Price = Callable[[Usage], str | None]
"""Dollars for the units of one model; None where no price is known."""

WARN_AT = 0.8
"""Share of a budget from which on people are warned, once."""
CHARACTERS_OF_A_TOKEN = 2
"""Few, so that the bound is one: English has about four, and dense scripts fewer than two only in
short texts."""
LONGEST_ANSWER = 4_096
"""Tokens, where a model's limit is not known."""
CALLS = 5
"""Of a turn's model, at most."""
FRAME = 40_000
"""Characters of history, thread, past, tools and results around a question in one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One budget, as the file or an admin set it."""

    whom: str
    """`everyone`, `group:…`, `person:…`, `place:…`."""
    is_each: bool = False
    """Each person that is meant has this much; else they have it together."""
    amount: Decimal | None = None
    """In the installation's currency; None for a budget of tokens."""
    tokens: int = 0
    per: Span = "month"
    origin: str = ""
    """Who set it in chat; empty for one of the file."""

    @property
    def subject(self) -> str:
        """What a later limit for the same takes the place of."""
        return f"{self.whom} {'each' if self.is_each else 'together'} {self.per}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    limits: tuple[Limit, ...] = ()
    unpriced: Unpriced = "refuse"
    """What happens to a question for a model without a known price where a budget counts money:
    it is refused, allowed, or allowed and left to the budgets that count tokens."""
    currency: Currency = field(default_factory=Currency)


class Holding(NamedTuple):
    """A limit that holds for somebody, as it is counted."""

    limit: Limit
    cap: Cap


def holding(
    budgets: Budgets, person: Person, place: Place, rules: Rules, *, now: float
) -> list[Holding]:
    """The limits that hold for this person in this place now."""
    found = (_holds(limit, person, place, rules, budgets, now) for limit in budgets.limits)
    return [Holding(limit, cap) for limit, cap in zip(budgets.limits, found, strict=True) if cap]


def call_bound(characters: int, longest: int, price: Price) -> Amount | None:
    """What one call with a prompt of so many characters may cost; None for a model without a
    price. `longest` is the model's limit of an answer in tokens, 0 where it is not known."""
    usage = Usage(
        input_tokens=characters // CHARACTERS_OF_A_TOKEN + 1,
        output_tokens=longest or LONGEST_ANSWER,
    )
    dollars = price(usage)
    if dollars is None:
        return None
    return Amount(picos(dollars), usage.input_tokens + usage.output_tokens)


def turn_bound(characters: int, longest: int, price: Price) -> Amount | None:
    """What a whole turn may cost, for a question of so many characters."""
    one = call_bound(characters + FRAME, longest, price)
    return None if one is None else Amount(one.picos * CALLS, one.tokens * CALLS)


def unpriced_bound(characters: int, longest: int) -> Amount:
    """What a call of a model without a price counts for: its tokens alone."""
    return Amount(0, characters // CHARACTERS_OF_A_TOKEN + 1 + (longest or LONGEST_ANSWER))


def unpriced_refusal(budgets: Budgets, held: Iterable[Holding], model: str) -> str:
    """Why a model without a price is not asked; empty where it is."""
    money = next((one for one in held if one.cap.unit == "picos"), None)
    if budgets.unpriced != "refuse" or money is None:
        return ""
    return (
        f"The price of `{model}` is not known here, and {_name(money.limit)} counts money. Ask"
        " another model, or an admin for a price."
    )


def refusal(found: Standing, held: Sequence[Holding], currency: Currency) -> str:
    """Why nothing is spent: the budget, what was used of it, when it starts anew."""
    limit = next(one.limit for one in held if one.cap.key == found.cap.key)
    name = _name(limit)
    if found.spent < found.cap.limit:
        rest = _amount(found.cap, found.cap.limit - found.spent, currency)
        return (
            f"What is left of {name} ({rest}) is held for questions that are being answered. Ask"
            " again when they are."
        )
    used, whole = (_amount(found.cap, one, currency) for one in (found.spent, found.cap.limit))
    return (
        f"{name[0].upper()}{name[1:]} is used up: {used} of {whole}. It starts anew at"
        f" {_anew(found.cap.span)}; an admin can raise it."
    )


def warning(found: Standing, limit: Limit, currency: Currency) -> str:
    """Said once, when most of a budget is used."""
    used, whole = (_amount(found.cap, one, currency) for one in (found.spent, found.cap.limit))
    share = round(100 * found.spent / found.cap.limit) if found.cap.limit else 100
    name = _name(limit)
    return (
        f"{name[0].upper()}{name[1:]} is used to {share} %: {used} of {whole}. It starts anew at"
        f" {_anew(found.cap.span)}."
    )


def line(found: Standing, limit: Limit, currency: Currency) -> str:
    """How a budget stands, for lists."""
    used, whole = (_amount(found.cap, one, currency) for one in (found.spent, found.cap.limit))
    held = f", {_amount(found.cap, found.reserved, currency)} held" if found.reserved > 0 else ""
    return f"{described(limit, currency)}: {used} of {whole} used{held}"


def described(limit: Limit, currency: Currency) -> str:
    """`$5.00 a day for each of sales`."""
    whom = f"each of {limit.whom}" if limit.is_each else limit.whom
    whom = "each person" if limit.is_each and limit.whom == "everyone" else whom
    count = _count(limit, currency)
    amount = f"{count:,} tokens" if limit.amount is None else currency.shown(count)
    by = f" (set by {limit.origin})" if limit.origin else ""
    return f"{amount} a {limit.per} for {whom}{by}"


def laid_over(file: Sequence[Limit], rows: Mapping[str, Limit | None]) -> tuple[Limit, ...]:
    """The limits of the file, with those of chat in their place; None takes one away. By
    subject."""
    kept = [rows.get(one.subject, one) for one in file]
    new = [one for subject, one in rows.items() if subject not in {f.subject for f in file}]
    return tuple(one for one in (*kept, *new) if one is not None)


def _holds(
    limit: Limit, person: Person, place: Place, rules: Rules, budgets: Budgets, now: float
) -> Cap | None:
    whom = limit.whom
    persons = (person.id, *sorted(one for one in person.ids if "/" in one and one != person.id))
    scopes: tuple[str, ...] = ()
    members: Callable[[str], bool] | None = None
    if whom == "everyone":
        scopes = persons if limit.is_each else ("everyone",)
    elif whom.startswith("place:"):
        scopes = (place.id,) if is_there(place, whom) else ()
    elif is_meant(person, whom, rules):
        if limit.is_each or whom.startswith("person:"):
            scopes = persons
        else:
            members = _members(whom, rules)
    if not scopes and members is None:
        return None
    owner = f" {min(persons)}" if scopes == persons else f" {scopes[0]}" if scopes else ""
    day = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d")
    return Cap(
        key=f"{limit.subject}{owner}",
        span=day if limit.per == "day" else day[:7],
        unit="tokens" if limit.amount is None else "picos",
        limit=budgets.currency.picos(limit.amount)
        if limit.amount is not None
        else limit.tokens or 0,
        scopes=scopes,
        members=members,
    )


def _count(limit: Limit, currency: Currency) -> int:
    return limit.tokens if limit.amount is None else currency.picos(limit.amount)


def _members(whom: str, rules: Rules) -> Callable[[str], bool]:
    def is_member(id: str) -> bool:
        return is_meant(Person(id=PersonId(id)), whom, rules)

    return is_member


def _name(limit: Limit) -> str:
    if limit.is_each or limit.whom.startswith("person:"):
        return f"your budget for the {limit.per}"
    kind, _, name = limit.whom.partition(":")
    if kind == "group":
        return f"the budget of {name} for the {limit.per}"
    if kind == "place":
        return f"the budget of this place for the {limit.per}"
    return f"the budget of everyone for the {limit.per}"


def _amount(cap: Cap, count: int, currency: Currency) -> str:
    return currency.shown(count) if cap.unit == "picos" else f"{count:,} tokens"


def _anew(span: str) -> str:
    return "midnight UTC" if len(span) == 10 else "the first of the month, midnight UTC"
