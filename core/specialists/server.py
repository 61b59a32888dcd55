"""Serves an MCP server of ours in this process, as an ASGI application without a socket."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

TAGS = "countersign/tags"
"""The key of a tool's `_meta` that holds its tags, a list of words."""


def tags(*words: str) -> dict[str, Any]:
    """The `meta` of a tool with these tags: `@server.tool(meta=tags("connector:sales"))`."""
    return {TAGS: list(words)}


@asynccontextmanager
async def serving(server: MCPServer[Any]) -> AsyncGenerator[Any]:
    """The server's application while its lifespan runs. Stateless: each call stands alone.

    Enter and leave it in one task. Nothing listens on a port, so there is no host to rebind.
    """
    app = server.streamable_http_app(
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    async with app.router.lifespan_context(app):
        yield app
