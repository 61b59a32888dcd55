"""A database that questions are answered from, as the operator described it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["sqlite", "duckdb", "postgres", "mssql", "fabric", "databricks"]
Dialect = Literal["sqlite", "duckdb", "postgres", "tsql", "databricks"]

DIALECTS: Mapping[Kind, Dialect] = {
    "sqlite": "sqlite",
    "duckdb": "duckdb",
    "postgres": "postgres",
    "mssql": "tsql",
    "fabric": "tsql",
    "databricks": "databricks",
}
"""The dialect that each kind of source speaks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table or view that is in scope."""

    name: str
    """As a query names it: `orders`, `sales.orders` or `corp.sales.orders`."""
    description: str = ""
    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    """What a column holds, by its name; a column without a text is in scope nonetheless."""
    hidden: frozenset[str] = frozenset()
    """Columns that do not exist for us: neither shown nor read nor compared."""
    unprofiled: frozenset[str] = frozenset()
    """Columns whose values are never looked at ahead of a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """How a figure of the business is computed."""

    name: str
    sql: str
    """An expression: `SUM(orders.amount)`."""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A question whose SQL somebody answers for."""

    question: str
    sql: str
    owner: str
    checked: str
    """The day it was last looked at, `2026-10-01`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One database, from one entry of the `sources` section or one file that it names."""

    id: str
    """A word: the tool is `connector:<id>`."""
    title: str
    kind: Kind
    connection: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """What the engine needs to connect, by its own names; secrets are filled in already."""
    tables: tuple[Table, ...] = ()
    """What is in scope. Empty: everything that the asking person may see."""
    description: str = ""
    glossary: Mapping[str, str] = field(default_factory=dict[str, str])
    metrics: tuple[Metric, ...] = ()
    joins: tuple[str, ...] = ()
    """`orders.customer_id = customers.id`"""
    verified: tuple[Verified, ...] = ()
    time_zone: str = "UTC"
    """IANA name: in which the source's dates and times are meant."""

    @property
    def dialect(self) -> Dialect:
        return DIALECTS[self.kind]
