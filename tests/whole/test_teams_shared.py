"""A file in a channel of Teams, whole: the account is asked for in private, then it is read."""

from tests.fakes.model_script import say
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.sides import MENTION
from tests.whole.test_approval import follow
from tests.whole.test_teams_approval import link_in

NOTE = b"# Hotels\n\nA hotel night in Paris may cost 180 euros with breakfast.\n"


async def test_a_file_of_a_channel_is_read_once_its_asker_has_connected(tmp_path) -> None:
    async with ModelServer(dimensions=1536) as models:
        models.script([say("Please connect first."), say("It is 180 euros [0.1].")])
        async with house(tmp_path, models=models, side="teams") as bot:
            teams, asked = bot.teams, f"{MENTION} what may a hotel night in Paris cost?"
            root = await bot.side.say("mara", "sales", asked, files={"policy.md": NOTE})
            await bot.answers("sales", root)
            link = link_in(teams.by_bot("@mara"))
            assert link is not None and link_in(teams.by_bot("sales")) is None
            told = models.asked[-1].text
            assert "shown a private link" in told and "180 euros" not in told

            assert "You are signed in" in await follow(bot, link, "mara")
            await bot.side.say("mara", "sales", asked, thread_ts=root, files={"policy.md": NOTE})
            answers = await bot.answers("sales", root, 2)
            assert "180 euros with breakfast" in models.asked[-1].text
            assert "policy" in str(answers[-1]["entities"])
