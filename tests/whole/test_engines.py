"""The same bot on SQLite and on Postgres, chosen by one setting."""

from pathlib import Path

from tests.fakes.model_script import call, say
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.turn.reading import MENTION, text_of


async def test_a_thread_is_answered_and_remembered_on_either_database(
    tmp_path: Path, database_url: str
) -> None:
    async with ModelServer(dimensions=1536) as models:
        models.script([call("sample_list_products"), say("The code is BLUE-7. [1]")])
        setting = {"COUNTERSIGN_DATABASE": database_url}
        async with house(tmp_path, models=models, environment=setting) as bot:
            [first] = await bot.ask(f"{MENTION} what is the code for the products?")
            for number in range(5):
                models.script([say(f"Answer {number}.")])
                await bot.ask(
                    f"{MENTION} something else {number}",
                    thread_ts=first["thread_ts"],
                    answers=number + 1,
                )
            models.script([say("BLUE-7.")])
            last = await bot.ask(
                f"{MENTION} which code did the products have?",
                thread_ts=first["thread_ts"],
                answers=6,
            )

    assert text_of(first) == "The code is BLUE-7. [1]"
    assert text_of(last[-1]) == "BLUE-7."
    # Six turns later the first one is no longer in the history: retrieve brought it back.
    assert "The code is BLUE-7." in models.asked[-1].text
