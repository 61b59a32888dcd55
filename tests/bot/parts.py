"""The smallest bot that the shell can run, for tests of the shell."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from aiohttp import web

from bot.lifecycle import Part
from core.telemetry.health import Readings


@dataclass
class Bot:
    """A `bot.server.Application`. Its readings are turned by hand."""

    routes: Sequence[web.AbstractRouteDef] = ()
    parts: Sequence[Part] = ()
    readings: Readings = field(default_factory=Readings)
    trouble: Exception | None = None
    measured: int = 0

    async def health(self) -> Readings:
        self.measured += 1
        if self.trouble:
            raise self.trouble
        return self.readings

    def greeting(self, address: str) -> str:
        return f"up at {address}"


@dataclass
class Told:
    """A part that writes down what happens to it."""

    name: str
    said: list[str]
    grace: float = 5.0
    is_ready: bool = True
    on_stop: Callable[[], None] = lambda: None
    fails_at: str = ""
    end: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, up: Callable[[], None], stop: asyncio.Event) -> None:
        self.said.append(f"{self.name} starts")
        if self.fails_at == "start":
            raise RuntimeError(f"{self.name} cannot start")
        up()
        waits = {asyncio.create_task(stop.wait()), asyncio.create_task(self.end.wait())}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if self.fails_at == "stop":
                await asyncio.Event().wait()
            self.on_stop()
        finally:
            for wait in waits:
                wait.cancel()
            self.said.append(f"{self.name} stops")

    def ready(self) -> bool:
        return self.is_ready


def free_port() -> int:
    """A port of this machine on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
