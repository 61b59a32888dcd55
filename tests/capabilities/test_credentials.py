"""A person's credentials ride in headers, to the server that they are for, and nowhere else."""

import asyncio
import random

import pytest
from mcp.server.mcpserver import Context, MCPServer

from core.capabilities.servers import Server
from core.errors import BadArguments, SourceFailed
from core.records import Billing, PersonId, ThreadId, TurnId
from core.specialists.server import serving
from tests.capabilities.bridge import catalog, silence, tool, trusted
from tests.fakes.mcp_legacy import LegacyServer, legacy_server
from tests.fakes.mcp_modern import Seen, modern_server, serving_asgi

BILLING = Billing(
    turn=TurnId("turn-1"),
    thread=ThreadId("slack:T1/C1/1.0"),
    person=PersonId("slack:T1/U1"),
    place="slack:T1/C1",
    round=2,
)


def mirror() -> MCPServer:
    """A server whose tool says, without the token itself, whose call it was."""
    server = MCPServer("mirror", log_level="ERROR")

    @server.tool()
    async def whose(number: int, ctx: Context) -> str:
        """Says whose call this is."""
        await asyncio.sleep(random.random() / 50)
        token = (ctx.headers or {}).get("authorization", "nobody")
        return f"{number} {token[::-1]}"

    return server


@pytest.mark.promise("S5", "core.capabilities")
async def test_interleaved_calls_of_two_people_are_never_mixed_up() -> None:
    """Peers' case 42."""
    server = mirror()
    async with modern_server(server) as url, catalog(trusted("mirror", url)) as held:
        whose = tool(await held.discover(), "mirror/whose")

        async def ask(number: int) -> tuple[str, str]:
            token = f"Bearer person-{number % 2}-{number:04}"
            result = await held.call(
                whose,
                {"number": number},
                credentials={"authorization": token},
                on_progress=silence,
            )
            return f"{number} {token[::-1]}", result.text

        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(ask(number)) for number in range(300)]
        assert [task.result()[0] for task in asked] == [task.result()[1] for task in asked]


@pytest.mark.promise("S5", "core.capabilities")
async def test_each_of_five_servers_sees_its_own_tokens_alone() -> None:
    """Peers' case 43."""
    servers = [LegacyServer(f"server{n}") for n in range(5)]
    from contextlib import AsyncExitStack

    async with AsyncExitStack() as stack:
        urls = [await stack.enter_async_context(legacy_server(server)) for server in servers]
        known = [
            Server(name=f"s{n}", url=url, accept="all", headers={"x-house": f"house-of-{n}"})
            for n, url in enumerate(urls)
        ]
        held = await stack.enter_async_context(catalog(*known))
        found = await held.discover()
        for batch in range(8):
            async with asyncio.TaskGroup() as group:
                for number in range(125):
                    n = number % 5
                    group.create_task(
                        held.call(
                            tool(found, f"s{n}/echo"),
                            {},
                            credentials={"authorization": f"Bearer token-of-{n}-{batch}"},
                            on_progress=silence,
                        )
                    )
        for n, server in enumerate(servers):
            assert len(server.called()) == 200
            for _, headers, params in server.requests:
                sent = " ".join(headers.values()) + str(params)
                others = [m for m in range(5) if m != n]
                assert not any(f"token-of-{m}" in sent or f"house-of-{m}" in sent for m in others)
            for headers in server.called():
                assert headers["authorization"].startswith(f"Bearer token-of-{n}-")
                assert headers["x-house"] == f"house-of-{n}"


@pytest.mark.promise("S5", "core.capabilities")
async def test_a_redirect_to_another_origin_gets_no_token() -> None:
    """Peers' case 44."""
    arrived: Seen = []

    async def elsewhere(scope: dict[str, str], receive: object, send: object) -> None:
        if scope["type"] == "http":
            arrived.append({"path": scope["path"]})

    server = LegacyServer()
    async with (
        serving_asgi(elsewhere) as other,
        legacy_server(server) as url,
        catalog(trusted("crm", url)) as held,
    ):
        echo = tool(await held.discover(), "crm/echo")
        server.mood, server.elsewhere = "redirect", f"{other}/mcp"
        with pytest.raises(SourceFailed, match="redirected to another place"):
            await held.call(
                echo, {}, credentials={"authorization": "Bearer secret-abcdef"}, on_progress=silence
            )
        assert arrived == []


