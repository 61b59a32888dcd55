"""Forged, altered, stale and malformed deliveries are told from Slack's own."""

import pytest

from adapters.slack import verify
from tests.slack.forged import BODY, NOW, SECRET, forgeries, sign


def is_taken(timestamps: list[str], signatures: list[str], body: bytes) -> bool:
    claimed = verify.claim(timestamps, signatures, NOW)
    return claimed is not None and verify.is_genuine(claimed, body, SECRET)


@pytest.mark.parametrize("age", [0, 299, -299, 300, -300])
def test_a_fresh_signature_is_taken(age):
    timestamp = str(int(NOW - age))
    assert is_taken([timestamp], [sign(BODY, timestamp)], BODY)


@pytest.mark.promise("I1", "adapters.slack")
def test_none_of_5000_forged_deliveries_is_taken():
    assert sum(is_taken(*forged) for forged in forgeries(5_000)) == 0


def test_the_window_is_five_minutes_in_both_directions():
    for seconds in (301, -301):
        timestamp = str(int(NOW - seconds))
        assert not is_taken([timestamp], [sign(BODY, timestamp)], BODY)
