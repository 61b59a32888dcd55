"""One MCP server's long-lived client, opened, owned and closed by a task of its own.

A client has to be closed by the task that opened it, and a fault of its transport cancels that
task: so callers only borrow it.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, cast

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp_types import ToolListChangedNotification

from core.capabilities.listing import Listing, read_listing
from core.capabilities.servers import Limits, Server
from core.capabilities.transport import ERRAND, IN_PROCESS_URL, Errand, open_http
from core.errors import SourceFailed
from core.records import Tool

log = logging.getLogger(__name__)

MOST_PAGES = 100
MOST_TOOLS = 1_000


class Live:
    """An open client with what its server listed. `gone` is set when it can no longer be used."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.gone = asyncio.Event()
        self.listing = Listing()

    def tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.listing.tools if tool.name == name), None)


class Connection:
    """The client of one server. It is opened when first needed and opened anew when it is gone."""

    def __init__(self, server: Server, limits: Limits, on_change: Callable[[], None]) -> None:
        self.server = server
        self._limits = limits
        self._on_change = on_change
        self._live: Live | None = None
        self._wanted = asyncio.Event()
        self._opening: asyncio.Future[Live | str] | None = None
        self._is_closed = False

    async def live(self) -> Live:
        """The open client. Raises SourceFailed with the reason when it cannot be opened."""
        if self._is_closed:
            raise SourceFailed(f"{self.server.name} is closed")
        if self._live is not None and not self._live.gone.is_set():
            return self._live
        if self._opening is None:
            self._opening = asyncio.get_running_loop().create_future()
            self._wanted.set()
        outcome = await asyncio.shield(self._opening)
        if isinstance(outcome, str):
            raise SourceFailed(outcome)
        return outcome

    async def listing(self) -> Listing:
        """What the server lists now. Raises SourceFailed, also when it takes too long."""
        before = self._live
        live = await self.live()
        if live is not before:
            return live.listing
        errand = Errand(self.server.name)
        try:
            async with asyncio.timeout(self._limits.open_within):
                live.listing = await self._list(live.client, errand)
        except (MCPError, RuntimeError, ValueError, TimeoutError) as error:
            if not errand.rejected:
                raise SourceFailed(self.sentence(errand, error)) from None
            # A list that is rejected is rejected for its session: greet the server again.
            live.gone.set()
            live = await self.live()
        return live.listing

    async def run(self) -> None:
        """Owns the client until it is cancelled."""
        try:
            while True:
                await self._wanted.wait()
                self._wanted.clear()
                await self._hold()
        finally:
            self._is_closed = True
            self._settle(f"{self.server.name} is closed")

    async def _hold(self) -> None:
        """Open the client, hold it open until it is gone, close it."""
        errand = Errand(self.server.name)
        is_open = False
        try:
            async with AsyncExitStack() as stack:
                async with asyncio.timeout(self._limits.open_within):
                    live = await self._open(stack, errand)
                self._live = live
                self._settle(live)
                is_open = True
                async with asyncio.TaskGroup() as group:
                    watch = group.create_task(self._watch(live))
                    await live.gone.wait()
                    watch.cancel()
        # A transport's task group may raise anything on its way down, and this task has to be
        # there for the next call.
        except Exception as error:
            log.warning(
                "MCP client closed", extra={"server": self.server.name, "kind": _kind(error)}
            )
            # Once it was open, whoever waits by now waits for the next one.
            if not is_open:
                self._settle(self.sentence(errand, error))
        finally:
            if self._live is not None:
                self._live.gone.set()
            self._live = None

    async def _open(self, stack: AsyncExitStack, errand: Errand) -> Live:
        gone = asyncio.Event()
        if self.server.command:
            parameters = StdioServerParameters(
                command=self.server.command[0],
                args=list(self.server.command[1:]),
                env=dict(self.server.env),
            )
            transport = stdio_client(parameters)
        else:
            http = await stack.enter_async_context(open_http(self.server, self._limits))
            transport = streamable_http_client(
                self.server.url or IN_PROCESS_URL,
                http_client=http,
                # A closing request to a server that hangs would hold up the closing.
                terminate_on_close=False,
                max_sse_event_size=self._limits.result_bytes,
            )
        token = ERRAND.set(errand)
        try:
            # Without a cache: the SDK's list cache hands one person's tools to the next.
            client = await stack.enter_async_context(
                Client(_watched(transport, gone), cache=None, message_handler=self._hear)
            )
            live = Live(client)
            live.gone = gone
            live.listing = await self._list(client, errand)
        finally:
            ERRAND.reset(token)
        return live

    async def _list(self, client: Client, errand: Errand) -> Listing:
        """Every page of the list; the SDK asks for one."""
        token = ERRAND.set(errand)
        try:
            listed: list[Any] = []
            cursor: str | None = None
            for _ in range(MOST_PAGES):
                page = await client.list_tools(cursor=cursor)
                listed.extend(page.tools)
                if not page.next_cursor or page.next_cursor == cursor:
                    break
                cursor = page.next_cursor
                if len(listed) > MOST_TOOLS:
                    break
            if len(listed) > MOST_TOOLS:
                raise SourceFailed(f"{self.server.name} lists more than {MOST_TOOLS:,} tools")
            return read_listing(self.server.name, listed)
        finally:
            ERRAND.reset(token)

    async def _watch(self, live: Live) -> None:
        """Hear of changed lists where the server of the new protocol offers to tell."""
        tools = live.client.server_capabilities.tools
        if self.server.is_ours or tools is None or not tools.list_changed:
            return
        with suppress(MCPError, ListenNotSupportedError, SubscriptionLost, TimeoutError):
            async with live.client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    self._on_change()

    async def _hear(self, message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._on_change()

    def _settle(self, outcome: Live | str) -> None:
        if self._opening is not None and not self._opening.done():
            self._opening.set_result(outcome)
        self._opening = None

    def sentence(self, errand: Errand, error: BaseException) -> str:
        """What to say of a failure: what the wire saw, else what kind of failure it was."""
        name = self.server.name
        if isinstance(error, SourceFailed):
            return str(error)
        if errand.fault:
            return f"{name} {errand.fault}"
        if isinstance(error, TimeoutError):
            return f"{name} did not answer in time"
        if isinstance(error, OSError):
            return f"{name} could not be started ({type(error).__name__})"
        if isinstance(error, MCPError):
            return f"{name} refused: {' '.join(error.message.split())[:300]}"
        return f"{name} did not speak MCP as it should ({_kind(error)})"


@asynccontextmanager
async def _watched(transport: Any, gone: asyncio.Event) -> AsyncGenerator[Any]:
    """The transport, with `gone` set when nothing can be read from it any more: a command ended,
    or the transport broke."""
    async with transport as (read, write):
        yield _Watched(read, gone), write


class _Watched:
    """A read stream that tells of its end."""

    def __init__(self, stream: Any, gone: asyncio.Event) -> None:
        self._stream = stream
        self._gone = gone

    @property
    def last_context(self) -> Any:
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> Any:
        return await self._stream.receive()

    async def aclose(self) -> None:
        self._gone.set()
        await self._stream.aclose()

    def __aiter__(self) -> "_Watched":
        return self

    async def __anext__(self) -> Any:
        try:
            return await self._stream.__anext__()
        except (StopAsyncIteration, anyio.ClosedResourceError):
            self._gone.set()
            raise

    async def __aenter__(self) -> "_Watched":
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *reason: Any) -> bool | None:
        self._gone.set()
        return await self._stream.__aexit__(*reason)


def _kind(error: BaseException) -> str:
    """The name of the innermost failure."""
    if isinstance(error, BaseExceptionGroup):
        return _kind(cast("BaseExceptionGroup[BaseException]", error).exceptions[0])
    return type(error).__name__
