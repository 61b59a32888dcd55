"""A server that fails costs its own calls, and works again when it is back."""

import asyncio
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from mcp.server.mcpserver import MCPServer

from core.capabilities.servers import Limits, Server
from core.capabilities.transport import ERRAND, Errand, Wire
from core.errors import DeadlineExceeded, SourceFailed
from core.specialists.server import serving
from tests.capabilities.bridge import PATIENT, StoppedClock, catalog, silence, tool, trusted, until
from tests.fakes.mcp_legacy import LegacyServer, legacy_server
from tests.fakes.mcp_modern import free_port, modern_server

MOODS = {
    "error500": "HTTP 500",
    "garbage": "not MCP",
    "html": "not MCP",
    "empty": "202",
    "cut": "broke off",
    "badgzip": "broke off",
    "events_cut": "broke off",
    "events_garbage": "not MCP",
    "unauthorized": "refused the credentials",
    "huge": "more than 1 MB",
    "endless": "more than 1 MB",
    "events_endless": "more than 1 MB",
    "wrong": "did not speak MCP",
}


@pytest.mark.parametrize("mood", MOODS)
async def test_a_misbehaving_answer_costs_its_own_call_and_says_why(mood: str) -> None:
    server = LegacyServer()
    limits = replace(PATIENT, result_bytes=1024 * 1024)
    async with legacy_server(server) as url, catalog(trusted("crm", url), limits=limits) as held:
        echo = tool(await held.discover(), "crm/echo")
        before = len(server.sessions)
        server.mood = mood
        with pytest.raises(SourceFailed) as failure:
            await held.call(echo, {"text": "a"}, credentials={}, on_progress=silence)
        assert MOODS[mood] in str(failure.value)
        assert "stack" not in str(failure.value)
        server.mood = "well"
        result = await held.call(echo, {"text": "b"}, credentials={}, on_progress=silence)
        assert result.text == '{"text": "b"}'
        assert len(server.sessions) == before, "the same client goes on"


async def test_a_hanging_call_ends_at_its_deadline_while_others_are_answered() -> None:
    """Peers' case 34."""
    hanging, well = LegacyServer(), LegacyServer()
    hanging.mood = "hang"
    async with (
        legacy_server(hanging) as one,
        legacy_server(well) as two,
        catalog(trusted("slow", one), trusted("quick", two)) as held,
    ):
        found = await held.discover()
        stuck = asyncio.create_task(
            held.call(
                tool(found, "slow/echo"), {}, credentials={}, on_progress=silence, deadline=0.3
            )
        )
        for number in range(10):
            answer = await held.call(
                tool(found, "quick/echo"),
                {"text": str(number)},
                credentials={},
                on_progress=silence,
            )
            assert str(number) in answer.text
        with pytest.raises(DeadlineExceeded, match=r"slow/echo did not answer within 0\.3 s"):
            await stuck
        hanging.mood = "well"
        again = await held.call(
            tool(found, "slow/echo"), {"text": "x"}, credentials={}, on_progress=silence
        )
        assert "x" in again.text


async def test_a_refused_connection_costs_one_call_and_the_client_survives_the_restart() -> None:
    server, port = MCPServer("crm", log_level="ERROR"), free_port()

    @server.tool()
    def add(a: int, b: int) -> int:
        """Adds."""
        return a + b

    async with catalog(trusted("crm", f"http://127.0.0.1:{port}/mcp")) as held:
        async with modern_server(server, port):
            adds = tool(await held.discover(), "crm/add")
            first = await held.call(adds, {"a": 1, "b": 2}, credentials={}, on_progress=silence)
            assert first.text == "3"
        calls = [
            asyncio.create_task(
                held.call(adds, {"a": 1, "b": n}, credentials={}, on_progress=silence)
            )
            for n in range(5)
        ]
        await asyncio.wait(calls)
        assert all("could not be reached" in str(call.exception()) for call in calls)
        again = MCPServer("crm", log_level="ERROR")
        again.tool()(add)
        async with modern_server(again, port):
            result = await held.call(adds, {"a": 2, "b": 2}, credentials={}, on_progress=silence)
            assert result.text == "4"


async def test_a_request_that_was_answered_once_is_not_called_unsent_afterwards() -> None:
    """The SDK may come back for the rest of an answer that broke off, and find nobody there."""
    errand, is_there = Errand("crm"), [True, False]

    def answer(request: httpx2.Request) -> httpx2.Response:
        if is_there.pop(0):
            return httpx2.Response(202)
        raise httpx2.ConnectError("refused")

    wire, token = Wire(httpx2.MockTransport(answer), PATIENT), ERRAND.set(errand)
    try:
        for _ in range(2):
            await wire.handle_async_request(httpx2.Request("POST", "http://127.0.0.1:1/mcp"))
    finally:
        ERRAND.reset(token)
    assert "could not be reached" in errand.fault and errand.has_left is True


async def test_an_old_server_that_forgot_the_session_is_greeted_again_and_asked_once() -> None:
    server = LegacyServer()
    async with legacy_server(server) as url, catalog(trusted("crm", url)) as held:
        echo = tool(await held.discover(), "crm/echo")
        server.mood = "forgotten"
        result = await held.call(echo, {"text": "a"}, credentials={}, on_progress=silence)
        assert result.text == '{"text": "a"}'
        assert len(server.called()) == 2, "the refused one and the one that was carried out"


