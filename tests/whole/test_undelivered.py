"""An answer that Slack does not take is a failure that the one who asked hears of."""

from pathlib import Path

import pytest

from bot.workspace.slack.records import Fault
from tests.fakes.model_script import say
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.turn.reading import MENTION


@pytest.mark.parametrize("word", ["channel_not_found", "is_archived"])
async def test_case_6_ok_false_is_heard_of_directly(tmp_path: Path, word: str) -> None:
    """Nor can they be told beside the question."""
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        models.script([say("Four.")])
        for method in ("chat.postMessage", "chat.postEphemeral"):
            bot.slack.fail(method, Fault(error=word))
        ts = await bot.slack.say("mara", "sales", f"{MENTION} how many?")
        direct = bot.slack.direct("mara")
        [told] = await bot.slack.wait_for(lambda: bot.slack.messages(direct), 20)
        assert "could not post my answer" in told["text"] and "Four." in str(told)
        assert bot.slack.replies("sales", ts) == []
        states = await bot.bot.rooms.db.fetch("SELECT state FROM outbox ORDER BY seq")
        assert "failed" in [row["state"] for row in states]
