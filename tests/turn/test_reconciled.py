"""The books of random turns, with faults on the way, are what the provider counted."""

from decimal import Decimal
from pathlib import Path

import pytest

from tests.turn.books import books

TURNS = 100
"""As many as a gate has time for; `python -m tests.turn.books` takes a thousand."""


@pytest.mark.promise("L4", "core.ledger")
async def test_random_turns_with_every_fault_cost_what_the_provider_counted(
    tmp_path: Path,
) -> None:
    found = await books(tmp_path, TURNS)

    assert len(found.rows) == found.requests
    # Exactly, not to the cent alone: what was said, and what was said before an answer broke off.
    assert found.booked == found.billed > 0
    assert found.said == found.announced > 0
    partial = [row for row in found.rows if row["is_partial"]]
    assert len(partial) == found.broken > 0
    assert all(row["likely_price"] is not None for row in partial)
    # The rest nobody can know. The estimate is one: right within a half, and never below what is
    # known.
    assert found.said <= found.likely
    assert Decimal("0.5") < found.likely / found.unsaid < Decimal(2)
