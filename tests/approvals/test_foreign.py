"""Approved calls to a foreign server on a real socket that is away, or leaves in the middle."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer

from core.approvals.asking import resolved
from core.approvals.desk import Desk
from core.approvals.foreign import Foreign
from core.approvals.rooms import no_credentials
from core.capabilities.raw import RawResult
from core.cards import CallId
from core.connectors.outcome import Done, Failed, Unknown
from core.errors import BadArguments, NotAllowed, SourceFailed, Unreached
from core.parked import ParkedCall
from core.policy.rules import CHANGED
from core.specialists.server import tags
from core.storage.database import Database
from tests.approvals.office import ADA, QUICK, Office, approved, office
from tests.capabilities.bridge import catalog, trusted, until
from tests.fakes.mcp_legacy import LegacyServer, echo_tool, legacy_server
from tests.fakes.mcp_modern import free_port, modern_server

ASKS = {"countersign/tags": ["requires_approval"]}


@asynccontextmanager
async def reaching(db: Database, url: str) -> AsyncGenerator[Office]:
    """The office with one more server, `far`, at this address."""
    async with office(db) as room, catalog(trusted("far", url), clock=room.clock) as held:  # pyright: ignore[reportArgumentType]
        room.rooms = replace(room.rooms, catalog=held)
        room.desk = Desk(room.rooms)
        yield room


def leads(heard: list[str]) -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("far", log_level="ERROR")

    @server.tool(meta=tags("requires_approval"))
    def create_lead(name: str) -> str:
        """Create a lead."""
        heard.append(name)
        return f"Lead {name} created."

    return server


async def the_other(room: Office, than: ParkedCall) -> ParkedCall:
    [row] = await room.db.fetch("SELECT id FROM parked WHERE id <> ?", (than.id,))
    return await room.now(CallId(row["id"]))


async def test_a_server_that_refuses_the_connection_was_asked_for_nothing_and_can_be_tried_again(
    sqlite: Database,
) -> None:
    heard: list[str] = []
    port = free_port()
    async with reaching(sqlite, f"http://127.0.0.1:{port}/mcp") as room:
        async with modern_server(leads(heard), port):
            call = await approved(room, {"name": "Acme"}, key="far/create_lead")
        await room.carry_out()
        failed = await room.now(call)
        assert (failed.state, failed.can_try_again) == ("failed", True)
        assert "could not be reached" in failed.outcome
        assert failed.outcome.endswith("Nothing was asked of it.")
        assert any(failed.outcome in told for told in await room.told(ADA.id))

        async with modern_server(leads(heard), port):
            room.clock.now += 120

            async def is_back() -> bool:
                return bool((await room.rooms.catalog.discover()).tools)

            await until(is_back)
            assert (await room.click(failed, "again")).kind == "recorded"
            second = await the_other(room, than=call)
            assert heard == [] and second.state == "parked"
            assert (await room.click(second)).kind == "recorded"
            await room.carry_out()
            assert (await room.now(second)).state == "done"
    assert heard == ["Acme"]


async def test_a_server_that_leaves_once_it_was_asked_may_have_done_it(sqlite: Database) -> None:
    server = LegacyServer()
    server.tools = [echo_tool() | {"_meta": ASKS}]
    async with legacy_server(server) as url, reaching(sqlite, url) as room:
        call = await approved(room, {"text": "a"}, key="far/echo")
        server.mood = "cut"
        await room.carry_out()
        assert (await room.now(call)).state == "unknown"
    assert len(server.called()) == 1


async def test_a_keyed_call_whose_server_is_away_after_a_crash_is_asked_until_it_is_back(
    sqlite: Database,
) -> None:
    """What was claimed may have been done before: that nobody answers now says nothing about it."""
    answers: list[Exception | RawResult] = [Unreached("away"), Unreached("away")]
    keys: list[str] = []

    class Returning:
        async def call(self, *_: object, credentials: dict[str, str], **__: object) -> RawResult:
            keys.append(credentials["idempotency-key"])
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

    async with office(sqlite) as room:
        call = await room.park({"lead": "Acme", "stage": "won"}, key="crm/set_stage")
        tool = await room.tool("crm/set_stage")
        effect = Foreign(tool, Returning(), no_credentials, 1.0)  # pyright: ignore[reportArgumentType]
        answers.append(RawResult(text="Acme is won."))
        doubt = Unknown(sentence="interrupted")
        outcome = await resolved(effect, call, "", doubt, QUICK, lambda: True)
    assert isinstance(outcome, Done)
    assert keys == [call.id] * 3


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (NotAllowed(CHANGED), Failed),
        (BadArguments("no header"), Failed),
        (Unreached("crm could not be reached"), Failed),
        (SourceFailed("crm broke off"), Unknown),
    ],
)
async def test_what_a_foreign_server_did_not_answer_is_unknown_unless_it_was_never_asked(
    sqlite: Database, error: Exception, kind: type
) -> None:
    class Refusing:
        async def call(self, *_: object, **__: object) -> None:
            raise error

    async def credentials(person: str, server: str) -> Mapping[str, str]:
        return {"authorization": f"Bearer of {person} for {server}"}

    async with office(sqlite) as room:
        call = await room.park({"name": "Acme", "revenue": 1.0}, key="crm/create_lead")
        tool = await room.tool("crm/create_lead")
        effect = Foreign(tool, Refusing(), credentials, 1.0)  # pyright: ignore[reportArgumentType]
        assert isinstance(await effect.perform(call, ""), kind)
