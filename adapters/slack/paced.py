"""Writes to Slack at the pace that Slack allows, each kind of call in a line of its own."""

from adapters.slack import fields
from adapters.slack.api import SlackApi
from adapters.slack.pacing import Pacing
from core.errors import DeliveryFailed
from core.records import Json


class Paced:
    """Posts wait for their channel; changes wait for each other, since Slack counts those over
    the whole workspace."""

    def __init__(self, api: SlackApi, pacing: Pacing) -> None:
        self._api = api
        self._pacing = pacing

    async def write(self, method: str, arguments: Json) -> Json:
        """One attempt, when it is its turn. Raises `DeliveryFailed`."""
        line = method if method == "chat.update" else fields.text(arguments, "channel")
        await self._pacing.turn(line)
        try:
            return await self._api.write(method, arguments)
        except DeliveryFailed as error:
            if error.retry_after:
                self._pacing.hold(line, error.retry_after)
            raise

    async def turn(self, channel: str) -> None:
        """Wait until something may be put into the channel."""
        await self._pacing.turn(channel)
