"""Slack tells that a message was edited, and what follows depends on whether its words changed."""

from typing import Any

import pytest

from tests.slack.envelopes import BOT, TEAM, Json, envelope, message

TS, EDIT = "1796000000.000100", "1796000050.000300"
ME = f"<@{BOT}>"
OLD, NEW = f"{ME} how many orders?", f"{ME} how many bikes?"


def edit(old: str, new: str, *, edited: Any = None, **fields: Any) -> Json:
    mark = {"user": "U0MARA", "ts": EDIT} if edited is None else edited
    now = message(new, edited=mark, **fields)
    before = message(old, **fields)
    return message(
        ts="1796000050.000400",
        subtype="message_changed",
        hidden=True,
        user=None,
        text=None,
        message=now,
        previous_message=before,
    )


async def heard(bot: Any, event: Json) -> tuple[list[str], list[str]]:
    assert await bot.send_json(envelope(event)) == 200
    return [q.text for q in bot.door.questions], [q.text for q in bot.door.revised]


async def test_case_25_an_edit_that_adds_the_mention_asks(bot):
    asked, revised = await heard(bot, edit("how many bikes?", NEW))
    assert (asked, revised) == (["how many bikes?"], [])
    [found] = bot.door.questions
    assert found.delivery == f"slack:{TEAM}/C0SALES/{TS}"
    assert found.said_at == pytest.approx(float(EDIT))


async def test_case_25_an_edit_of_the_question_revises_it(bot):
    assert await heard(bot, edit(OLD, NEW)) == ([], ["how many bikes?"])
    assert bot.door.revised[0].delivery == f"slack:{TEAM}/C0SALES/{TS}"


@pytest.mark.parametrize(
    "event",
    [
        edit(OLD, OLD),
        edit(OLD, OLD, attachments=[{"from_url": "https://a.example"}]),
        edit(OLD, NEW, edited={}),
        edit(OLD, NEW, edited={"user": "U0SOMEBODY", "ts": EDIT}),
        edit(OLD, NEW, edited={"user": "U0MARA", "ts": "1796090000.000100"}),
        edit(OLD, "how many bikes?"),
        edit("a", "b"),
        edit(OLD, NEW, bot_id="B00000001"),
        edit(OLD, NEW, bot_id="B00000009"),
        edit(OLD, NEW, user=BOT, edited={"user": BOT, "ts": EDIT}),
        edit(OLD, f"&gt; {ME} how many bikes?"),
        edit("how many?", f"`{ME}` how many?"),
    ],
)
async def test_case_25_previews_redrawn_cards_and_tidying_start_nothing(bot, event: Json):
    assert await heard(bot, event) == ([], [])


async def test_who_rewrites_many_messages_at_once_is_left_alone(bot):
    for number in range(30):
        ts = f"1796000000.{number:06}"
        assert await bot.send_json(envelope(edit(OLD, NEW, ts=ts))) == 200
    assert len(bot.door.revised) == 5


async def test_an_edit_that_was_not_committed_is_asked_for_again(bot):
    bot.door.outages = 1
    assert await bot.send_json(envelope(edit(OLD, NEW))) == 503
    assert await bot.send_json(envelope(edit(OLD, NEW))) == 200
    assert len(bot.door.revised) == 1