async def test_a_401_is_told_and_nothing_broader_is_tried() -> None:
    server = LegacyServer()
    async with legacy_server(server) as url, catalog(trusted("crm", url)) as held:
        echo = tool(await held.discover(), "crm/echo")
        server.mood = "unauthorized"
        with pytest.raises(SourceFailed, match="refused the credentials"):
            await held.call(
                echo, {}, credentials={"authorization": "Bearer narrow-1"}, on_progress=silence
            )
        assert [call["authorization"] for call in server.called()] == ["Bearer narrow-1"]


async def test_without_credentials_no_authorization_is_sent() -> None:
    seen: Seen = []
    async with modern_server(mirror(), seen=seen) as url, catalog(trusted("mirror", url)) as held:
        whose = tool(await held.discover(), "mirror/whose")
        await held.call(
            whose, {"number": 1}, credentials={"authorization": "Bearer once"}, on_progress=silence
        )
        result = await held.call(whose, {"number": 2}, credentials={}, on_progress=silence)
        assert result.text == f"2 {'nobody'[::-1]}"
        assert sum("authorization" in headers for headers in seen) == 1


async def test_our_own_servers_are_told_for_whom_they_work_and_foreign_ones_are_not() -> None:
    seen: Seen = []
    foreign, ours = mirror(), MCPServer("ours", log_level="ERROR")

    @ours.tool()
    async def context(ctx: Context) -> dict[str, str]:
        """The context of the call."""
        return {k: v for k, v in (ctx.headers or {}).items() if k.startswith("x-countersign-")}

    async with (
        serving(ours) as app,
        modern_server(foreign, seen=seen) as url,
        catalog(Server(name="ours", app=app), trusted("foreign", url)) as held,
    ):
        found = await held.discover()
        told = await held.call(
            tool(found, "ours/context"),
            {},
            credentials={},
            on_progress=silence,
            billing=BILLING,
        )
        await held.call(
            tool(found, "foreign/whose"),
            {"number": 1},
            credentials={},
            on_progress=silence,
            billing=BILLING,
        )
        assert told.structured is not None
        assert told.structured["x-countersign-turn"] == "turn-1"
        assert told.structured["x-countersign-person"] == "slack:T1/U1"
        assert told.structured["x-countersign-round"] == "2"
        assert not any(name.startswith("x-countersign") for headers in seen for name in headers)


@pytest.mark.parametrize(
    "credentials",
    [
        {"authorization": "Bearer line\nbreak"},
        {"authorization": "Bearer ünïcode"},
        {"bad header": "x"},
        {"x-countersign-person": "slack:T1/U9"},
        {"Mcp-Session-Id": "other"},
        {"Host": "elsewhere"},
    ],
)
async def test_what_cannot_be_a_credential_costs_its_own_call(credentials: dict[str, str]) -> None:
    async with modern_server(mirror()) as url, catalog(trusted("mirror", url)) as held:
        whose = tool(await held.discover(), "mirror/whose")
        with pytest.raises(BadArguments):
            await held.call(whose, {"number": 1}, credentials=credentials, on_progress=silence)
        assert await held.call(whose, {"number": 1}, credentials={}, on_progress=silence)


async def test_a_token_that_a_server_echoes_does_not_come_back() -> None:
    server = MCPServer("parrot", log_level="ERROR")

    @server.tool()
    async def leak(ctx: Context) -> dict[str, str]:
        """Says the token."""
        return {"seen": (ctx.headers or {})["authorization"]}

    async with modern_server(server) as url, catalog(trusted("parrot", url)) as held:
        leaks = tool(await held.discover(), "parrot/leak")
        credentials = {"authorization": "Bearer canary-5f0b6a"}
        result = await held.call(leaks, {}, credentials=credentials, on_progress=silence)
        assert "canary" not in repr(result)
