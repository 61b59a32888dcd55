"""Prices are what the tables say, or unknown; never a guess and never a silent zero."""

import pytest

from core.ledger.prices import Rates, price, table_name
from core.records import Usage

AT = 1_790_000_000.0
MANY = Usage(
    input_tokens=1000,
    cached_tokens=900,
    output_tokens=482,
    reasoning_tokens=448,
)


def test_cached_input_and_reasoning_have_their_own_rates_and_are_counted_once() -> None:
    """Peers' case 38."""
    # gpt-4.1 is listed at 2, 0.5 cached and 8 dollars per million.
    amount, table = price("openai", "gpt-4.1", MANY, {}, at=AT)

    assert amount == "0.004506"  # 100 × 2 + 900 × 0.5 + 482 × 8
    assert table == table_name()
    assert table.startswith("genai-prices ")


def test_writing_to_the_cache_costs_more_than_reading_past_it() -> None:
    usage = Usage(input_tokens=1300, cached_tokens=900, cache_write_tokens=200, output_tokens=482)

    # claude-sonnet-4-5: 3, 0.3 cached, 3.75 written, 15 out.
    assert price("anthropic", "claude-sonnet-4-5", usage, {}, at=AT)[0] == "0.00885"


@pytest.mark.parametrize(("provider", "model"), [("openai", "llama3"), ("nobody", "x"), ("", "")])
def test_an_unknown_model_is_unpriced(provider: str, model: str) -> None:
    assert price(provider, model, MANY, {}, at=AT) == (None, table_name())


def test_parts_larger_than_their_whole_are_unpriced() -> None:
    usage = Usage(input_tokens=10, cached_tokens=900)

    assert price("openai", "gpt-4.1", usage, {}, at=AT)[0] is None


def test_units_that_no_rate_covers_are_unpriced() -> None:
    rates = {"openai:gpt-4.1": Rates(input="1")}

    assert price("openai", "gpt-4.1", Usage(pages=3), {}, at=AT)[0] is None
    assert price("openai", "gpt-4.1", Usage(pages=3), rates, at=AT)[0] is None


def test_a_negotiated_price_beats_the_table() -> None:
    usage = Usage(input_tokens=1300, cached_tokens=900, cache_write_tokens=200, output_tokens=100)
    rates = {"openai:gpt-4.1": Rates(input="1", output="10", cached="0.1", cache_write="2")}

    # 200 × 1 + 900 × 0.1 + 200 × 2 + 100 × 10, per million
    assert price("openai", "gpt-4.1", usage, rates, at=AT) == ("0.00169", "configured")


def test_cached_input_costs_what_input_costs_where_nothing_else_was_agreed() -> None:
    rates = {"azure:ours": Rates(input="2")}

    assert (
        price("azure", "ours", Usage(input_tokens=500, cached_tokens=400), rates, at=AT)[0]
        == "0.001"
    )


@pytest.mark.parametrize(("provider", "table"), [("demo", "demo"), ("minilm", "offline")])
def test_what_runs_in_this_process_is_free_and_says_why(provider: str, table: str) -> None:
    assert price(provider, "any", MANY, {}, at=AT) == ("0", table)
