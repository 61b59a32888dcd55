"""Keeps the members of groups that Slack or Entra keep, as fresh as the policy needs them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress

from core.errors import CountersignError
from core.ports import Clock
from core.storage import duties, memberships
from core.storage.database import Database
from core.telemetry import logs
from core.turn.steering import Steering

FRESH = 300.0
"""Seconds for which members are taken as they were last seen."""
RETRY = 10.0
"""After a failure."""
LOOK = 2.0
"""Between two looks for groups that are new in the file."""
READ_SECONDS = 20.0

Members = Callable[[str], Awaitable[Sequence[str]]]
"""The persons of a group by its id on its platform. Raises `CountersignError`."""

log = logs.get(__name__)


class Grouping:
    """Reads from `run` until `drain`. What cannot be read stays as it was last seen: a group that
    was never read has nobody in it."""

    def __init__(
        self, db: Database, steering: Steering, sources: Mapping[str, Members], clock: Clock
    ) -> None:
        """`sources` by the word before the colon: `slack`, `entra`."""
        self._db = db
        self._steering = steering
        self._sources = sources
        self._clock = clock
        self._tried: dict[str, float] = {}
        self._ended = asyncio.Event()

    async def run(self) -> None:
        while not self._ended.is_set():
            try:
                await self.look()
            except CountersignError as failure:
                log.warning("groups.unread", kind=type(failure).__name__)
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK):
                    await self._ended.wait()

    async def drain(self) -> None:
        self._ended.set()

    async def look(self) -> None:
        """Read the groups whose members are not fresh. Raises `Unavailable`."""
        groups = self._steering.file.rules.groups
        words = {word for members in groups.values() for word in members}
        wanted = sorted(word for word in words if not word.startswith("person:"))
        now = self._clock()
        for origin in wanted:
            if now - self._tried.get(origin, -FRESH) >= FRESH:
                self._tried[origin] = now
                # One process reads a group for all of them.
                lease = now + 0.9 * FRESH
                if await duties.hold(self._db, f"group {origin}", now=now, lease=lease):
                    await self._read(origin, now)

    async def _read(self, origin: str, now: float) -> None:
        kind, _, id = origin.partition(":")
        source = self._sources.get(kind)
        try:
            if source is None:
                raise CountersignError(f"{kind} is not connected here")
            async with asyncio.timeout(READ_SECONDS):
                members = await source(id)
        except (CountersignError, TimeoutError) as failure:
            fault = str(failure) or "it did not answer in time"
            self._tried[origin] = now - FRESH + RETRY
            await memberships.note_fault(self._db, origin, fault)
            log.warning("group.unread", group=origin, kind=type(failure).__name__)
            return
        await memberships.keep(self._db, origin, members, now=now)
        log.info("group.read", group=origin, members=len(members))
