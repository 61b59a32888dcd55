"""`kill -9` in the middle of a turn: after the next start it ends where people see it, once."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot.workspace.slack.records import App
from bot.workspace.slack_server import SlackStandIn
from tests.fakes.model_script import Asked, Step, call, hang, say, stall
from tests.fakes.model_server import ModelServer
from tests.whole.process import running

MENTION = "<@U0COUNTER>"


def environment(slack: SlackStandIn, models: ModelServer) -> dict[str, str]:
    """Real Slack settings, pointed at the stand-in: no local workspace is involved."""
    app: App = slack.app
    return {
        "SLACK_BOT_TOKEN": app.bot_token,
        "SLACK_SIGNING_SECRET": app.signing_secret,
        "SLACK_API_URL": slack.api_url,
        "COUNTERSIGN_MODEL": "openai:gpt-5.5",
        "COUNTERSIGN_EMBEDDINGS": "openai:text-embedding-3-small",
        "OPENAI_API_KEY": "sk-" + "t" * 40,
        "OPENAI_BASE_URL": models.openai_url,
    }


def answers(slack: SlackStandIn, ts: str) -> list[dict[str, Any]]:
    return [m for m in slack.replies("sales", ts) if m.get("bot_id")]


@pytest.mark.promise("D8", "core.turn")
@pytest.mark.parametrize("moment", ["before the first call", "after a round"])
async def test_a_turn_that_a_crash_cut_short_is_answered_once_after_the_restart(
    tmp_path: Path, moment: str
) -> None:
    is_killed = False

    def step(asked: Asked) -> Step:
        rounds = sum(message["role"] == "tool" for message in asked.messages)
        if not is_killed and rounds == (moment == "after a round"):
            return hang()
        return say("Here I am again.") if rounds else call("read_result", evidence="none")

    async with SlackStandIn() as slack, ModelServer(dimensions=1536) as models:
        models.answer(step)
        async with running(tmp_path, environment=environment(slack, models)) as first:
            slack.connect(f"{first.bot}/slack/events")
            ts = await slack.say("mara", "sales", f"{MENTION} what did we sell?")
            async with asyncio.timeout(20):
                await models.has_stalled.wait()
            first.kill()
            await first.process.wait()
        assert answers(slack, ts) == []
        before = len([a for a in models.asked if a.route != "embeddings"])

        is_killed = True
        async with running(tmp_path, environment=environment(slack, models)) as second:
            slack.connect(f"{second.bot}/slack/events")
            await slack.wait_for(lambda: answers(slack, ts), 30)
            await slack.deliver(slack.envelope_for("sales", ts), retry=2)
            assert await second.stop() == 0

    [answer] = answers(slack, ts)
    assert "Here I am again." in answer["text"]
    asked_again = len([a for a in models.asked if a.route != "embeddings"]) - before
    # Rounds that were finished are not repeated: only the call that hung is made anew.
    assert asked_again == (2 if moment == "before the first call" else 1)


@pytest.mark.promise("D8", "core.turn")
async def test_an_answer_that_a_crash_cut_off_while_it_was_shown_stands_there_once_and_whole(
    tmp_path: Path,
) -> None:
    is_killed = False
    beginning = "We sold a lot, and here is how much of what.\n\n" * 40

    def step(asked: Asked) -> Step:
        return say("In short: **17** orders.") if is_killed else stall(beginning)

    async with SlackStandIn() as slack, ModelServer(dimensions=1536) as models:
        models.answer(step)
        async with running(tmp_path, environment=environment(slack, models)) as first:
            slack.connect(f"{first.bot}/slack/events")
            ts = await slack.say("mara", "sales", f"{MENTION} what did we sell?")
            await slack.wait_for(lambda: answers(slack, ts), 30)
            first.kill()
            await first.process.wait()
        [left] = answers(slack, ts)
        assert left["streaming_state"] == "in_progress" and "a lot" in str(left["blocks"])

        is_killed = True
        async with running(tmp_path, environment=environment(slack, models)) as second:
            slack.connect(f"{second.bot}/slack/events")
            await slack.wait_for(lambda: "streaming_state" not in answers(slack, ts)[0], 30)
            assert await second.stop() == 0

    [answer] = answers(slack, ts)
    assert answer["ts"] == left["ts"]
    assert "streaming_state" not in answer
    assert answer["text"] == "In short: 17 orders."
    assert "a lot" not in str(answer["blocks"])


@pytest.mark.promise("D8", "core.turn")
async def test_a_turn_that_takes_the_process_down_again_and_again_ends_with_a_sentence(
    tmp_path: Path,
) -> None:
    async with SlackStandIn() as slack, ModelServer(dimensions=1536) as models:
        models.answer(lambda _: hang())
        ts = ""
        for _ in range(3):
            models.has_stalled.clear()
            async with running(tmp_path, environment=environment(slack, models)) as bot:
                slack.connect(f"{bot.bot}/slack/events")
                ts = ts or await slack.say("mara", "sales", f"{MENTION} crash please")
                async with asyncio.timeout(20):
                    await models.has_stalled.wait()
                bot.kill()
                await bot.process.wait()
        async with running(tmp_path, environment=environment(slack, models)) as bot:
            slack.connect(f"{bot.bot}/slack/events")
            [answer] = await slack.wait_for(lambda: answers(slack, ts), 30)

    assert "I was interrupted" in answer["text"]


async def test_ctrl_c_lets_a_running_turn_end_and_exits_clean(tmp_path: Path) -> None:
    async with SlackStandIn() as slack, ModelServer(dimensions=1536) as models:
        models.script([say("Just in time.")])
        async with running(tmp_path, environment=environment(slack, models)) as bot:
            slack.connect(f"{bot.bot}/slack/events")
            ts = await slack.say("mara", "sales", f"{MENTION} quick")
            await slack.wait_for(lambda: models.asked, 20)
            assert await bot.stop() == 0
            assert [m["text"] for m in answers(slack, ts)] == ["Just in time."]
