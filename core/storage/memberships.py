"""Members of groups that others keep, as they were last seen."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from core.storage.database import Statements


class Membership(NamedTuple):
    origin: str
    """`slack:S…` or `entra:<object id>`."""
    members: tuple[str, ...]
    """Person ids; object ids of Entra."""
    fault: str
    """Why it could not be read the last time; the members are those from before."""
    seen_at: float


async def keep(db: Statements, origin: str, members: Sequence[str], *, now: float) -> None:
    await db.execute(
        "INSERT INTO memberships (origin, members, seen_at) VALUES (?, ?, ?)"
        " ON CONFLICT (origin) DO UPDATE SET members = excluded.members, fault = '',"
        " seen_at = excluded.seen_at",
        (origin, json.dumps(list(members)), now),
    )


async def note_fault(db: Statements, origin: str, fault: str) -> None:
    """It could not be read: the members of before count, as old as they are."""
    await db.execute(
        "INSERT INTO memberships (origin, members, fault, seen_at) VALUES (?, '[]', ?, 0)"
        " ON CONFLICT (origin) DO UPDATE SET fault = excluded.fault",
        (origin, fault),
    )


async def read(db: Statements) -> list[Membership]:
    rows = await db.fetch("SELECT * FROM memberships ORDER BY origin")
    return [
        Membership(row["origin"], tuple(json.loads(row["members"])), row["fault"], row["seen_at"])
        for row in rows
    ]
