"""Says in Slack's own words that a thread waits for a person: its agent session is suspended."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Mapping

from adapters.slack.api import SlackApi
from core.cards import Card
from core.errors import DeliveryFailed
from core.records import Json

log = logging.getLogger(__name__)
THREADS = 5_000
SECONDS = 3.0


class Sessions:
    """Which calls wait in which thread, in memory. What Slack shows of it is an ornament: the card
    itself says what waits. Best effort."""

    def __init__(self, api: SlackApi) -> None:
        self._api = api
        self._waiting: OrderedDict[tuple[str, str], set[str]] = OrderedDict()

    async def shown(self, spot: Mapping[str, str], card: Card) -> None:
        """A card shows this now."""
        thread = (spot["channel"], spot["thread_ts"])
        if not spot["thread_ts"]:
            return
        before = bool(self._waiting.get(thread))
        calls = self._waiting.setdefault(thread, set())
        if card.state == "parked":
            calls.add(card.call)
        else:
            calls.discard(card.call)
        if bool(calls) != before:
            await self._say(thread, "suspended" if calls else "active")
        if not calls:
            del self._waiting[thread]
        elif len(self._waiting) > THREADS:
            self._waiting.popitem(last=False)

    async def answered(self, spot: Mapping[str, str]) -> None:
        """An answer ends what the session was doing; what waits goes on waiting."""
        thread = (spot["channel"], spot["thread_ts"])
        if self._waiting.get(thread):
            await self._say(thread, "suspended")

    async def _say(self, thread: tuple[str, str], status: str) -> None:
        channel, root = thread
        arguments: Json = {"channel_id": channel, "thread_ts": root, "status": status}
        try:
            async with asyncio.timeout(SECONDS):
                await self._api.write("agents.sessions.setStatus", arguments)
        except (DeliveryFailed, TimeoutError) as error:
            log.info("slack.no_session", extra={"fields": {"reason": type(error).__name__}})
