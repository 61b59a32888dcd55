"""A specialist knows for whom it works from the headers of its call alone."""

import pytest

from core.specialists.errand import errand

HEADERS = {
    "X-Countersign-Turn": "t1",
    "x-countersign-thread": "slack%3AC1/1.2",
    "x-countersign-person": "p%C3%A91",
    "x-countersign-place": "slack:T1/C1",
    "x-countersign-round": "2",
    "x-countersign-purpose": "answer",
    "x-countersign-tool": "sales/ask",
}


def test_what_a_specialist_uses_is_billed_to_the_turn_that_called_it() -> None:
    billing = errand(HEADERS).billing
    assert (billing.turn, billing.thread, billing.person) == ("t1", "slack:C1/1.2", "pé1")
    assert (billing.place, billing.round, billing.tool) == ("slack:T1/C1", 2, "sales/ask")
    assert billing.purpose == "specialist"


@pytest.mark.parametrize("headers", [None, {}, {"x-countersign-turn": "t1"}])
def test_a_call_that_names_nobody_is_refused(headers: dict[str, str] | None) -> None:
    with pytest.raises(ValueError, match="names no turn"):
        errand(headers)


def test_only_a_bearer_token_is_taken_and_it_is_not_shown() -> None:
    found = errand({**HEADERS, "Authorization": "Bearer secret-1"})
    assert found.token == "secret-1"
    assert "secret-1" not in repr(found)
    assert errand({**HEADERS, "Authorization": "Basic secret-1"}).token == ""
