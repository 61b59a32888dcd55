"""What holds now: the file as it was last read, with what admins changed in chat laid over it."""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from time import monotonic

from core.policy.rules import Rules
from core.records import Person, PersonId
from core.storage import acts, memberships
from core.storage.acts import Act
from core.storage.database import Database, Transaction
from core.storage.memberships import Membership
from core.telemetry import logs
from core.turn.laid import TOPICS, laid
from core.turn.setup import Setup

Ids = Callable[[PersonId], Awaitable[frozenset[str]]]
"""Every id that is proven to be of the same human."""

LOOK_AGAIN = 0.25
"""Seconds. A turn asks at every step, which would be six looks."""

log = logs.get(__name__)


async def nobody_else(person: PersonId) -> frozenset[str]:
    return frozenset()


class Steering:
    """One for the whole process. Every replica looks at the same rows: what an admin changes
    holds everywhere within a second."""

    def __init__(
        self,
        db: Database,
        file: Setup,
        ids: Ids = nobody_else,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._db = db
        self._file = file
        self._ids = ids
        self._now = now
        self._laid = laid(file, (), {})
        self._acts: tuple[Act, ...] = ()
        self._seen: tuple[int, float] = (-1, -1.0)
        self._looked = -math.inf
        self._members: tuple[Membership, ...] = ()
        self.fault = ""
        """Why the file's newest words do not hold; those from before do."""

    @property
    def setup(self) -> Setup:
        """As of the last look."""
        return self._laid

    @property
    def rules(self) -> Rules:
        return self._laid.rules

    @property
    def file(self) -> Setup:
        return self._file

    async def recent(self) -> Setup:
        """What an admin changed a quarter of a second ago is in it. Raises `Unavailable`."""
        is_recent = self._now() - self._looked < LOOK_AGAIN
        return self._laid if is_recent else await self.fresh()

    async def fresh(self) -> Setup:
        """Look whether an admin has changed something. Raises `Unavailable`."""
        looked = self._now()
        row = await self._db.fetch_one(
            "SELECT (SELECT coalesce(max(seq), 0) FROM acts) AS acts,"
            " (SELECT coalesce(sum(seen_at), 0) FROM memberships) AS members"
        )
        seen = (0, 0.0) if row is None else (row["acts"], row["members"])
        if seen != self._seen:
            standing = await acts.standing(self._db, TOPICS)
            self._members = tuple(await memberships.read(self._db))
            self._lay(standing)
            self._seen = seen
        self._looked = looked
        return self._laid

    async def recent_rules(self) -> Rules:
        """For every call of a turn. Raises `Unavailable`."""
        return (await self.recent()).rules

    def replace(self, file: Setup) -> None:
        """The file says something else from now on."""
        self._file, self.fault = file, ""
        self._seen = (-1, -1.0)
        self._lay(self._acts)

    async def known(self, person: Person) -> Person:
        """The person with every id that is proven to be theirs."""
        return replace(person, ids=tuple(sorted(await self._ids(person.id) - {person.id})))

    async def act(self, act: Act) -> None:
        """Do what an admin wants: a row that says who, when and why, and holds at once."""

        async def add(tx: Transaction) -> None:
            await acts.add(tx, act)

        await self._db.write(add)
        await self.fresh()
        log.info("admin.acted", topic=act.topic, subject=act.subject, by=act.person)

    def _lay(self, standing: Sequence[Act]) -> None:
        self._acts = tuple(standing)
        members = {one.origin: one.members for one in self._members}
        self._laid = laid(self._file, self._acts, members)
