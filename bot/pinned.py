"""Pins of tools in the database."""

from core.storage import pins
from core.storage.database import Database


class Pinned:
    """`core.capabilities.pins.Pins`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def pinned(self) -> dict[str, str]:
        return await pins.pinned(self._db)

    async def listing(self, key: str) -> str:
        return await pins.listing(self._db, key)

    async def accept(self, key: str, digest: str, by: str, at: float, listing: str = "") -> None:
        await pins.accept(self._db, key, digest, by, at, listing)
