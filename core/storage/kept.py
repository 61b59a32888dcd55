"""Small values that a chat adapter remembers across restarts, under keys of its own."""

import json
from typing import Any, cast

from core.records import Json
from core.storage.bodies import storable
from core.storage.database import Statements

LASTING = "person:"
"""What the keys begin with that are kept until they are forgotten."""


async def keep(db: Statements, surface: str, key: str, body: Json, *, now: float) -> None:
    await db.execute(
        """
        INSERT INTO kept (surface, key, body, kept_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (surface, key) DO UPDATE SET body = excluded.body, kept_at = excluded.kept_at
        """,
        (surface, storable(key), storable(json.dumps(body)), now),
    )


async def first(db: Statements, surface: str, key: str, *, now: float) -> bool:
    """Keep the key; False when it was kept before."""
    added = await db.execute(
        "INSERT INTO kept (surface, key, body, kept_at) VALUES (?, ?, '{}', ?)"
        " ON CONFLICT DO NOTHING",
        (surface, storable(key), now),
    )
    return added == 1


async def read(db: Statements, surface: str, key: str) -> Json | None:
    row = await db.fetch_one(
        "SELECT body FROM kept WHERE surface = ? AND key = ?", (surface, storable(key))
    )
    if row is None:
        return None
    found: Any = json.loads(row["body"])
    return cast(Json, found) if isinstance(found, dict) else None


async def forget(db: Statements, surface: str, key: str) -> None:
    await db.execute("DELETE FROM kept WHERE surface = ? AND key = ?", (surface, storable(key)))


async def prune(db: Statements, before: float) -> int:
    """Forget what was only of use for a while."""
    return await db.execute(
        "DELETE FROM kept WHERE kept_at < ? AND key NOT LIKE ?", (before, f"{LASTING}%")
    )
