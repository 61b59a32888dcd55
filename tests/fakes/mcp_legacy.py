"""An MCP server of the old protocol (2025-06-18), written by hand on a real socket: handshake,
session ids, one answer per POST. It can be told to misbehave."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

from aiohttp import web

from tests.fakes.mcp_modern import free_port

PROTOCOL = "2025-06-18"


class LegacyServer:
    """What the server offers, what it was asked, and its mood.

    Moods of a call: `well`, `hang`, `cut` (the body breaks off), `error500`, `garbage` (200 with
    no JSON), `html`, `empty` (202), `huge`, `badgzip`, `redirect`, `unauthorized`, `wrong`
    (a result that is none), `events_cut`, `events_garbage`, `events`, `endless`,
    `events_endless`, `elicit`, `forgotten`.
    """

    def __init__(self, name: str = "legacy") -> None:
        self.name = name
        self.tools: list[dict[str, Any]] = [echo_tool()]
        self.mood = "well"
        self.page_size = 0
        self.sessions: set[str] = set()
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        """(method, headers, params) of every message."""
        self.elsewhere = ""
        self.forgotten = 404
        """The status for a session that the server does not know."""
        self.is_listing_broken = False
        self.answers: list[Any] = []
        """What the client answered to the server's own requests."""
        self.result: dict[str, Any] | None = None
        self.let_go = asyncio.Event()
        self.answered = asyncio.Event()
        self.reached = asyncio.Event()
        """Set when a call hangs."""

    def called(self) -> list[dict[str, str]]:
        """The headers of the tool calls."""
        return [headers for method, headers, _ in self.requests if method == "tools/call"]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        if request.method != "POST":
            return web.Response(status=405)
        message = json.loads(await request.text())
        headers = {name.lower(): value for name, value in request.headers.items()}
        method = str(message.get("method", ""))
        self.requests.append((method, headers, message.get("params") or {}))
        if not method:
            self.answers.append(message)
            self.answered.set()
            return web.Response(status=202)
        if method == "initialize":
            return self.initialize(message)
        if headers.get("mcp-session-id") not in self.sessions:
            status = self.forgotten if "mcp-session-id" in headers else 400
            return web.Response(status=status, text="no session")
        if "id" not in message:
            return web.Response(status=202)
        if method == "tools/list" and self.is_listing_broken:
            return web.Response(status=500)
        if method == "tools/list":
            return self.listing(message)
        if method == "tools/call":
            return await self.call(request, message)
        error = {"code": -32601, "message": "Method not found"}
        return web.json_response({"jsonrpc": "2.0", "id": message["id"], "error": error})

    def initialize(self, message: dict[str, Any]) -> web.Response:
        session = f"session-{len(self.requests)}"
        self.sessions.add(session)
        result = {
            "protocolVersion": PROTOCOL,
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": self.name, "version": "1"},
        }
        reply = web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": result})
        reply.headers["mcp-session-id"] = session
        return reply

    def listing(self, message: dict[str, Any]) -> web.Response:
        start = int((message.get("params") or {}).get("cursor") or 0)
        size = self.page_size or len(self.tools) or 1
        result: dict[str, Any] = {"tools": self.tools[start : start + size]}
        if start + size < len(self.tools):
            result["nextCursor"] = str(start + size)
        return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": result})

    async def call(self, request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
        mood = self.mood
        plain = {
            "error500": web.Response(status=500, text="Traceback: secret stack"),
            "garbage": web.Response(text="}{ not json", content_type="application/json"),
            "html": web.Response(text="<html>login</html>", content_type="text/html"),
            "empty": web.Response(status=202),
            "unauthorized": web.Response(status=401, text="no"),
            "badgzip": web.Response(
                body=b"\x1f\x8bno",
                content_type="application/json",
                headers={"content-encoding": "gzip"},
            ),
        }
        if mood in plain:
            return plain[mood]
        if mood == "redirect":
            return web.Response(status=302, headers={"location": self.elsewhere})
        if mood == "forgotten":
            self.sessions.clear()
            self.mood = "well"
            return web.Response(status=404, text="no session")
        if mood == "hang":
            self.reached.set()
            await self.let_go.wait()
        if mood == "cut":
            return await self.broken(request, "application/json", b'{"jsonrpc": "2.0", "id"')
        if mood.endswith("endless"):
            kind = "text/event-stream" if mood.startswith("events") else "application/json"
            return await self.endless(request, kind)
        if mood.startswith("events_"):
            piece = b"data: {\n\n" if mood == "events_garbage" else b": hello\n\n"
            return await self.broken(request, "text/event-stream", piece)
        if mood == "elicit":
            return await self.elicit(request, message)
        return await self.answer(request, message)

    async def answer(self, request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
        arguments = message["params"].get("arguments") or {}
        text = json.dumps(arguments)
        if self.mood == "huge":
            text = "x" * 3_000_000
        result: dict[str, Any] = {"content": [{"type": "text", "text": text}]}
        if self.result is not None:
            result = self.result
        if self.mood == "wrong":
            result = {"content": "not a list"}
        reply = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        if self.mood != "events":
            return web.json_response(reply)
        stream = await self.open_events(request)
        token = message["params"].get("_meta", {}).get("progressToken")
        for step in (1, 2):
            params = {"progressToken": token, "progress": step, "total": 2, "message": "reading"}
            note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
            await stream.write(f"event: message\ndata: {json.dumps(note)}\n\n".encode())
        await stream.write(f"event: message\ndata: {json.dumps(reply)}\n\n".encode())
        return stream

    async def elicit(self, request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
        """Ask the client for a person's input in the middle of the call."""
        stream = await self.open_events(request)
        params = {"message": "Which one?", "requestedSchema": {"type": "object", "properties": {}}}
        ask = {"jsonrpc": "2.0", "id": 900, "method": "elicitation/create", "params": params}
        await stream.write(f"event: message\ndata: {json.dumps(ask)}\n\n".encode())
        async with asyncio.timeout(30):
            await self.answered.wait()
        said = self.answers[-1].get("error", {}).get("message", "accepted")
        result = {"content": [{"type": "text", "text": said}], "isError": True}
        reply = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        await stream.write(f"event: message\ndata: {json.dumps(reply)}\n\n".encode())
        return stream

    async def open_events(self, request: web.Request) -> web.StreamResponse:
        stream = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await stream.prepare(request)
        return stream

    async def endless(self, request: web.Request, kind: str) -> web.StreamResponse:
        """Go on for as long as somebody reads."""
        stream = web.StreamResponse(headers={"content-type": kind})
        await stream.prepare(request)
        with suppress(ConnectionError):
            while not self.let_go.is_set():
                await stream.write(b": wait\n\n" * 4_000)
        return stream

    async def broken(self, request: web.Request, kind: str, piece: bytes) -> web.StreamResponse:
        """Begin an answer and drop the connection."""
        stream = web.StreamResponse(headers={"content-type": kind})
        await stream.prepare(request)
        await stream.write(piece)
        if request.transport is not None:
            request.transport.close()
        return stream


def echo_tool(name: str = "echo", **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    return {"name": name, "description": "Says it again.", "inputSchema": schema, **more}


@asynccontextmanager
async def legacy_server(server: LegacyServer, port: int = 0) -> AsyncGenerator[str]:
    """The server's URL while it listens; on a given port where a test starts it again."""
    port = port or free_port()
    app = web.Application(client_max_size=8 * 1024 * 1024)
    app.router.add_route("*", "/mcp", server.handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port, reuse_address=True).start()
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.let_go.set()
        server.sessions.clear()
        with suppress(TimeoutError):
            await runner.cleanup()
