"""Slack tells that a message is gone, and the core is told which question that was."""

from typing import Any

import pytest

from tests.slack.envelopes import TEAM, envelope, message

GONE = "1796000000.000100"
DELETED = {"subtype": "message_deleted", "deleted_ts": GONE, "hidden": True}
TOMBSTONE = {"subtype": "message_changed", "message": {"subtype": "tombstone", "ts": GONE}}


@pytest.mark.parametrize("how", [DELETED, TOMBSTONE])
async def test_the_deleted_message_is_named_by_its_delivery(bot, how: dict[str, Any]):
    """Case 28. Once a message has replies, Slack leaves a tombstone where it stood."""
    assert await bot.send_json(envelope(message(ts="1796000009.000100", **how))) == 200
    assert bot.door.taken_back == [f"slack:{TEAM}/C0SALES/{GONE}"]
    assert bot.door.questions == []


@pytest.mark.parametrize(
    "how",
    [
        {"subtype": "message_changed", "message": {"text": "edited", "ts": GONE}},
        {"subtype": "message_deleted", "deleted_ts": "yesterday"},
        {"subtype": "message_deleted"},
        {"subtype": "channel_join", "deleted_ts": GONE},
    ],
)
async def test_what_is_no_deletion_takes_nothing_back(bot, how: dict[str, Any]):
    assert await bot.send_json(envelope(message(ts="1796000009.000100", **how))) == 200
    assert bot.door.taken_back == []


async def test_a_deletion_that_was_not_committed_is_asked_for_again(bot):
    bot.door.outages = 1
    sent = envelope(message(ts="1796000009.000100", **DELETED))
    assert await bot.send_json(sent) == 503 and bot.door.taken_back == []
    assert await bot.send_json(sent) == 200 and len(bot.door.taken_back) == 1
