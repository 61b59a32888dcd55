"""The order book of Larkspur Cycles, an invented bicycle maker: reads it and adds it up."""

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Literal

Region = Literal["Nordics", "DACH", "Benelux", "UK & Ireland", "Iberia"]
Quarter = Literal["Q1", "Q2", "Q3", "Q4"]
Year = Literal[2025, 2026]
GroupBy = Literal["region", "product", "category", "month", "quarter", "customer"]

AS_OF = "2026-09-30"
"""The last day of the order book."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    id: str
    day: date
    customer_id: str
    customer: str
    region: str
    product: str
    category: str
    units: int
    revenue: Decimal
    """Euros, net."""

    @property
    def quarter(self) -> str:
        return f"{self.day.year}-Q{(self.day.month + 2) // 3}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """One line of a report."""

    label: str
    orders: int
    units: int
    revenue: Decimal


@cache
def table(name: str) -> tuple[dict[str, str], ...]:
    """The rows of one of the bundled files: `orders`, `customers` or `products`."""
    text = files("core.specialists.sample").joinpath(f"{name}.csv").read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))


@cache
def orders() -> tuple[Order, ...]:
    """Every order, by day."""
    customers = {row["customer_id"]: row for row in table("customers")}
    products = {row["product_id"]: row for row in table("products")}
    return tuple(
        Order(
            id=row["order_id"],
            day=date.fromisoformat(row["ordered_on"]),
            customer_id=row["customer_id"],
            customer=customers[row["customer_id"]]["customer"],
            region=customers[row["customer_id"]]["region"],
            product=products[row["product_id"]]["product"],
            category=products[row["product_id"]]["category"],
            units=int(row["units"]),
            revenue=Decimal(row["revenue_eur"]),
        )
        for row in table("orders")
    )


def select(
    *, quarter: Quarter | None = None, year: Year | None = None, region: Region | None = None
) -> tuple[tuple[Order, ...], str]:
    """The orders of a period and a region, with the name of the period. A quarter without a year
    is the latest one that the order book has."""
    if quarter is not None and year is None:
        latest = max(o.day.year for o in orders() if o.quarter.endswith(quarter))
        year = 2026 if latest == 2026 else 2025
    chosen = tuple(
        order
        for order in orders()
        if (year is None or order.day.year == year)
        and (quarter is None or order.quarter.endswith(quarter))
        and (region is None or order.region == region)
    )
    period = " ".join(str(part) for part in (quarter, year) if part is not None)
    return chosen, period or "2025 Q1 to 2026 Q3"


def totals(chosen: Iterable[Order], group_by: GroupBy) -> list[Total]:
    """One line per group: by time in order, everything else by revenue, the largest first."""
    label: dict[GroupBy, Callable[[Order], str]] = {
        "region": lambda order: order.region,
        "product": lambda order: order.product,
        "category": lambda order: order.category,
        "month": lambda order: f"{order.day:%Y-%m}",
        "quarter": lambda order: order.quarter,
        "customer": lambda order: order.customer,
    }
    groups: dict[str, list[Order]] = {}
    for order in chosen:
        groups.setdefault(label[group_by](order), []).append(order)
    lines = [
        Total(
            label=name,
            orders=len(group),
            units=sum(order.units for order in group),
            revenue=sum((order.revenue for order in group), Decimal(0)),
        )
        for name, group in groups.items()
    ]
    if group_by in ("month", "quarter"):
        return sorted(lines, key=lambda line: line.label)
    return sorted(lines, key=lambda line: (-line.revenue, line.label))
