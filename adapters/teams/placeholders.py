"""Shows in a conversation that work goes on, and remembers what the answer takes the place of."""

import logging

from adapters import fields
from adapters.teams.connector import Connector
from adapters.teams.directory import Kept
from adapters.teams.render import messages
from core.errors import DeliveryFailed
from core.ports import Clock
from core.records import Address, Json

log = logging.getLogger(__name__)
TYPING_GAP = 3.0
"""Seconds between two signs of typing: Teams shows one for about that long."""
CHANGE_GAP = 1.5
"""Seconds between two changes of a placeholder."""
LONGEST = 200
MOST = 1_000
TYPING: Json = {"type": "typing"}


class Placeholders:
    """One for each question. `clock` should be one that never goes back."""

    def __init__(self, connector: Connector, kept: Kept, clock: Clock) -> None:
        self._connector = connector
        self._kept = kept
        self._clock = clock
        self._shown_at: dict[str, float] = {}
        self._ids: dict[str, str] = {}

    async def show(self, address: Address, text: str) -> None:
        """Raises `DeliveryFailed`. With an empty text nothing is shown any more."""
        if not address.get("message"):
            return
        if not text:
            await self._drop(address)
            return
        key = _key(address)
        is_chat = address["kind"] == "dm"
        now = self._clock()
        if now - self._shown_at.get(key, float("-inf")) < (TYPING_GAP if is_chat else CHANGE_GAP):
            return
        self._forget_some()
        self._shown_at[key] = now
        if is_chat:
            await self._connector.hint(address["service"], address["conversation"], TYPING)
            return
        shown = messages.message(f"_{messages.sentence(text[:LONGEST])}_")
        if known := await self.take(address):
            await self._connector.update(address["service"], address["conversation"], known, shown)
            return
        id = await self._connector.send(address["service"], address["conversation"], shown)
        self._ids[key] = id
        await self._kept.keep(key, {"id": id})

    async def take(self, address: Address) -> str:
        """The activity that stands where the answer to this question belongs; empty for none."""
        if address.get("kind") == "dm" or not address.get("message"):
            return ""
        key = _key(address)
        if key not in self._ids:
            found = fields.text(await self._kept.read(key) or {}, "id")
            if not found:
                return ""
            self._ids[key] = found
        return self._ids[key]

    async def done(self, address: Address) -> None:
        """The answer is there."""
        key = _key(address)
        self._shown_at.pop(key, None)
        if self._ids.pop(key, ""):
            await self._kept.forget(key)

    async def _drop(self, address: Address) -> None:
        """No answer is going to take its place."""
        if known := await self.take(address):
            try:
                await self._connector.delete(address["service"], address["conversation"], known)
            except DeliveryFailed as error:
                log.info("teams.placeholder_stays", extra={"fields": {"reason": error.reason}})
            await self.done(address)

    def _forget_some(self) -> None:
        for key in list(self._shown_at)[: max(0, len(self._shown_at) - MOST)]:
            del self._shown_at[key]
            self._ids.pop(key, None)


def _key(address: Address) -> str:
    return f"placeholder:{address.get('conversation', '')}/{address.get('message', '')}"
