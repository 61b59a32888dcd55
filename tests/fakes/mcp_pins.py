"""Pins that are kept in memory."""

from collections.abc import Mapping


class MemoryPins:
    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.listings: dict[str, str] = {}
        self.accepted: list[tuple[str, str, str, float]] = []

    async def pinned(self) -> Mapping[str, str]:
        return dict(self.kept)

    async def accept(self, key: str, digest: str, by: str, at: float, listing: str = "") -> None:
        self.kept[key] = digest
        self.accepted.append((key, digest, by, at))
        self.listings[key] = listing

    async def listing(self, key: str) -> str:
        return self.listings.get(key, "")
