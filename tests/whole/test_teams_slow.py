"""Teams while something takes long: a model that thinks, a process that dies."""

from pathlib import Path

from tests.fakes.model_script import call, hang, say
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.sides import MENTION
from tests.whole.test_teams_approval import MAIL, with_button


async def test_what_comes_again_while_the_model_thinks_is_one_turn(tmp_path: Path) -> None:
    async with (
        ModelServer(dimensions=1536) as models,
        house(tmp_path, models=models, side="teams") as bot,
    ):
        models.script([hang()])
        activity = bot.teams.written("mara", "sales", "how many?")
        found = [await bot.teams.carrier.once(activity)]
        await models.has_stalled.wait()
        found += [await bot.teams.carrier.once(activity, attempt=n) for n in (1, 2)]
        assert [one.status for one in found] == [200, 200, 200]
        rows = await bot.bot.rooms.db.fetch("SELECT id FROM inbox")
        assert len(rows) == 1
        chats = [one for one in models.asked if one.route != "embeddings"]
        assert len(chats) == 1


async def test_a_click_is_answered_at_once_while_a_turn_runs(tmp_path: Path) -> None:
    async with (
        ModelServer(dimensions=1536) as models,
        house(tmp_path, models=models, side="teams") as bot,
    ):
        models.script([call("office_send_mail", **MAIL), say("It waits for you as #1.")])
        root = await bot.side.say("mara", "sales", f"{MENTION} mail the Q3 summary to Priya")
        card = await with_button(bot, "sales", "Cancel", root)
        await bot.answers("sales", root)
        models.script([hang()])
        await bot.side.say("mara", "sales", f"{MENTION} and what else?", thread_ts=root)
        await models.has_stalled.wait()

        form = await bot.teams.click("mara", "sales", card["id"], "Cancel")
        done = await bot.teams.click("mara", "sales", card["id"], "Cancel it", card=form["value"])
        assert form["statusCode"] == done["statusCode"] == 200
        rows = await bot.bot.rooms.db.fetch("SELECT state FROM parked")
        assert [row["state"] for row in rows] == ["cancelled"]


async def test_a_click_that_was_recorded_is_carried_out_after_a_restart(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models:
        models.script([call("office_send_mail", **MAIL), say("It waits for you as #1.")])
        async with house(tmp_path, models=models, side="teams") as bot:
            root = await bot.side.say("mara", "sales", f"{MENTION} mail the Q3 summary to Priya")
            card = await with_button(bot, "sales", "Cancel", root)
            form = await bot.teams.click("mara", "sales", card["id"], "Cancel")
            await bot.teams.click("mara", "sales", card["id"], "Cancel it", card=form["value"])
        # What was answered with a card is on the disk, whatever becomes of the process.
        async with house(tmp_path, models=models, side="teams") as bot:
            rows = await bot.bot.rooms.db.fetch("SELECT state FROM parked")
            assert [row["state"] for row in rows] == ["cancelled"]
