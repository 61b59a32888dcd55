"""Amounts as people read them: in the currency of the installation."""

from dataclasses import dataclass
from decimal import Decimal

from core.storage.usage import PICOS

_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "CHF": "CHF "}


@dataclass(frozen=True, slots=True, kw_only=True)
class Currency:
    """What amounts are shown and budgets are set in. The ledger itself counts dollars."""

    code: str = "USD"
    per_dollar: Decimal = Decimal(1)

    def shown(self, picos: int) -> str:
        """`$0.021`, `€12.40`; what is below a thousandth says so."""
        amount = Decimal(picos) / PICOS * self.per_dollar
        sign = _SIGNS.get(self.code, f"{self.code} ")
        if not amount:
            return f"{sign}0"
        if abs(amount) < Decimal("0.001"):
            return f"<{sign}0.001"
        return f"{sign}{amount:,.3f}" if abs(amount) < 1 else f"{sign}{amount:,.2f}"

    def number(self, picos: int) -> float:
        """For charts and spreadsheets."""
        return float(round(Decimal(picos) / PICOS * self.per_dollar, 6))

    def picos(self, amount: Decimal) -> int:
        """An amount of this currency in picodollars."""
        return int(amount / self.per_dollar * PICOS)


DOLLARS = Currency()
