"""An admin accepts a tool that is new or has changed; nobody else does."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer

from core.capabilities.catalog import Catalog
from core.capabilities.servers import Limits, Server
from core.policy.guards import Choice
from core.policy.rules import Rules
from core.policy.section import read_policy
from core.records import Person, PersonId
from core.storage import pins
from core.storage.database import Database
from core.turn.accepting import NOT_AN_ADMIN, accept_tool
from core.turn.intake import Intake
from core.turn.setup import Setup
from core.turn.steering import Steering
from tests.fakes.mcp_modern import modern_server
from tests.storage.examples import SALES

RULES: Rules = read_policy({"admins": ["person:U1"], "rules": [{"offer": "tool:*"}]})
ADMIN = Person(id=PersonId("slack:T1/U1"))
OTHER = Person(id=PersonId("slack:T1/U2"))


@dataclass
class _Pins:
    db: Database

    async def pinned(self) -> dict[str, str]:
        return await pins.pinned(self.db)

    async def accept(self, key: str, digest: str, by: str, at: float, listing: str = "") -> None:
        await pins.accept(self.db, key, digest, by, at, listing)

    async def listing(self, key: str) -> str:
        return await pins.listing(self.db, key)


@dataclass
class Hands:
    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


def crm(description: str) -> Any:
    server: MCPServer[Any] = MCPServer("crm", log_level="ERROR")

    @server.tool(name="create_lead", description=description)
    def create_lead(name: str, revenue: float) -> str:
        return "done"

    return server


@pytest.fixture
async def catalog(sqlite: Database) -> AsyncIterator[Catalog]:
    async with modern_server(crm("Create a `lead` <!channel>.")) as url:
        server = Server(name="crm", url=url)
        async with Catalog([server], _Pins(sqlite), clock=Hands(), limits=Limits()) as found:
            yield found


async def test_an_admin_accepts_a_tool_and_reads_what_was_accepted(
    catalog: Catalog, sqlite: Database
) -> None:
    assert (await catalog.discover()).accepted == {}
    told, digest = await accept_tool(catalog, RULES, ADMIN, "crm/create_lead")
    [tool] = (await catalog.discover()).tools
    assert (await catalog.discover()).accepted == {tool.key: tool.digest}
    for part in (tool.digest[:12], "`Create a 'lead' <!channel>.`", "`name, revenue`"):
        assert part in told
    [row] = await sqlite.fetch("SELECT * FROM pins")
    assert (row["accepted_by"], row["accepted_at"]) == (ADMIN.id, 1_000.0)
    assert digest == tool.digest
    again = await accept_tool(catalog, RULES, ADMIN, "crm/create_lead")
    assert "accepted already" in again.told and not again.digest
    assert len(await sqlite.fetch("SELECT * FROM pins")) == 1


async def test_nobody_else_accepts_anything_or_learns_what_waits(
    catalog: Catalog, sqlite: Database
) -> None:
    for key in ("crm/create_lead", "crm/other"):
        assert (await accept_tool(catalog, RULES, OTHER, key)).told == NOT_AN_ADMIN
    assert await sqlite.fetch("SELECT * FROM pins") == []


async def test_a_tool_that_is_not_there_is_answered_with_what_waits(catalog: Catalog) -> None:
    told = (await accept_tool(catalog, RULES, ADMIN, "crm/delete_lead")).told
    assert "No server lists `crm/delete_lead` now" in told
    assert "What waits to be accepted: `crm/create_lead`." in told


async def test_help_speaks_of_what_waits_to_admins_alone_until_it_is_accepted(
    catalog: Catalog, sqlite: Database
) -> None:
    setup = Setup(models=("demo",), default=Choice(model="demo", agent=""), rules=RULES)
    door = Intake(sqlite, Steering(sqlite, setup), catalog, Hands(), lambda: "0" * 16)
    assert "crm" not in await door.help(OTHER, SALES)
    assert "not offered: crm/create_lead" in await door.help(ADMIN, SALES)
    await accept_tool(catalog, RULES, ADMIN, "crm/create_lead")
    for person in (ADMIN, OTHER):
        said = await door.help(person, SALES)
        assert "- Create a" in said and "not offered" not in said