async def test_an_old_server_that_says_400_to_a_forgotten_session_heals_by_itself() -> None:
    server = LegacyServer()
    server.forgotten = 400
    async with legacy_server(server) as url, catalog(trusted("crm", url)) as held:
        echo = tool(await held.discover(), "crm/echo")
        server.sessions.clear()
        with pytest.raises(SourceFailed):
            await held.call(echo, {"text": "a"}, credentials={}, on_progress=silence)

        async def is_healed() -> bool:
            found = await held.discover()
            return found.problems == () and len(server.sessions) == 1

        await until(is_healed)
        assert await held.call(echo, {"text": "a"}, credentials={}, on_progress=silence)


async def test_a_listing_that_fails_leaves_the_calls_under_way_alone() -> None:
    server, clock = LegacyServer(), StoppedClock()
    async with legacy_server(server) as url, catalog(trusted("crm", url), clock=clock) as held:
        echo = tool(await held.discover(), "crm/echo")
        server.mood = "hang"
        call = asyncio.create_task(
            held.call(echo, {"text": "a"}, credentials={}, on_progress=silence)
        )
        await server.reached.wait()
        server.is_listing_broken = True
        clock.now += 61

        async def is_failed() -> bool:
            return any("HTTP 500" in p.sentence for p in (await held.discover()).problems)

        await until(is_failed)
        server.let_go.set()
        assert (await call).text == '{"text": "a"}'


async def test_a_closed_catalogue_refuses_calls_at_once() -> None:
    server = LegacyServer()
    async with legacy_server(server) as url:
        async with catalog(trusted("crm", url)) as held:
            echo = tool(await held.discover(), "crm/echo")
        async with asyncio.timeout(30):
            with pytest.raises(SourceFailed, match="closed"):
                await held.call(echo, {}, credentials={}, on_progress=silence)


async def test_a_server_that_is_down_is_a_problem_and_not_a_failure_of_the_turn() -> None:
    well, port = LegacyServer(), free_port()
    down = trusted("down", f"http://127.0.0.1:{port}/mcp")
    async with legacy_server(well) as url, catalog(trusted("well", url), down) as held:
        found = await held.discover()
        assert [tool.key for tool in found.tools] == ["well/echo"]
        [problem] = found.problems
        assert problem.server == "down"
        assert problem.sentence.startswith("server down did not answer: its tools are missing")


async def test_a_server_that_hangs_while_it_opens_holds_the_first_discovery_only_shortly() -> None:
    async def swallow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    silent = await asyncio.start_server(swallow, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    limits = Limits(first_look=0.2, open_within=60)
    well = LegacyServer()
    async with (
        silent,
        legacy_server(well) as url,
        catalog(
            trusted("silent", f"http://127.0.0.1:{port}/mcp"), trusted("well", url), limits=limits
        ) as held,
    ):

        async def is_well_found() -> bool:
            # Each of these would wait for the silent server, if they waited for it.
            found = await held.discover()
            return [tool.key for tool in found.tools] == ["well/echo"]

        await until(is_well_found)
        for _ in range(100):
            found = await held.discover()
        assert "it has not answered yet" in found.problems[0].sentence


async def test_whoever_must_speak_soon_does_not_wait_for_a_silent_server() -> None:
    async def swallow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    silent = await asyncio.start_server(swallow, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{silent.sockets[0].getsockname()[1]}/mcp"
    limits = Limits(first_look=3_600, open_within=3_600)
    async with silent, catalog(trusted("silent", address), limits=limits) as held:
        async with asyncio.timeout(60):
            found = await held.discover(patience=0.01)
        [problem] = found.problems
        assert problem.is_outage
        assert "it has not answered yet" in problem.sentence


async def test_a_cancelled_call_leaves_the_client_usable_and_no_task_behind() -> None:
    server = LegacyServer()
    async with legacy_server(server) as url, catalog(trusted("crm", url)) as held:
        echo = tool(await held.discover(), "crm/echo")
        server.mood = "hang"
        before = asyncio.all_tasks()
        call = asyncio.create_task(held.call(echo, {}, credentials={}, on_progress=silence))
        async with asyncio.timeout(30):
            await server.reached.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        server.let_go.set()
        server.mood = "well"
        await held.call(echo, {}, credentials={}, on_progress=silence)
        ours = [t for t in asyncio.all_tasks() - before if "core.capabilities" in repr(t)]
        assert not ours


def _answer() -> str:
    return "42"


async def test_a_server_of_this_process_that_is_still_being_loaded_is_waited_for() -> None:
    may_load = asyncio.Event()

    server: MCPServer[Any] = MCPServer("ours", log_level="ERROR")
    server.add_tool(_answer, name="answer", description="Answers.")
    async with serving(server) as ready:

        async def loading(scope: Any, receive: Any, send: Any) -> None:
            await may_load.wait()
            await ready(scope, receive, send)

        limits = Limits(first_look=0.01, own_first_look=3_600, open_within=3_600)
        async with catalog(Server(name="ours", app=loading), limits=limits) as held:
            looking = asyncio.create_task(held.discover())
            soon = await held.discover(patience=0.2)
            assert soon.tools == () and not looking.done()
            may_load.set()
            async with asyncio.timeout(60):
                assert (await looking).tools
