"""Teams while something takes long: a model that thinks, a process that dies."""

import asyncio
from pathlib import Path

from bot.workspace.teams_server import TeamsStandIn, cards
from tests.fakes.mcp_legacy import LegacyServer, legacy_server
from tests.fakes.model_script import call, hang, say
from tests.fakes.model_server import ModelServer
from tests.house import house
from tests.sides import MENTION, TeamsSide
from tests.whole.process import running
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


async def test_a_process_that_dies_over_a_click_says_so_afterwards(tmp_path: Path) -> None:
    """Killed while the call that was agreed to is under way: nobody knows what came of it."""
    crm = LegacyServer()
    crm.mood = "hang"
    async with (
        ModelServer(dimensions=1536) as models,
        legacy_server(crm) as url,
        TeamsStandIn() as teams,
    ):
        models.script([call("crm_echo", text="Q3"), say("It waits for you.")])
        given = environment(tmp_path, teams, models, url)
        side = TeamsSide(teams)
        async with running(tmp_path, environment=given) as first:
            teams.connect(f"{first.bot}/api/messages")
            root = await side.say("mara", "sales", f"{MENTION} say it again")
            await side.press("mara", "sales", root, "Send")
            async with asyncio.timeout(20):
                await crm.reached.wait()
            first.kill()
            await first.process.wait()

        crm.mood = "well"
        async with running(tmp_path, environment=given) as second:
            teams.connect(f"{second.bot}/api/messages")
            await teams.wait_for(
                lambda: "not repeat it by myself" in str(shown(teams, root)) or None, 30
            )
            assert await second.stop() == 0
    assert len(crm.called()) == 1, "what may have happened is not done again"
    assert "Send" not in str(shown(teams, root))


def shown(teams: TeamsStandIn, root: str) -> list[object]:
    return [cards(one) for one in teams.by_bot("sales", root) if cards(one)]


def environment(folder: Path, teams: TeamsStandIn, models: ModelServer, url: str) -> dict[str, str]:
    (folder / "countersign.yaml").write_text(
        f"servers: {{crm: {{url: '{url}', accept: first}}}}\n"
        'policy: {rules: [{offer: "server:crm"}, {approve: "tool:crm/echo"}]}\n'
    )
    return {
        "TEAMS_APP_ID": teams.world.app_id,
        "TEAMS_TENANT_ID": teams.world.tenant,
        "TEAMS_APP_PASSWORD": teams.signing.secret,
        "TEAMS_OPENID_URL": teams.openid_url,
        "TEAMS_LOGIN_URL": teams.base,
        "TEAMS_SERVICE_ORIGINS": teams.base,
        "COUNTERSIGN_CONFIG": str(folder / "countersign.yaml"),
        "COUNTERSIGN_MODEL": "openai:gpt-5.5",
        "COUNTERSIGN_EMBEDDINGS": "openai:text-embedding-3-small",
        "OPENAI_API_KEY": "sk-" + "t" * 40,
        "OPENAI_BASE_URL": models.openai_url,
    }
