"""Writes to Slack at the pace that Slack allows, each kind of call in a line of its own."""

from contextlib import AbstractAsyncContextManager

from adapters.slack import fields
from adapters.slack.api import SlackApi
from adapters.slack.pacing import GAP, Pacing
from core.errors import DeliveryFailed
from core.records import Json

GAPS = {
    "chat.update": 1.25,
    "chat.delete": 1.25,
    "chat.appendStream": 0.63,
    "chat.stopStream": 1.0,
}
"""Seconds between two calls of methods that Slack counts over the whole workspace: tier 3 is 50 a
minute, tier 4 is 100, and both leave room for what arrives a little later than it was sent. Stops
are as many as starts, which have a budget."""
WORKSPACE = "workspace"
WORKSPACE_GAP = 0.2
"""Slack caps the posts of a whole workspace as well and names no number; reports say several
hundred a minute."""


class Paced:
    """Posts wait for their channel; changes wait for each other, since Slack counts those over
    the whole workspace."""

    def __init__(self, api: SlackApi, pacing: Pacing) -> None:
        self._api = api
        self._pacing = pacing

    async def write(self, method: str, arguments: Json, *, is_urgent: bool = False) -> Json:
        """One attempt, when it is its turn; urgent ones go before others that wait. Raises
        `DeliveryFailed`."""
        is_counted = method in GAPS
        line = method if is_counted else fields.text(arguments, "channel")
        gap = GAPS.get(method, GAP)
        async with self._pacing.turn(line, gap=gap, is_urgent=is_urgent):
            if not is_counted:
                await self._room(is_urgent)
            try:
                return await self._api.write(method, arguments)
            except DeliveryFailed as error:
                if error.retry_after:
                    await self._pacing.hold(line, error.retry_after)
                raise

    def turn(self, channel: str) -> AbstractAsyncContextManager[None]:
        """Wait until something may be put into the channel."""
        return self._pacing.turn(channel)

    async def _room(self, is_urgent: bool) -> None:
        async with self._pacing.turn(WORKSPACE, gap=WORKSPACE_GAP, is_urgent=is_urgent):
            return
