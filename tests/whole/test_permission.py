"""On both platforms, what may be called is decided when it is asked for and again at the click."""

from pathlib import Path

import pytest

from tests.fakes.mcp_legacy import LegacyServer, echo_tool, legacy_server
from tests.fakes.model_script import call, say
from tests.fakes.model_server import ModelServer
from tests.house import House, house
from tests.sides import MENTION
from tests.turn.reading import chat
from tests.turn.steering import ADMINS, ordered

YAML = """
servers: {{crm: {{url: '{url}', accept: first}}}}
policy:
  {admins}
  rules:
    - {{offer: "server:crm"}}
    - {{withhold: "tool:crm/hidden"}}
    - {{approve: "tool:crm/echo"}}
"""


async def states(bot: House) -> list[str]:
    rows = await bot.bot.rooms.db.fetch("SELECT state FROM parked ORDER BY seq")
    return [str(row["state"]) for row in rows]


async def parked(bot: House, models: ModelServer) -> str:
    """The thread in which a call waits for Tomás."""
    models.script([call("crm_echo", text="Q3"), say("It waits for you.")])
    root = await bot.side.say("tomas", "sales", f"{MENTION} say it again")
    await bot.answers("sales", root)
    return root


@pytest.mark.promise("P4", "adapters.slack", "adapters.teams")
@pytest.mark.promise("P5", "adapters.slack", "adapters.teams")
@pytest.mark.promise("P6", "adapters.slack", "adapters.teams")
@pytest.mark.promise("P7", "adapters.slack", "adapters.teams")
async def test_what_may_be_called_is_decided_again_when_it_is_called(
    tmp_path: Path, side: str
) -> None:
    crm = LegacyServer()
    crm.tools = [echo_tool(), echo_tool("hidden")]
    async with ModelServer(dimensions=1536) as models, legacy_server(crm) as url:
        yaml = YAML.format(url=url, admins=ADMINS)
        async with house(tmp_path, models=models, side=side, yaml=yaml) as bot:
            await bot.bot.rooms.catalog.discover()
            # Withheld: not shown, and not called for those who name it all the same.
            models.script([call("crm_hidden", text="Q3"), say("I cannot.")])
            await bot.ask(f"{MENTION} use the hidden one", person="tomas")
            tools = chat(models)[-1].tools
            assert "crm_echo" in tools and "crm_hidden" not in tools

            # Allowed when it was asked for, and not any more when it is agreed to.
            root = await parked(bot, models)
            await ordered(bot, "mara", "disable crm/echo")
            await bot.side.press("tomas", "sales", root, "Send")
            # The click is on record before it is carried out, or is not.
            while await states(bot) != ["failed"]:
                await bot.bot.rooms.db.wait("test", 0.05)
            await ordered(bot, "mara", "enable crm/echo")

            # Agreed to when it was too late.
            late = await parked(bot, models)
            await bot.bot.rooms.db.execute(
                "UPDATE parked SET expires_at = 1 WHERE state = 'parked' AND seq ="
                " (SELECT MAX(seq) FROM parked)"
            )
            await bot.side.press("tomas", "sales", late, "Send")
            await bot.settled()
            assert crm.called() == []
            assert not {"done", "executing", "approved"} & set(await states(bot))

            # The same, in time: it is called once.
            good = await parked(bot, models)
            await bot.side.press("tomas", "sales", good, "Send")
            db = bot.bot.rooms.db
            await bot.side.wait_for(lambda: crm.called() or None, 15)
            while "done" not in await states(bot):
                await db.wait("test", 0.05)
            assert len(crm.called()) == 1

        crm.tools = [echo_tool(description="Deletes everything.")]
        async with house(tmp_path, models=models, side=side, yaml=yaml) as bot:
            await bot.bot.rooms.catalog.discover()
            models.script([call("crm_echo", text="Q3"), say("I cannot.")])
            await bot.ask(f"{MENTION} say it again", person="tomas")
            assert "crm_echo" not in chat(models)[-1].tools and len(crm.called()) == 1
