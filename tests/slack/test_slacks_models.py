"""Slack's own block models agree with what we send and with what the stand-in takes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View

from tests.slack.test_limits import everything
from tests.workspace.limits_table import LIMITS, Limit

Json = dict[str, Any]
GUIDE = Path(__file__).parents[2] / "docs" / "slack-setup.md"
UNKNOWN = {"data_table", "data_visualization"}
"""Types of blocks that the library has no model of."""


def blocks_of(one: Json) -> Iterator[Json]:
    yield from one.get("blocks") or one.get("view", {}).get("blocks") or ()


def refusals(one: Json) -> list[str]:
    """What the models say against a message or a view."""
    found: list[str] = []
    for block in blocks_of(one):
        model = Block.parse(block)
        if model is None:
            assert block["type"] in UNKNOWN
            continue
        try:
            model.to_dict()
        except SlackObjectFormationError as error:
            found.append(str(error))
    if "view" in one:
        try:
            View(**one["view"]).to_dict()
        except SlackObjectFormationError as error:
            found.append(str(error))
    return found


def test_the_models_refuse_nothing_that_we_send() -> None:
    for one in everything():
        assert refusals(one) == []


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.name)
def test_the_models_refuse_nothing_that_the_stand_in_takes(limit: Limit) -> None:
    for n in (limit.most - 1, limit.most):
        assert refusals(limit.build(n)) == []


def test_the_models_do_refuse_what_they_know_to_be_too_much() -> None:
    """And the stand-in with them: the table of limits is what it is held to."""
    refused = {limit.name for limit in LIMITS if refusals(limit.build(limit.most + 1))}
    assert refused >= {"section_text", "header", "context_elements", "button_text", "view_title"}


def test_what_they_do_not_know_is_sent_within_our_limits_and_called_unverified() -> None:
    sent = {block["type"] for one in everything() for block in blocks_of(one)}
    assert sent & UNKNOWN == UNKNOWN
    [row] = [line for line in GUIDE.read_text("utf-8").splitlines() if "data_visualization" in line]
    assert all(f"`{name}`" in row for name in UNKNOWN) and "Unverified" in row
