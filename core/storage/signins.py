"""Rows of sign-ins under way: each is taken once and is gone."""

from typing import Literal, NamedTuple

from core.records import PersonId
from core.storage.database import Database, Statements

Stage = Literal["offered", "asked"]
"""`offered`: the person has a link. `asked`: the browser is at the provider."""


class SealedSignIn(NamedTuple):
    id: str
    """Digest of the secret that names the sign-in; the secret itself is kept nowhere."""
    stage: Stage
    person: PersonId
    body: bytes
    expires_at: float


async def put(db: Statements, signin: SealedSignIn, *, now: float) -> None:
    """Keep the sign-in, and drop all that have expired."""
    await db.execute("DELETE FROM signins WHERE expires_at <= ?", (now,))
    await db.execute(
        "INSERT INTO signins (id, stage, person, body, expires_at) VALUES (?, ?, ?, ?, ?)",
        (signin.id, signin.stage, signin.person, signin.body, signin.expires_at),
    )


async def look(db: Statements, id: str, stage: Stage, *, now: float) -> SealedSignIn | None:
    """The sign-in, which stays; None when there is none that is still good."""
    row = await db.fetch_one(
        "SELECT id, stage, person, body, expires_at FROM signins"
        " WHERE id = ? AND stage = ? AND expires_at > ?",
        (id, stage, now),
    )
    if row is None:
        return None
    return SealedSignIn(
        row["id"], row["stage"], row["person"], bytes(row["body"]), row["expires_at"]
    )


async def move(db: Database, offered: str, asked: SealedSignIn, *, now: float) -> bool:
    """Exchange the offered sign-in for the asked one; False when it was already taken."""
    async with db.transaction() as tx:
        taken = await tx.execute(
            "DELETE FROM signins WHERE id = ? AND stage = 'offered' AND expires_at > ?",
            (offered, now),
        )
        if taken == 1:
            await put(tx, asked, now=now)
    return taken == 1


async def take(db: Database, id: str, *, now: float) -> SealedSignIn | None:
    """Remove the asked sign-in and return it, to one caller alone; None when there is none that
    is still good."""
    signin = await look(db, id, "asked", now=now)
    if signin is None:
        return None
    taken = await db.execute("DELETE FROM signins WHERE id = ? AND stage = 'asked'", (id,))
    return signin if taken == 1 else None


async def erase(db: Statements, person: PersonId) -> None:
    await db.execute("DELETE FROM signins WHERE person = ?", (person,))
