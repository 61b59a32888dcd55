"""Two tenants of Teams at one bot, in which the same ids mean different people and places."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from adapters.slack.pacing import Pacing
from adapters.teams.pacing import Pacing as TeamsPacing
from bot import config, settings, wiring
from bot.chats import Pacings
from bot.lifecycle import Standing
from bot.server import Server
from bot.workspace.teams_server import TeamsStandIn
from tests.fakes.model_script import say
from tests.fakes.model_server import ModelServer
from tests.house import started
from tests.slack.conftest import at_once
from tests.whole.process import free_port

ALDER = "0d5c3d8e-56a1-4b43-8f0e-2a7f1b0c9d11"
CANARY = "canary-of-larkspur"


@asynccontextmanager
async def served(
    folder: Path, models: ModelServer
) -> AsyncIterator[tuple[wiring.Wired, TeamsStandIn]]:
    async with TeamsStandIn(sleep=at_once) as teams:
        given = {
            "TEAMS_APP_ID": teams.world.app_id,
            "TEAMS_TENANT_ID": teams.world.tenant,
            "TEAMS_ALSO_TENANTS": ALDER,
            "TEAMS_APP_PASSWORD": teams.signing.secret,
            "TEAMS_OPENID_URL": teams.openid_url,
            "TEAMS_LOGIN_URL": teams.base,
            "TEAMS_SERVICE_ORIGINS": teams.base,
            "COUNTERSIGN_PORT": str(free_port()),
            "COUNTERSIGN_KEYS": "test:" + "A" * 43 + "=",
            "COUNTERSIGN_MODEL": "openai:gpt-5.5",
            "COUNTERSIGN_EMBEDDINGS": "openai:text-embedding-3-small",
            "OPENAI_API_KEY": "sk-" + "t" * 40,
            "OPENAI_BASE_URL": models.openai_url,
        }
        read = settings.read(given, folder=folder, is_workspace=False)
        pacings = Pacings(
            slack=Pacing(time.monotonic, at_once), teams=TeamsPacing(time.monotonic, at_once)
        )
        async with wiring.build(read, config.read(read), pacings=pacings) as bot:
            server = Server(bot, Standing(is_up=True), host=read.host, port=read.port)
            async with started([*bot.parts, server]):
                teams.connect(f"{server.address}/api/messages")
                yield bot, teams


async def asked(teams: TeamsStandIn, text: str, root: str = "") -> str:
    """The root of the thread in which the answer stands, once it does."""
    before = len(answers(teams))
    id = await teams.say("mara", "sales", text, root=root)
    await teams.wait_for(lambda: len(answers(teams)) > before or None, 30)
    return root or id


def answers(teams: TeamsStandIn) -> list[str]:
    """What the bot has said in the channel with the label of a model."""
    return [str(one["text"]) for one in teams.by_bot("sales") if one.get("entities")]


@pytest.mark.promise("I7", "adapters.teams")
async def test_the_same_ids_in_another_tenant_see_nothing_of_this_one(tmp_path: Path) -> None:
    async with ModelServer(dimensions=1536) as models, served(tmp_path, models) as (bot, teams):
        models.script([say(f"It is {CANARY}.")])
        root = await asked(teams, f"what about {CANARY}?")
        models.script([say("Again.")])
        await asked(teams, "and now?", root)
        assert CANARY in models.asked[-1].text or any(
            CANARY in one.text for one in models.asked[-3:]
        ), "in its own tenant the thread is remembered"

        # The same person's id, the same channel, the same thread, in another tenant.
        first = len(models.asked)
        teams.world.tenant = ALDER
        models.script([say("I know of nothing.")])
        await asked(teams, "what did we talk about?", root)
        assert not any(CANARY in one.text for one in models.asked[first:])

        for word in ("usage", "approvals"):
            await teams.say("mara", "sales", word)
        told = await teams.wait_for(
            lambda: found if len(found := teams.by_bot("@mara")) >= 4 else None, 20
        )
        assert CANARY not in str(told)
        assert "Nothing waits for you." in [one.get("text") for one in told]

        rows = await bot.rooms.db.fetch("SELECT thread, person, place FROM inbox ORDER BY seq")
        for column in ("thread", "person", "place"):
            ids = [row[column] for row in rows]
            assert ids[0] == ids[1] != ids[2], f"the {column} is another one"
        await no_row_of_both(bot)


async def no_row_of_both(bot: wiring.Wired) -> None:
    """Every table: what holds the one tenant's words names the other one nowhere."""
    db, looked = bot.rooms.db, 0
    for table in await db.fetch("SELECT name FROM sqlite_master WHERE type = 'table'"):
        rows = await db.fetch(f"SELECT * FROM {table['name']}")  # pyright: ignore[reportArgumentType]
        for text in (repr(dict(row)) for row in rows):
            if CANARY in text:
                looked += 1
                assert ALDER not in text, table["name"]
    assert looked >= 3
