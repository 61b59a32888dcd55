"""Connecting step by step: what somebody lacked is asked for, and then works."""

import json
import re

from tests.house import House, house
from tests.turn.reading import MENTION, text_of
from tests.whole.test_approval import follow

LINK = re.compile(r"http://127\.0\.0\.1:\d+/connect/start\?[^\s\"|>\\]+")


async def connect(bot: House) -> str:
    """Say `connect`, follow the private link; the last page."""
    before = len(bot.slack.ephemerals("mara", "sales"))
    await bot.slack.say("mara", "sales", f"{MENTION} connect")
    link = await bot.slack.wait_for(
        lambda: LINK.search(json.dumps(bot.slack.ephemerals("mara", "sales")[before:])), 10
    )
    return await follow(bot, link.group(), "mara")


async def test_connect_asks_for_what_was_lacking_and_the_question_works_then(tmp_path) -> None:
    async with house(tmp_path) as bot:
        [refused] = await bot.ask(f"{MENTION} what is in my calendar?")
        assert "open the private link" in text_of(refused).lower()

        assert "You are signed in" in await connect(bot)

        [told] = await bot.ask(f"{MENTION} what is in my calendar?")
        assert "Badger Trail launch" in json.dumps(told["blocks"])


async def test_a_second_thing_needs_a_second_step_and_keeps_the_first(tmp_path) -> None:
    async with house(tmp_path) as bot:
        await bot.ask(f"{MENTION} what is in my calendar?")
        await connect(bot)

        [refused] = await bot.ask(f"{MENTION} find the mail about the discount step")
        assert "not yet allowed this" in text_of(refused)
        await connect(bot)

        [mail] = await bot.ask(f"{MENTION} find the mail about the discount step")
        assert "Ingrid Solheim" in json.dumps(mail["blocks"])
        [events] = await bot.ask(f"{MENTION} what is in my calendar?")
        assert "Badger Trail launch" in json.dumps(events["blocks"])


async def test_only_people_of_other_organisations_are_external_in_the_local_workspace(
    tmp_path,
) -> None:
    async with house(tmp_path) as bot:
        answers = await bot.ask(
            f"{MENTION} mail the Q3 summary to priya@larkspur.example and ingrid@fjord-fell.example"
        )
        shown = json.dumps(answers[0]["blocks"])
        before, _, after = shown.partition("priya@larkspur.example")

        assert after.count("external") == 1
        assert "external" not in before
        assert after.index("ingrid@fjord-fell.example") < after.index("external")
