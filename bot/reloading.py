"""Reads the configuration again when the file changes, and looks at what other replicas' admins
did."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from bot import config, turns
from bot.settings import Settings
from core.errors import CountersignError, Misconfigured
from core.policy.rules import version
from core.telemetry import logs
from core.turn.setup import Setup
from core.turn.steering import Steering

SECONDS = 0.5
"""Between two looks: whoever holds rules without asking has them this old at most."""

log = logs.get(__name__)


class Reloading:
    """Looks from `run` until `drain`. Models and servers are what they were at the start."""

    def __init__(
        self,
        settings: Settings,
        steering: Steering,
        domains: frozenset[str],
        look_at_prices: Callable[[], Awaitable[None]],
    ) -> None:
        """`domains` are our own beside those of the file."""
        self._look_at_prices = look_at_prices
        self._settings = settings
        self._steering = steering
        self._domains = domains
        self._stamp = _stamp(settings.config)
        self._ended = asyncio.Event()

    async def run(self) -> None:
        while not self._ended.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(SECONDS):
                    await self._ended.wait()
            try:
                await self.look()
            except CountersignError as failure:
                log.warning("policy.unread", kind=type(failure).__name__)

    async def look(self) -> None:
        """Raises `Unavailable`."""
        stamp = _stamp(self._settings.config)
        if stamp != self._stamp:
            self._stamp = stamp
            self._read()
        await self._steering.fresh()
        await self._look_at_prices()

    async def drain(self) -> None:
        self._ended.set()

    def _read(self) -> None:
        """What cannot be read changes nothing: what held before holds, and admins are told."""
        try:
            found = turns.setup(config.read(self._settings))
        except Misconfigured as fault:
            self._steering.fault = str(fault)
            log.warning("policy.kept", faults=len(str(fault).splitlines()))
            return
        before = self._steering.file
        rules = replace(found.rules, domains=found.rules.domains | self._domains)
        self._steering.replace(_lasting(before, replace(found, rules=rules)))
        log.info("policy.reloaded", version=version(rules), was=version(before.rules))


def _lasting(before: Setup, found: Setup) -> Setup:
    """What only a start can change stays: models, deadlines."""
    return replace(found, models=before.models, default=before.default, deadlines=before.deadlines)


def _stamp(path: Path | None) -> tuple[int, int]:
    try:
        found = path.stat() if path is not None else None
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size) if found is not None else (0, 0)
