"""Lets a person's queries to Power BI out at the pace that the service allows."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

from core.errors import Unavailable
from core.ports import Clock, Moments
from core.records import PersonId
from core.specialists.dax.failures import DaxFailed

A_MINUTE = 120
"""Queries of one person in a minute. Source: REST reference, `Execute Queries`, Limitations."""
SPAN = 60.0
PATIENCE = 20.0
"""Seconds that a query may wait for its turn; a question has a deadline of its own."""
PEOPLE = 1_000

Sleep = Callable[[float], Awaitable[None]]


class Pace:
    """In order for each person. What other programs of theirs ask counts there, not here: then
    the service says so itself, and `hold` keeps the next ones back."""

    def __init__(
        self,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
        most: int = A_MINUTE,
        everywhere: Moments | None = None,
    ) -> None:
        """`everywhere` counts what all processes of the bot ask; None where this is the only
        one."""
        self._clock = clock
        self._sleep = sleep
        self._most = most
        self._everywhere = everywhere
        self._sent: dict[PersonId, deque[float]] = {}
        self._held: dict[PersonId, float] = {}
        self._turns: dict[PersonId, asyncio.Lock] = {}

    async def turn(self, person: PersonId) -> None:
        """Returns when the next query may go. Raises `DaxFailed`, kind `throttled`, where that
        would take longer than anybody waits."""
        async with self._turns.setdefault(person, asyncio.Lock()):
            wait = self._wait(person)
            if wait <= PATIENCE:
                wait = max(wait, await self._elsewhere(person))
            if wait > PATIENCE:
                raise DaxFailed("throttled", busy(wait), retry_after=wait)
            if wait > 0:
                await self._sleep(wait)
            self._sent.setdefault(person, deque()).append(self._clock())
        self._forget()

    async def hold(self, person: PersonId, seconds: float) -> None:
        """The service asked for a pause."""
        self._held[person] = self._clock() + seconds
        if self._everywhere is not None:
            with suppress(Unavailable):
                await self._everywhere.hold(_line(person), seconds)

    async def _elsewhere(self, person: PersonId) -> float:
        """Without a database everybody keeps to their own pace."""
        if self._everywhere is not None:
            with suppress(Unavailable):
                windows = ((self._most, SPAN),)
                return await self._everywhere.take(_line(person), windows, patience=PATIENCE)
        return 0.0

    def _wait(self, person: PersonId) -> float:
        now = self._clock()
        sent = self._sent.setdefault(person, deque())
        while sent and sent[0] <= now - SPAN:
            sent.popleft()
        full = sent[0] + SPAN - now if len(sent) >= self._most else 0.0
        return max(full, self._held.get(person, 0.0) - now, 0.0)

    def _forget(self) -> None:
        """Those who have not asked for longest."""
        while len(self._sent) > PEOPLE:
            person = next(iter(self._sent))
            for kept in (self._sent, self._held, self._turns):
                kept.pop(person, None)


def _line(person: PersonId) -> str:
    return f"powerbi/{person}"


def busy(wait: float) -> str:
    return (
        "Power BI lets each person ask 120 times a minute, and yours are used up: ask again in"
        f" {wait:.0f} s."
    )
