"""An MCP server of the newest protocol on a real socket: the SDK's own, under uvicorn."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

Seen = list[dict[str, str]]
"""The headers of every request that arrived, by lower-case name."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def modern_server(
    server: MCPServer[Any], port: int = 0, seen: Seen | None = None
) -> AsyncGenerator[str]:
    """The server's URL while it runs; on a given port where a test starts it again."""
    app = server.streamable_http_app(
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    async with serving_asgi(_recording(app, seen), port) as address:
        yield f"{address}/mcp"


@asynccontextmanager
async def serving_asgi(app: Any, port: int = 0) -> AsyncGenerator[str]:
    port = port or free_port()
    config = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=port,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=1,
        ws="none",
    )
    running = _Server(config)
    async with asyncio.TaskGroup() as group:
        group.create_task(running.serve())
        async with asyncio.timeout(30):
            await running.is_up.wait()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            running.should_exit = True


class _Server(uvicorn.Server):
    """Tells when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()


def _recording(app: Any, seen: Seen | None) -> Callable[..., Any]:
    async def recording(scope: Any, receive: Any, send: Any) -> None:
        if seen is not None and scope["type"] == "http":
            seen.append({name.decode(): value.decode() for name, value in scope["headers"]})
        await app(scope, receive, send)

    return recording
