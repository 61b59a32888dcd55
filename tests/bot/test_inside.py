"""`countersign turn`, as an operator meets it beside a running bot."""

import json
from pathlib import Path

from tests.bot.test_cli import ran
from tests.house import house
from tests.turn.reading import turn_ids


async def test_the_newest_turns_are_listed_and_one_is_told_in_words_and_as_json(
    tmp_path: Path,
) -> None:
    async with house(tmp_path) as bot:
        await bot.ask("<@U0COUNTER> What did we sell per region in Q3 2026?")
        [turn] = await turn_ids(bot)
        # The bot holds the database while the operator looks.
        listed = ran(tmp_path, "turn")
        words = ran(tmp_path, "turn", turn)
        told = ran(tmp_path, "turn", turn, "--json")

    assert (listed.returncode, listed.stderr) == (0, "")
    assert turn in listed.stdout and "What did we sell per region" in listed.stdout
    assert words.stdout.startswith(f"Turn {turn}: done after ")
    assert "Tools offered" in words.stdout and "as the model saw it" in words.stdout
    inside = json.loads(told.stdout)
    assert inside["rounds"][0]["calls"][0]["tool"] == "sample/sales_by"
    assert inside["rounds"][0]["calls"][0]["arguments"]["group_by"] == "region"


def test_a_turn_that_is_not_there_is_said_and_ends_with_1(tmp_path: Path) -> None:
    ended = ran(tmp_path, "turn")
    assert ended.returncode == 2 and "There is no database at" in ended.stderr
    assert list(tmp_path.iterdir()) == []
    (tmp_path / ".state").mkdir()
    (tmp_path / ".state" / "countersign.db").touch()
    ended = ran(tmp_path, "turn", "t_nothing")
    assert ended.returncode == 1 and "No turn t_nothing is known here" in ended.stderr
