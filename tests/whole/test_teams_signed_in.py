"""A mail that goes out of Teams without any browser: Teams signs the person in at the click."""

import pytest

from tests.fakes.model_script import call, say
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.sides import MENTION
from tests.whole.test_teams_approval import MAIL, link_in, with_button


@pytest.mark.parametrize("place", ["@mara", "planning"])
async def test_who_has_agreed_before_connects_by_the_click_alone(tmp_path, place) -> None:
    async with ModelServer(dimensions=1536) as models:
        models.script([call("office_send_mail", **MAIL), say("It waits for you as #1.")])
        async with house(tmp_path, models=models, side="teams") as bot:
            assert bot.bot.workspace is not None
            microsoft, teams = bot.bot.workspace.microsoft, bot.teams
            microsoft.consent("mara", "Mail.Send Mail.ReadWrite User.Read")
            await bot.side.say("mara", place, f"{MENTION} mail the Q3 summary to Priya")

            card = await with_button(bot, place, "Connect account")
            told = await teams.click("mara", place, card["id"], "Connect account")
            assert told["statusCode"] == 200 and "is connected" in told["value"]
            assert link_in(teams.by_bot(place)) is None and microsoft.effects("mail.sent") == []

            card = await with_button(bot, place, "Send")
            await teams.click("mara", place, card["id"], "Send")
            await teams.wait_for(lambda: microsoft.effects("mail.sent") or None, 15)
            await bot.settled()
            assert len(microsoft.effects("mail.sent")) == 1
