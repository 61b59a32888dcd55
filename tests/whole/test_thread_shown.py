"""What a thread said before the question reaches the model as data, and people by their names."""

import json
import re
from pathlib import Path

from tests.fakes.model_script import say
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.turn.reading import MENTION
from tests.whole.test_approval import follow

TOMAS = "<@U0TOMAS>"


async def test_the_model_is_shown_the_thread_and_names(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models, house(tmp_path, models=models) as bot:
        models.script([say("About bikes.")])
        root = await bot.slack.say("priya", "sales", "Bikes are late &amp; I am sad", is_told=False)
        await bot.ask(f"{MENTION} what does {TOMAS} say?", thread_ts=root)
        [asked] = [one for one in models.asked if one.route != "embeddings"]
        sent = json.dumps(asked.body, ensure_ascii=False)
        assert "what does @Tomás Ferrer say?" in sent and "@Tomás Ferrer is U0TOMAS" in sent
        assert re.search(r"\[[^\]]*another person\] Priya Nair: Bikes are late", sent)
        assert "<@" not in sent


async def test_the_demo_model_finds_the_person_who_is_mentioned(tmp_path: Path) -> None:
    async with house(tmp_path) as bot:
        ts = await bot.slack.say("mara", "sales", f"{MENTION} mail the Q3 summary to {TOMAS}")

        def link() -> re.Match[str] | None:
            shown = json.dumps(bot.slack.ephemerals("mara", "sales"))
            return re.search(r"http://127\.0\.0\.1:\d+/connect/start\?[^\s\"|>\\]+", shown)

        await follow(bot, (await bot.slack.wait_for(link, 20))[0], "mara")
        await bot.answers("sales", ts, 1)
        await bot.slack.say("mara", "sales", f"{MENTION} mail “Hello” to {TOMAS}", ts)
        await bot.slack.wait_for(
            lambda: "tomas@larkspur.example" in json.dumps(bot.slack.replies("sales", ts)), 20
        )
