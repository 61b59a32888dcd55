"""Says in one line what an answer has cost."""

from decimal import Decimal, InvalidOperation

from core.records import Cost


def line(cost: Cost) -> str:
    """`gpt-5.5 · 3 calls · 8.2k tokens · $0.021 · 6 s`; plain text."""
    calls = f"{cost.calls} call" + ("" if cost.calls == 1 else "s")
    pieces = [", ".join(cost.models), calls, f"{_short(cost.tokens)} tokens", _money(cost)]
    return " · ".join([*filter(None, pieces), _seconds(cost.seconds)])


def _short(count: int) -> str:
    if count < 1_000:
        return str(count)
    if count < 999_950:
        return f"{count / 1_000:.1f}k"
    return f"{count / 1_000_000:.1f}M"


def _money(cost: Cost) -> str:
    """A part without a known price is named, never counted as nothing."""
    try:
        amount = Decimal(cost.price)
    except InvalidOperation:
        return "unpriced"
    if cost.unpriced and not amount:
        return "unpriced"
    return _dollars(amount) + (" + unpriced" if cost.unpriced else "")


def _dollars(amount: Decimal) -> str:
    if not amount:
        return "$0"
    if amount < Decimal("0.001"):
        return "<$0.001"
    return f"${amount:.3f}" if amount < 1 else f"${amount:.2f}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds >= 1 else f"{seconds:.1f} s"
