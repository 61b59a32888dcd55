"""What comes back from a call: content of every kind, progress, commands, refusals."""

import asyncio
import base64
import os
import signal
import sys
from dataclasses import replace
from typing import Annotated

import pytest
from mcp.server.elicitation import AcceptedElicitation
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp_types import (
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from pydantic import BaseModel

from core.capabilities.servers import Limits, Server
from core.errors import SourceFailed
from core.specialists.server import serving, tags
from tests.capabilities.bridge import PATIENT, catalog, silence, tool, trusted, until
from tests.fakes.mcp_legacy import LegacyServer, legacy_server
from tests.fakes.mcp_modern import modern_server

COMMAND = Server(
    name="local", command=(sys.executable, "-m", "tests.fakes.mcp_command"), accept="all"
)


async def test_every_kind_of_content_finds_its_place() -> None:
    server = MCPServer("mixed", log_level="ERROR")

    @server.tool(meta=tags("produces_file"))
    def everything() -> CallToolResult:
        """All kinds."""
        return CallToolResult(
            content=[
                TextContent(text="Hello"),
                ImageContent(data=base64.b64encode(b"\x89PNG").decode(), mime_type="image/png"),
                ResourceLink(name="wiki", title="The wiki", uri="https://wiki.example/a?b=1"),
                ResourceLink(name="local", uri="file:///etc/passwd"),
                EmbeddedResource(
                    resource=BlobResourceContents(
                        uri="file:///a/../b/report.xlsx", blob=base64.b64encode(b"PK").decode()
                    )
                ),
                EmbeddedResource(
                    resource=TextResourceContents(
                        uri="file:///notes.csv", text="a,b\n1,2", mime_type="text/csv"
                    )
                ),
                EmbeddedResource(resource=BlobResourceContents(uri="x:y", blob="&&& no base64")),
            ],
            structured_content={"rows": [{"a": 1}]},
        )

    async with modern_server(server) as url, catalog(trusted("mixed", url)) as held:
        everything_tool = tool(await held.discover(), "mixed/everything")
        result = await held.call(everything_tool, {}, credentials={}, on_progress=silence)
    assert result.text.startswith("Hello\n\n")
    assert "a,b\n1,2" in result.text
    assert "could not be read" in result.text
    assert result.links == (("The wiki", "https://wiki.example/a?b=1"),)
    assert "file:///" not in result.text
    assert result.structured == {"rows": [{"a": 1}]}
    files = {file.name: (file.media_type, content) for file, content in result.files}
    assert files["image-2.png"] == ("image/png", b"\x89PNG")
    assert files["report.xlsx"][1] == b"PK"
    assert files["notes.csv"] == ("text/csv", b"a,b\n1,2")
    assert len({file.id for file, _ in result.files}) == 3
    assert all(file.size == len(content) for file, content in result.files)


async def test_a_result_of_structure_alone_is_readable_and_holds_nothing_unstorable() -> None:
    old = LegacyServer()
    old.result = {
        "content": [],
        "structuredContent": {"name": "a\u0000b", "list": [1, None]},
    }
    async with legacy_server(old) as url, catalog(trusted("old", url)) as held:
        echo = tool(await held.discover(), "old/echo")
        result = await held.call(echo, {}, credentials={}, on_progress=silence)
    assert result.structured == {"name": "a\ufffdb", "list": [1, None]}
    assert '"list"' in result.text
    assert "\x00" not in result.text


async def test_a_tools_own_error_is_a_result_and_a_crash_tells_nothing_of_its_inside() -> None:
    server = MCPServer("crm", log_level="CRITICAL")

    @server.tool()
    def crash() -> str:
        """Crashes."""
        raise ValueError("dsn=postgres://u:hunter2@db")

    async with modern_server(server) as url, catalog(trusted("crm", url)) as held:
        crash_tool = tool(await held.discover(), "crm/crash")
        result = await held.call(crash_tool, {}, credentials={}, on_progress=silence)
    assert result.is_error
    assert "hunter2" not in repr(result)


@pytest.mark.parametrize("kind", ["in process", "socket", "old protocol"])
async def test_what_a_server_says_of_its_progress_is_shown(kind: str) -> None:
    server, old = MCPServer("crm", log_level="ERROR"), LegacyServer()
    old.mood = "events"
    may_end, shown = asyncio.Event(), list[str]()

    @server.tool()
    async def echo(ctx: Context) -> str:
        """Reads."""
        await ctx.report_progress(1, 2, "reading the\nsales tables")
        await may_end.wait()
        return "done"

    async def show(text: str) -> None:
        shown.append(text)
        may_end.set()

    async with (
        serving(server) as app,
        modern_server(server) as url,
        legacy_server(old) as old_url,
    ):
        where = {
            "in process": Server(name="crm", app=app),
            "socket": trusted("crm", url),
            "old protocol": trusted("crm", old_url),
        }[kind]
        limits = replace(PATIENT, progress_every=60, progress_after=60)
        async with catalog(where, limits=limits) as held, asyncio.timeout(30):
            echo_tool = tool(await held.discover(), "crm/echo")
            await held.call(echo_tool, {}, credentials={}, on_progress=show)
    said = "reading" if kind == "old protocol" else "reading the sales tables"
    assert shown[0] == f"echo: {said}", "shown while the call is at work"
    assert len(shown) == 1, "and not more often than once in a while"


async def test_a_silent_call_says_after_a_while_that_it_is_still_at_work() -> None:
    """Peers' case 34."""
    old, shown = LegacyServer(), list[str]()
    old.mood = "hang"

    async def show(text: str) -> None:
        shown.append(text)
        if len(shown) == 2:
            old.mood = "well"
            old.let_go.set()

    limits = Limits(progress_after=0.02)
    async with legacy_server(old) as url, catalog(trusted("old", url), limits=limits) as held:
        echo = tool(await held.discover(), "old/echo")
        await held.call(echo, {}, credentials={}, on_progress=show, deadline=10)
    assert shown[0] == "echo is still at work"


def test_a_call_is_silent_for_five_seconds_at_most() -> None:
    assert Limits().progress_after == 5
    assert Limits().deadline == 60


async def test_a_quick_call_shows_nothing() -> None:
    old, shown = LegacyServer(), list[str]()

    async def show(text: str) -> None:
        shown.append(text)

    limits = replace(PATIENT, progress_after=60)
    async with legacy_server(old) as url, catalog(trusted("old", url), limits=limits) as held:
        echo = tool(await held.discover(), "old/echo")
        await held.call(echo, {}, credentials={}, on_progress=show)
    assert shown == []


async def test_a_command_that_died_is_started_again() -> None:
    async with catalog(COMMAND) as held:
        found = await held.discover()

        async def ask(name: str) -> str:
            result = await held.call(
                tool(found, f"local/{name}"), {}, credentials={}, on_progress=silence
            )
            return result.text

        first = await ask("pid")
        assert await ask("pid") == first
        with pytest.raises(SourceFailed):
            await ask("die")
        second = await ask("pid")
        assert second != first
        os.kill(int(second), signal.SIGKILL)

        async def is_back() -> bool:
            # A call that meets the end of the process fails with it; the next one does not.
            try:
                return await ask("pid") not in (first, second)
            except SourceFailed:
                return False

        await until(is_back)


async def test_a_command_sees_only_the_environment_that_it_was_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-canary")
    command = Server(name="local", command=COMMAND.command, accept="all", env={"CRM_REGION": "eu"})
    async with catalog(command) as held:
        environment = tool(await held.discover(), "local/environment")
        result = await held.call(environment, {}, credentials={}, on_progress=silence)
    assert "CRM_REGION" in result.text.split()
    assert "SLACK_BOT_TOKEN" not in result.text


async def test_a_command_that_cannot_be_started_is_a_problem() -> None:
    command = Server(name="local", command=("/no/such/program",), accept="all")
    async with catalog(command) as held:
        [problem] = (await held.discover()).problems
        assert "could not be started" in problem.sentence


async def test_an_old_server_that_asks_for_a_persons_input_is_told_that_it_is_unsupported() -> None:
    """Peers' case 31."""
    old = LegacyServer()
    old.mood = "elicit"
    async with legacy_server(old) as url, catalog(trusted("old", url)) as held:
        echo = tool(await held.discover(), "old/echo")
        result = await held.call(echo, {}, credentials={}, on_progress=silence)
    assert result.is_error
    assert result.text == "Elicitation not supported"


async def test_a_new_server_that_asks_for_a_persons_input_fails_with_a_sentence() -> None:
    """Peers' case 31."""

    class Consent(BaseModel):
        ok: bool

    async def ask(to: str) -> Elicit[Consent]:
        return Elicit(f"send to {to}?", Consent)

    server, sent = MCPServer("mailer", log_level="CRITICAL"), list[str]()

    @server.tool()
    async def send(to: str, consent: Annotated[AcceptedElicitation[Consent], Resolve(ask)]) -> str:
        """Sends."""
        sent.append(to)
        return "sent"

    async with modern_server(server) as url, catalog(trusted("mailer", url)) as held:
        send_tool = tool(await held.discover(), "mailer/send")
        try:
            result = await held.call(send_tool, {"to": "bob"}, credentials={}, on_progress=silence)
            said = result.text
            assert result.is_error
        except SourceFailed as failure:
            said = str(failure)
    assert "elicit" in said.casefold() or "not supported here" in said
    assert sent == []


async def test_usage_that_a_foreign_server_reports_comes_back_and_ours_is_not_counted_twice() -> (
    None
):
    server = MCPServer("ocr", log_level="ERROR")
    reported = [
        {"model": "vision-1", "provider": "acme", "input_tokens": 5, "pages": 2, "kind": "ocr"},
        {"model": "m", "input_tokens": -3, "output_tokens": True},
        {"input_tokens": 7},
        "nonsense",
    ]

    @server.tool()
    def read() -> CallToolResult:
        """Reads."""
        return CallToolResult(
            content=[TextContent(text="text")], _meta={"countersign/usage": reported}
        )

    async with (
        serving(server) as app,
        modern_server(server) as url,
        catalog(trusted("foreign", url), Server(name="ours", app=app)) as held,
    ):
        found = await held.discover()
        foreign = await held.call(
            tool(found, "foreign/read"), {}, credentials={}, on_progress=silence
        )
        ours = await held.call(tool(found, "ours/read"), {}, credentials={}, on_progress=silence)
    first, second = foreign.usage
    assert (first.model, first.provider, first.kind) == ("vision-1", "acme", "ocr")
    assert (first.usage.input_tokens, first.usage.pages) == (5, 2)
    assert (second.usage.input_tokens, second.usage.output_tokens) == (0, 0)
    assert ours.usage == ()


async def test_many_calls_to_one_server_run_side_by_side() -> None:
    server = MCPServer("crm", log_level="ERROR")
    together = asyncio.Barrier(20)

    @server.tool()
    async def meet() -> str:
        """Ends when twenty are here."""
        await together.wait()
        return "met"

    async with modern_server(server) as url, catalog(trusted("crm", url)) as held:
        meets = tool(await held.discover(), "crm/meet")
        async with asyncio.timeout(30), asyncio.TaskGroup() as group:
            for _ in range(20):
                group.create_task(held.call(meets, {}, credentials={}, on_progress=silence))
