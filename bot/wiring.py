"""Builds the bot from its settings: the one place that sees the adapters and all rooms."""

from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web

from bot.config import Config
from bot.lifecycle import Part
from bot.settings import Settings
from core.telemetry.health import Readings


@dataclass(frozen=True, slots=True, kw_only=True)
class Wired:
    """A `bot.server.Application`."""

    routes: Sequence[web.AbstractRouteDef] = ()
    parts: Sequence[Part] = ()

    async def health(self) -> Readings:
        return Readings()

    def greeting(self, address: str) -> str:
        return f"Countersign is up at {address}"


async def build(settings: Settings, config: Config) -> Wired:
    """The bot, not yet started. Raises `Misconfigured`."""
    return Wired()
