"""Serves an MCP server of ours in this process, as an ASGI application without a socket."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

TAGS = "countersign/tags"
"""The key of a tool's `_meta` that holds its tags, a list of words."""
SIGN_IN = "countersign/sign-in"
"""The key of a result's `_meta` that says which sign-in the call needs: `{scopes, claims}`."""


def tags(*words: str) -> dict[str, Any]:
    """The `meta` of a tool with these tags: `@server.tool(meta=tags("connector:sales"))`."""
    return {TAGS: list(words)}


@asynccontextmanager
async def serving_later(make: "Callable[[], MCPServer[Any]]") -> AsyncGenerator[Any]:
    """The application of a server that is made when it is first asked, in a thread: what a server
    is made with takes a second to import."""
    making, made = asyncio.Lock(), list[Any]()
    async with AsyncExitStack() as stack:

        async def app(scope: Any, receive: Any, send: Any) -> None:
            async with making:
                if not made:
                    server = await asyncio.to_thread(make)
                    made.append(await stack.enter_async_context(serving(server)))
            await made[0](scope, receive, send)

        yield app


@asynccontextmanager
async def serving(server: "MCPServer[Any]") -> AsyncGenerator[Any]:
    """The server's application while its lifespan runs, in a task of its own. Stateless: each call
    stands alone. Nothing listens on a port, so there is no host to rebind."""
    from mcp.server.transport_security import TransportSecuritySettings

    app = server.streamable_http_app(
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    is_up, is_over = asyncio.Event(), asyncio.Event()

    async def live() -> None:
        async with app.router.lifespan_context(app):
            is_up.set()
            await is_over.wait()

    # In the caller's task, the lifespan's task group would wrap whatever the caller raises.
    life = asyncio.create_task(live())
    try:
        starting = asyncio.create_task(is_up.wait())
        await asyncio.wait((life, starting), return_when=asyncio.FIRST_COMPLETED)
        starting.cancel()
        if life.done():
            await life
        yield app
    finally:
        is_over.set()
        await asyncio.wait((life,))
