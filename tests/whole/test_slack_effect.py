"""A post to another channel waits for a click like any effect, and stands there once."""

import json
from pathlib import Path

import pytest

from bot.workspace.slack.records import Fault
from tests.fakes.model_script import calls, say
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.turn.reading import MENTION
from tests.whole.test_approval import buttons, cards

WRITE = "chat.postMessage"


@pytest.mark.parametrize("fault", [Fault(), Fault(drop="after")])
async def test_a_post_to_slack_is_made_once_after_the_click(tmp_path: Path, fault: Fault) -> None:
    """Also where Slack's answer gets lost: then the post is found by its marker."""
    async with ModelServer(dimensions=1536) as models:
        post = calls(("office_post_to_slack", {"channel": "#general", "text": "**Q3** is out."}))
        models.script([post, say("It waits as #1.")])
        async with house(tmp_path, models=models) as bot:
            [answer] = await bot.ask(f"{MENTION} announce Q3 in general")
            ts = answer["thread_ts"]
            card = await bot.slack.wait_for(
                lambda: next((m for m in cards(bot, ts) if "send" in buttons(m)), None), 10
            )
            await bot.answers("sales", ts, 2)
            shown = json.dumps(card["blocks"])
            assert "#general" in shown and "Q3" in shown and "the bot" in shown
            assert bot.slack.messages("general") == []

            bot.slack.fail(WRITE, fault)
            await bot.slack.click("mara", card, "call.send")
            done = await bot.slack.wait_for(
                lambda: next((m for m in cards(bot, ts) if "Posted in #general" in str(m)), None),
                20,
            )
            assert buttons(done) == []
            [message] = bot.slack.messages("general")
            assert "Q3" in message["text"]
