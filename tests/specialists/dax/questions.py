"""Forty questions about the star schema: their DAX, the SQL that gives the same, and wrong DAX."""

from decimal import Decimal
from typing import Any

from core.specialists.sql.result import Ending
from tests.fakes.powerbi.star import star

BY_CATEGORY = (
    "EVALUATE SUMMARIZECOLUMNS('Product'[Category], \"Sales\", [Total Sales])"
    " ORDER BY 'Product'[Category]"
)
JOINED = (
    'FROM "Sales" s JOIN "Product" p USING ("ProductKey") JOIN "Customer" c USING ("CustomerKey")'
    ' JOIN "Date" d ON d."Date" = s."DateKey"'
)


def cells(ending: Ending) -> list[tuple[Any, ...]]:
    assert ending.brought is not None, ending
    return [tuple(map(_number, row)) for row in ending.brought.rows.rows]


def _number(cell: Any) -> Any:
    is_number = isinstance(cell, Decimal | float) and not isinstance(cell, bool)
    return round(float(cell), 6) if is_number else cell


def by_hand(sql: str) -> list[tuple[Any, ...]]:
    return [tuple(map(_number, row)) for row in star().db.execute(sql).fetchall()]


QUESTIONS: list[tuple[str, str, str]] = []


def _asked(question: str, dax: str, sql: str) -> None:
    QUESTIONS.append((question, dax, sql.replace("JOINED", JOINED)))


_asked("total", 'EVALUATE ROW("t", [Total Sales])', 'SELECT SUM("Amount") FROM "Sales"')
_asked("units", 'EVALUATE ROW("u", [Units])', 'SELECT SUM("Quantity") FROM "Sales"')
_asked("orders", 'EVALUATE ROW("o", [Orders])', 'SELECT COUNT(*) FROM "Sales"')
_asked(
    "buyers", 'EVALUATE ROW("c", [Customers])', 'SELECT COUNT(DISTINCT "CustomerKey") FROM "Sales"'
)
_asked("average", 'EVALUATE ROW("a", [Avg Order])', 'SELECT AVG("Amount") FROM "Sales"')
_asked(
    "all three",
    'EVALUATE ROW("t", [Total Sales], "u", [Units], "o", [Orders])',
    'SELECT SUM("Amount"), SUM("Quantity"), COUNT(*) FROM "Sales"',
)
MEASURES = {
    "Total Sales": 'SUM("Amount")',
    "Units": 'SUM("Quantity")',
    "Orders": "COUNT(*)",
    "Avg Order": 'AVG("Amount")',
}
GROUPS = {
    "'Product'[Category]": 'p."Category"',
    "'Customer'[Country]": 'c."Country"',
    "'Date'[Year]": 'd."Year"',
    "'Product'[Name]": 'p."Name"',
}
for _measure, _sum in MEASURES.items():
    for _group, _column in GROUPS.items():
        _asked(
            f"{_measure} by {_group}",
            f'EVALUATE SUMMARIZECOLUMNS({_group}, "m", [{_measure}]) ORDER BY {_group}',
            f"SELECT {_column}, {_sum} JOINED GROUP BY 1 ORDER BY 1",
        )
for _year in (2024, 2025):
    _asked(
        f"sales of {_year} by month",
        f"EVALUATE SUMMARIZECOLUMNS('Date'[Month], TREATAS({{{_year}}}, 'Date'[Year]), \"s\","
        " [Total Sales]) ORDER BY 'Date'[Month]",
        f'SELECT d."Month", SUM("Amount") JOINED WHERE d."Year" = {_year} GROUP BY 1 ORDER BY 1',
    )
    _asked(
        f"bikes in {_year}",
        f"EVALUATE ROW(\"s\", CALCULATE([Total Sales], 'Date'[Year] = {_year},"
        " 'Product'[Category] = \"Bikes\"))",
        f"""SELECT SUM("Amount") JOINED WHERE d."Year" = {_year} AND p."Category" = 'Bikes'""",
    )
    for _land in ("DK", "US", "SE"):
        _asked(
            f"orders from {_land} in {_year}",
            f"EVALUATE ROW(\"o\", CALCULATE([Orders], 'Date'[Year] = {_year},"
            f" 'Customer'[Country] = \"{_land}\"))",
            f"""SELECT COUNT(*) JOINED WHERE d."Year" = {_year} AND c."Country" = '{_land}'""",
        )
_asked(
    "share by category",
    "EVALUATE SUMMARIZECOLUMNS('Product'[Category], \"s\", [Share]) ORDER BY 'Product'[Category]",
    'SELECT p."Category", SUM("Amount")::DOUBLE / (SELECT SUM("Amount") FROM "Sales") JOINED'
    " GROUP BY 1 ORDER BY 1",
)
_asked(
    "sales beside those of 2025",
    'EVALUATE SUMMARIZECOLUMNS(\'Product\'[Name], "s", [Total Sales], "n", [Sales 2025])'
    " ORDER BY 'Product'[Name]",
    'SELECT p."Name", SUM("Amount"), SUM("Amount") FILTER (WHERE d."Year" = 2025) JOINED'
    " GROUP BY 1 ORDER BY 1",
)
_asked(
    "the two best",
    "EVALUATE TOPN(2, SUMMARIZECOLUMNS('Customer'[Name], \"s\", [Total Sales]), [s], DESC)"
    " ORDER BY [s] DESC",
    'SELECT c."Name", SUM("Amount") JOINED GROUP BY 1 ORDER BY 2 DESC LIMIT 2',
)
_asked(
    "value of what was sold",
    "DEFINE MEASURE Sales[Value] = SUMX(Sales, Sales[Amount] * Sales[Quantity])"
    ' EVALUATE ROW("v", [Value])',
    'SELECT SUM("Amount" * "Quantity") FROM "Sales"',
)
for _group in list(GROUPS)[:4]:
    _asked(
        f"buyers by {_group}",
        f'EVALUATE SUMMARIZECOLUMNS({_group}, "c", [Customers]) ORDER BY {_group} DESC',
        f'SELECT {GROUPS[_group]}, COUNT(DISTINCT s."CustomerKey") JOINED GROUP BY 1'
        " ORDER BY 1 DESC",
    )
WRONG = (
    "EVALUATE SUMMARIZECOLUMNS('Product'[Categ], \"m\", [Total Sales])",
    'EVALUATE ROW("t", [Total Sale])',
    "EVALUATE SUMMARIZECOLUMNS('Product'[Category], \"m\", [Total Sales]",
    "SELECT SUM(Amount) FROM Sales",
    'EVALUATE ROW("x", RELATED(Sales[Amount]))',
)
"""The last one passes the guard and is refused by the service."""
