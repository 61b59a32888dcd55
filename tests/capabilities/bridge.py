"""What the tests of the bridge share: a catalogue over servers, and a clock that stands still."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from core.capabilities.catalog import Catalog, Discovery
from core.capabilities.servers import Limits, Server
from core.records import Tool
from tests.fakes.mcp_pins import MemoryPins

PATIENT = Limits(deadline=60, open_within=60, first_look=60)
"""For machines under load; no test waits for one of these to pass."""


class StoppedClock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def catalog(
    *servers: Server,
    pins: MemoryPins | None = None,
    clock: StoppedClock | None = None,
    limits: Limits = PATIENT,
) -> AsyncGenerator[Catalog]:
    held = Catalog(servers, pins or MemoryPins(), clock=clock or StoppedClock(), limits=limits)
    async with held:
        yield held


def tool(discovery: Discovery, key: str) -> Tool:
    return next(tool for tool in discovery.tools if tool.key == key)


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait for what happens in the background, half a minute at most."""
    async with asyncio.timeout(30):
        for _ in itertools.count():
            if await holds():
                return
            await asyncio.sleep(0.002)


async def silence(_: str) -> None:
    """Progress that nobody watches."""


def trusted(name: str, url: str) -> Server:
    return Server(name=name, url=url, accept="all")
