"""Shows budgets to those they hold for, and lets admins set them."""

import re
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from core.ledger.budget import Limit, Span, described, line
from core.panels import Order, Panel
from core.storage.acts import Act
from core.turn.laid import BUDGET, OFF, as_value
from core.turn.orders.speaking import Ground, Speaker, person_meant, place_meant, plain
from core.turn.orders.switches import NOT_AN_ADMIN
from core.turn.spending import Spending
from core.turn.steering import Steering

HOW = (
    "Write `budget` to see yours, `budget all` to see all. Admins: `budget WHOM AMOUNT a day` or"
    " `a month`, where WHOM is `everyone`, `each`, `each group:NAME`, `group:NAME`, a person or"
    " `#channel`, and AMOUNT is money (`5`, `12.50`) or tokens (`200000 tokens`); `off` takes a"
    " budget away, `file` gives the file its say back."
)
_AMOUNT = re.compile(r"[$€£]?(\d[\d,]*(?:\.\d+)?)")
_FILLERS = ("a", "an", "per", "to", "the", "for", "of")


async def budget(
    ground: Ground, steering: Steering, spending: Spending, speaker: Speaker, order: Order
) -> Panel | None:
    """None where the words are no such order. Raises `Unavailable`."""
    words = order.words.split()[1:]
    if not words:
        return Panel(text=await own(spending, speaker))
    if words == ["all"]:
        return Panel(text=_all(speaker) if speaker.is_admin else NOT_AN_ADMIN)
    found = _read(words, speaker)
    if found is None:
        return Panel(text=HOW) if order.is_typed else None
    if not speaker.is_admin:
        return Panel(text=NOT_AN_ADMIN)
    limit, verb = found
    value = {"set": as_value(limit), "off": OFF, "file": ""}[verb]
    await steering.act(Act(BUDGET, limit.subject, value, "", speaker.name, ground.clock()))
    currency = speaker.setup.budgets.currency
    named = described(replace(limit, origin=""), currency)
    return Panel(
        text={
            "set": f"**Set**: {named}. It holds from the next question on.",
            "off": f"There is no budget {plain(limit.subject)} any more.",
            "file": f"The file decides about the budget {plain(limit.subject)} again.",
        }[verb]
    )


async def own(spending: Spending, speaker: Speaker) -> str:
    """The budgets that hold for the speaker here, as Markdown."""
    found = await spending.standings(speaker.setup, speaker.person, speaker.place)
    currency = speaker.setup.budgets.currency
    if not found:
        return "No budget holds for you here."
    return "**Budgets that hold for you here**\n" + "\n".join(
        f"- {line(standing, held.limit, currency)}" for held, standing in found
    )


def _all(speaker: Speaker) -> str:
    limits = speaker.setup.budgets.limits
    if not limits:
        return "There are no budgets."
    currency = speaker.setup.budgets.currency
    return "**Budgets**\n" + "\n".join(f"- {described(one, currency)}" for one in limits)


def _read(words: list[str], speaker: Speaker) -> tuple[Limit, str] | None:
    rest = [word for word in words if word.lower() not in _FILLERS]
    is_each = bool(rest) and rest[0].lower() == "each"
    rest = rest[1:] if is_each else rest
    whom = _whom(rest[0], speaker) if rest else ""
    if whom:
        rest = rest[1:]
    elif is_each:
        whom = "everyone"
    else:
        return None
    per: Span = "day" if rest and rest[-1].lower() == "day" else "month"
    rest = rest[:-1] if rest and rest[-1].lower() in ("day", "month") else rest
    limit = Limit(whom=whom, is_each=is_each, per=per)
    if [word.lower() for word in rest] in (["off"], ["file"]):
        return limit, rest[0].lower()
    is_tokens = len(rest) == 2 and rest[1].lower() == "tokens"
    amount = _AMOUNT.fullmatch(rest[0]) if len(rest) == 1 or is_tokens else None
    if amount is None:
        return None
    try:
        number = Decimal(amount[1].replace(",", ""))
    except InvalidOperation:
        return None
    return (
        replace(limit, tokens=int(number)) if is_tokens else replace(limit, amount=number),
        "set",
    )


def _whom(word: str, speaker: Speaker) -> str:
    if word.lower() == "everyone":
        return "everyone"
    if word.startswith("group:") and word[6:]:
        return "everyone" if word[6:] == "everyone" else word
    if place := place_meant(word, speaker.place):
        return f"place:{place}"
    person = person_meant(word, speaker.place, speaker.person)
    return f"person:{person}" if person else ""
