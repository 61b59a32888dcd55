"""Says what a table holds, so that two databases can be compared across engines."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Value = int | float | str | bytes | None


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the state, with the columns that are compared."""

    name: str
    columns: tuple[str, ...]


@dataclass(slots=True)
class Amount:
    """How many rows, and a digest of them that does not depend on their order: the two engines
    sort texts differently."""

    rows: int = 0
    digest: int = 0
    """The SHA-256 of each row, added up modulo 2**256."""

    def add(self, row: tuple[Value, ...]) -> None:
        # A row's `repr` tells 1 from 1.0, 'x' from b'x', and is the same for both drivers' values.
        of_row = int.from_bytes(hashlib.sha256(repr(row).encode("utf-8", "surrogatepass")).digest())
        self.digest = (self.digest + of_row) % (1 << 256)
        self.rows += 1


Amounts = Mapping[str, Amount]
"""By the name of the table."""


def amount(rows: Iterable[tuple[Value, ...]]) -> Amount:
    found = Amount()
    for row in rows:
        found.add(row)
    return found


def differences(one: Amounts, other: Amounts) -> list[str]:
    """The tables that do not hold the same rows; one that is missing holds none."""
    names = sorted({*one, *other})
    return [name for name in names if one.get(name, Amount()) != other.get(name, Amount())]
