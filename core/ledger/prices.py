"""What a metered use costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache

from core.records import Usage

MILLION = Decimal(1_000_000)
FREE_TABLES = {"demo": "demo", "minilm": "offline", "tesseract": "offline"}
"""Providers that run inside this process, with the name of the table that makes them free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Negotiated prices in US dollars per million tokens, as decimal strings.

    `cached` and `cache_write` fall back to `input`. Reasoning is part of the output and costs
    what output costs.
    """

    input: str
    output: str = "0"
    cached: str = ""
    cache_write: str = ""
    page: str = ""
    """Dollars for one page that is read (vision, OCR); empty: not known."""
    image: str = ""
    """Dollars for one image that is made; empty: not known."""
    table: str = "configured"
    """Name and version of the list that they stand in."""


def price(
    provider: str,
    model: str,
    usage: Usage,
    overrides: Mapping[str, Rates],
    *,
    at: float,
) -> tuple[str | None, str]:
    """The price in US dollars and the name and version of the table that it came from.

    `overrides` is keyed by `provider:model` and beats the public table. The price is None where
    nothing is known about the model, or where the use has units that no rate covers: unpriced is
    not free. `at` is the moment of the use in seconds since the epoch, because prices change.
    """
    if provider in FREE_TABLES:
        return "0", FREE_TABLES[provider]
    rates = overrides.get(f"{provider}:{model}")
    if rates is not None:
        return _negotiated(rates, usage), rates.table
    return _listed(provider, model, usage, at), table_name()


@cache
def table_name() -> str:
    """Name and version of the public price table that is installed."""
    from genai_prices import __version__

    return f"genai-prices {__version__}"


def _negotiated(rates: Rates, usage: Usage) -> str | None:
    if (usage.pages and not rates.page) or (usage.images and not rates.image):
        return None
    fresh = usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens
    total = (
        Decimal(rates.input) * max(0, fresh)
        + Decimal(rates.cached or rates.input) * usage.cached_tokens
        + Decimal(rates.cache_write or rates.input) * usage.cache_write_tokens
        + Decimal(rates.output) * usage.output_tokens
    )
    pieces = Decimal(rates.page or "0") * usage.pages + Decimal(rates.image or "0") * usage.images
    return _decimal(total / MILLION + pieces)


def _listed(provider: str, model: str, usage: Usage, at: float) -> str | None:
    from genai_prices import Usage as Units
    from genai_prices import calc_price

    if usage.pages or usage.images:
        return None
    units = Units(
        input_tokens=usage.input_tokens,
        cache_read_tokens=usage.cached_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        output_tokens=usage.output_tokens,
        output_reasoning_tokens=usage.reasoning_tokens,
    )
    moment = datetime.fromtimestamp(at, UTC)
    try:
        found = calc_price(units, model, provider_id=provider, genai_request_timestamp=moment)
    # ValueError: parts that are larger than their whole, as some gateways report them.
    except (LookupError, ValueError):
        return None
    return _decimal(found.total_price)


def _decimal(amount: Decimal) -> str:
    text = f"{amount:f}"
    return (text.rstrip("0").rstrip(".") or "0") if "." in text else text
