"""Questions that are refused, wait, fail or come twice: nobody is left without a word."""

import asyncio
from pathlib import Path

import pytest

from bot.workspace.slack.records import Fault
from tests.fakes.model_script import (
    Step,
    cut,
    filtered_answer,
    filtered_prompt,
    hang,
    overflow,
    say,
)
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.turn.reading import MENTION, chat, text_of, turn_ids


@pytest.mark.promise("E9", "core.turn")
@pytest.mark.parametrize("step", [filtered_prompt(), filtered_answer()])
async def test_a_blocked_question_is_asked_once_billed_once_and_said_aloud(
    bot: House, models: ModelServer, step: Step
) -> None:
    models.script([step])

    [answer] = await bot.ask(f"{MENTION} something bad")

    assert len(chat(models)) == 1
    assert "content filter" in text_of(answer)
    rows = await bot.bot.rooms.db.fetch("SELECT outcome FROM entries WHERE kind = 'chat'")
    assert [row["outcome"] for row in rows] == ["blocked"]


async def test_a_prompt_that_is_too_long_is_tried_once_more_with_less(
    bot: House, models: ModelServer
) -> None:
    models.script([say("First.")])
    [first] = await bot.ask(f"{MENTION} remember the blue folder")
    models.script([overflow(), say("Shorter.")])

    answers = await bot.ask(f"{MENTION} and now?", thread_ts=first["thread_ts"], answers=1)

    assert text_of(answers[-1]) == "Shorter."
    long, short = chat(models)[-2:]
    assert "blue folder" in long.text
    assert "blue folder" not in short.text


async def test_too_much_text_even_after_shortening_ends_in_a_sentence(
    bot: House, models: ModelServer
) -> None:
    models.script([overflow(), overflow()])
    [answer] = await bot.ask(f"{MENTION} read all of this")
    assert "too much text for the model" in text_of(answer)


async def test_an_answer_that_breaks_off_twice_is_a_failed_turn_with_a_reference(
    bot: House, models: ModelServer
) -> None:
    models.answer(lambda _: cut())
    [answer] = await bot.ask(f"{MENTION} what did we sell?")

    [turn] = await turn_ids(bot)
    assert f"(reference `{turn}`)" in text_of(answer)
    assert "Nothing was lost" in text_of(answer)
    assert "Half an ans" not in text_of(answer)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{MENTION} model:gpt-99 hello there", "There is no model named “gpt-99”"),
        (f"{MENTION} agent:nobody hello there", "There is no agent named “nobody”"),
        (MENTION, "without a question"),
        (f"{MENTION} " + "x" * 12_001, "12,001 characters"),
    ],
)
async def test_what_cannot_be_a_turn_is_refused_privately_and_starts_none(
    bot: House, models: ModelServer, text: str, said: str
) -> None:
    """Peers' case 46."""
    await bot.side.say("mara", "sales", text)

    [told] = await bot.side.wait_for(lambda: bot.side.told("mara", "sales") or None, 10)

    assert said in told
    assert models.asked == []
    assert bot.side.public("sales") == []


async def test_help_is_private_and_says_what_can_be_done_here(bot: House) -> None:
    await bot.side.say("mara", "sales", f"{MENTION} help")
    [told] = await bot.side.wait_for(lambda: bot.side.told("mara", "sales") or None, 10)
    assert "What Larkspur Cycles sold" in told
    assert "openai:gpt-5.5" in told
    assert bot.side.public("sales") == []


async def test_a_person_is_greeted_once(bot: House, models: ModelServer) -> None:
    models.answer(lambda _: say("Hello."))
    await bot.ask(f"{MENTION} one")
    await bot.ask(f"{MENTION} two")
    await bot.settled()

    told = bot.side.told("mara", "sales")
    assert len([text for text in told if "I am Countersign" in text]) == 1


async def test_a_question_that_waits_behind_another_says_so(
    bot: House, models: ModelServer
) -> None:
    models.answer(lambda _: say("Done."))
    ts = await bot.side.say("mara", "sales", f"{MENTION} first")
    await bot.side.say("mara", "sales", f"{MENTION} second", thread_ts=ts)

    await bot.answers("sales", ts, 2)
    await bot.settled()
    told = bot.side.told("mara", "sales")
    assert any("yours comes right after" in text for text in told)


@pytest.mark.promise("O2", "core.turn")
async def test_four_deliveries_of_a_slow_question_are_one_turn(
    bot: House, models: ModelServer
) -> None:
    """Case 1, and peers' case 57."""
    models.script([say("Once.")])
    ts = await bot.side.say_often("mara", "sales", f"{MENTION} slow")

    assert len(await bot.answers("sales", ts)) == 1
    assert len(chat(models)) == 1
    assert len(await turn_ids(bot)) == 1


@pytest.mark.parametrize("side", ["slack"])
async def test_a_channel_that_takes_no_answer_costs_no_words(
    bot: House, models: ModelServer
) -> None:
    """Case 6."""
    models.script([say("The answer.")])
    bot.slack.fail("chat.postMessage", Fault(error="channel_not_found"))
    await bot.slack.say("mara", "sales", f"{MENTION} are you there?")

    def told() -> list[str]:
        private = bot.slack.ephemerals("mara", "sales")
        direct = bot.slack.messages(bot.slack.direct("mara"))
        return [m["text"] for m in (*private, *direct) if "The answer." in m["text"]]

    [text] = await bot.slack.wait_for(told, 10)
    assert "channel_not_found" in text


@pytest.mark.promise("L3", "core.turn")
async def test_a_turn_ends_by_its_deadline_and_leaves_no_task_behind(
    tmp_path: Path, models: ModelServer
) -> None:
    models.answer(lambda _: hang())
    yaml = "limits: {call_deadline: 0.5, turn_deadline: 1}\n"
    async with house(tmp_path, models=models, yaml=yaml) as bot:
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(bot.ask(f"{MENTION} hang {n}")) for n in range(10)]
        said = [text_of(task.result()[0]) for task in asked]
        assert all("in time" in text or "ran out" in text for text in said)
        if late := [t for t in asyncio.all_tasks() if t.get_name().startswith("turn ")]:
            # The last answer is out; what its turn still does ends by itself.
            _, stuck = await asyncio.wait(late, timeout=5)
            assert stuck == set()
