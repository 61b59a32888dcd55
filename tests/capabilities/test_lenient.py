"""What a server may leave out is not held against it."""

from typing import Any

from aiohttp import web

from core.capabilities.catalog import Catalog
from tests.capabilities.bridge import PATIENT, StoppedClock, catalog, silence, tool, trusted
from tests.fakes.mcp_pins import MemoryPins

NEW = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
DISCOVERED = {
    **NEW,
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "lenient", "version": "1"},
}
ECHO = {"name": "echo", "description": "Echo.", "inputSchema": {"type": "object", "properties": {}}}


class Lenient:
    """A server of the newest protocol that answers calls with whatever it was given."""

    def __init__(self, result: Any, tools: tuple[Any, ...] = (ECHO,)) -> None:
        self._result, self._tools = result, list(tools)
        self._runner: web.AppRunner | None = None

    async def _answer(self, request: web.Request) -> web.Response:
        asked = await request.json()
        known = {"server/discover": DISCOVERED, "tools/list": {**NEW, "tools": self._tools}}
        result = known.get(asked["method"], self._result)
        return web.json_response({"jsonrpc": "2.0", "id": asked.get("id"), "result": result})

    async def __aenter__(self) -> str:
        app = web.Application()
        app.router.add_post("/mcp", self._answer)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}/mcp"

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()


async def called(held: Catalog) -> str:
    echo = tool(await held.discover(), "lenient/echo")
    return (await held.call(echo, {}, credentials={}, on_progress=silence)).text


async def test_a_result_without_a_type_is_complete():
    said = {"content": [{"type": "text", "text": 'it says "resultType"'}]}
    async with Lenient(said) as url, catalog(trusted("lenient", url)) as held:
        assert await called(held) == 'it says "resultType"'


async def test_a_server_without_tools_has_answered_whatever_the_time_is():
    clock = StoppedClock()
    clock.now = 0.0
    async with Lenient({}, tools=()) as url:
        held = Catalog([trusted("lenient", url)], MemoryPins(), clock=clock, limits=PATIENT)
        async with held:
            assert (await held.discover()).problems == ()
