"""Which budgets hold for whom, and in which words they refuse."""

from dataclasses import replace
from decimal import Decimal

import pytest

from core.ledger.budget import (
    Budgets,
    Limit,
    call_bound,
    described,
    holding,
    laid_over,
    refusal,
    turn_bound,
    unpriced_refusal,
    warning,
)
from core.ledger.money import Currency
from core.policy.rules import Rules
from core.records import Person, PersonId, Place, Usage
from core.storage.reservations import Standing

NOW = 1_764_590_400.0
ADA = Person(id=PersonId("slack:T1/UADA"))
BOB = Person(id=PersonId("slack:T1/UBOB"))
SALES = Place(surface="slack", tenant="T1", channel="C1", kind="public", name="sales")
RULES = Rules(rules=(), groups={"sales": ("person:UADA",)})


def limit(whom: str, amount: str = "5", *, each: bool = False, per: str = "day") -> Limit:
    return Limit(whom=whom, is_each=each, amount=Decimal(amount), per=per)  # type: ignore[arg-type]


def held(person: Person, *limits: Limit, place: Place = SALES) -> list[str]:
    found = holding(Budgets(limits=limits), person, place, RULES, now=NOW)
    return [one.limit.subject for one in found]


def test_a_limit_holds_for_those_that_it_means() -> None:
    limits = (
        limit("everyone"),
        limit("group:sales"),
        limit("group:sales", each=True),
        limit("person:slack:T1/UBOB"),
        limit("place:#sales"),
        limit("place:slack:T1/C2"),
    )
    assert held(ADA, *limits) == [
        "everyone together day",
        "group:sales together day",
        "group:sales each day",
        "place:#sales together day",
    ]
    assert held(BOB, *limits) == [
        "everyone together day",
        "person:slack:T1/UBOB together day",
        "place:#sales together day",
    ]


def test_one_human_has_one_budget_under_all_of_their_ids() -> None:
    both = replace(ADA, ids=("entra:oid", "teams:t/oid"))
    [one] = holding(Budgets(limits=(limit("everyone", each=True),)), both, SALES, RULES, now=NOW)
    assert one.cap.scopes == ("slack:T1/UADA", "teams:t/oid")
    other = Person(id=PersonId("teams:t/oid"), ids=("entra:oid", "slack:T1/UADA"))
    [same] = holding(Budgets(limits=(limit("everyone", each=True),)), other, SALES, RULES, now=NOW)
    assert same.cap.key == one.cap.key


def test_a_group_that_spends_together_counts_its_members_alone() -> None:
    [one] = holding(Budgets(limits=(limit("group:sales"),)), ADA, SALES, RULES, now=NOW)
    assert one.cap.members is not None
    assert one.cap.members("slack:T1/UADA") and not one.cap.members("slack:T1/UBOB")


def test_a_day_and_a_month_are_those_of_utc() -> None:
    spans = [
        holding(Budgets(limits=(limit("everyone", per=per),)), ADA, SALES, RULES, now=NOW)[0]
        for per in ("day", "month")
    ]
    assert [one.cap.span for one in spans] == ["2025-12-01", "2025-12"]


def test_the_words_name_the_budget_what_was_used_and_when_it_starts_anew() -> None:
    [one] = holding(Budgets(limits=(limit("everyone", each=True),)), ADA, SALES, RULES, now=NOW)
    dollar = 10**12
    used = Standing(one.cap, spent=5 * dollar + dollar // 50, reserved=0)
    assert refusal(used, [one], Currency()) == (
        "Your budget for the day is used up: $5.02 of $5.00. It starts anew at midnight UTC; an"
        " admin can raise it."
    )
    running = Standing(one.cap, spent=4 * dollar, reserved=dollar)
    assert refusal(running, [one], Currency()) == (
        "What is left of your budget for the day ($1.00) is held for questions that are being"
        " answered. Ask again when they are."
    )
    most = Standing(one.cap, spent=4 * dollar, reserved=0)
    assert warning(most, one.limit, Currency()).startswith(
        "Your budget for the day is used to 80 %"
    )


def test_amounts_are_those_of_the_currency() -> None:
    euros = Currency(code="EUR", per_dollar=Decimal("0.5"))
    assert euros.shown(10**12) == "€0.500"
    assert euros.picos(Decimal(1)) == 2 * 10**12
    assert described(limit("everyone"), euros) == "€5.00 a day for everyone"


def priced(usage: Usage) -> str | None:
    return str(Decimal(usage.input_tokens) / 1_000_000 + Decimal(usage.output_tokens) / 100_000)


def test_a_bound_covers_the_prompt_and_the_longest_answer() -> None:
    one = call_bound(2_000, 100, priced)
    assert one is not None
    assert one.tokens == 1_001 + 100
    assert one.picos == 1_001 * 10**6 + 100 * 10**7
    whole = turn_bound(0, 100, priced)
    assert whole is not None and whole.picos > 5 * one.picos
    assert call_bound(2_000, 100, lambda usage: None) is None


@pytest.mark.parametrize(("policy", "is_refused"), [("refuse", True), ("allow", False)])
def test_a_model_without_a_price_follows_the_policy(policy: str, is_refused: bool) -> None:
    """Peers' case 37."""
    budgets = Budgets(limits=(limit("everyone"),), unpriced=policy)  # type: ignore[arg-type]
    found = holding(budgets, ADA, SALES, RULES, now=NOW)
    assert bool(unpriced_refusal(budgets, found, "openai:secret")) is is_refused
    tokens = Budgets(limits=(Limit(whom="everyone", tokens=5),), unpriced="refuse")
    counted = holding(tokens, ADA, SALES, RULES, now=NOW)
    assert unpriced_refusal(tokens, counted, "openai:secret") == ""


def test_what_admins_set_takes_the_place_of_the_file_by_subject() -> None:
    file = (limit("everyone"), limit("group:sales"))
    more, new = limit("everyone", "9"), limit("person:UADA")
    rows = {more.subject: more, file[1].subject: None, new.subject: new}
    assert laid_over(file, rows) == (more, new)
