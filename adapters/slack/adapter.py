"""What the bot is in one workspace: its ways in and out there, and how long they last."""

import logging
from contextlib import AsyncExitStack

from aiohttp import web

from adapters.slack.api import SlackApi
from adapters.slack.deliveries import Deliveries
from adapters.slack.outbound import SlackSurface
from adapters.slack.poster import SlackPoster
from adapters.slack.socket import Socket
from adapters.slack.thread import Thread
from core.errors import DeliveryFailed, Misconfigured
from core.records import PersonId

log = logging.getLogger(__name__)


class SlackAdapter:
    """Has a lifetime: `start` before the first delivery, `close` after the last."""

    def __init__(
        self,
        api: SlackApi,
        surface: SlackSurface,
        poster: SlackPoster,
        listener: Thread,
        deliveries: Deliveries,
        routes: tuple[web.RouteDef, ...],
        socket: Socket | None = None,
    ) -> None:
        self.surface = surface
        self.poster = poster
        self.listener = listener
        self.deliveries = deliveries
        self.routes = routes
        self.socket = socket
        """None where deliveries come in over HTTP."""
        self.api = api
        self._open = AsyncExitStack()

    async def start(self) -> None:
        """Learn who we are. Raises `Misconfigured` when Slack does not know the token; a Slack
        that does not answer is no reason not to start."""
        await self._open.enter_async_context(self.api)
        if self.socket is not None:
            await self.socket.check()
        try:
            await self.api.introduce()
        except DeliveryFailed as error:
            if error.is_final:
                await self.close()
                raise Misconfigured(
                    f"Slack does not take SLACK_BOT_TOKEN ({error.reason}). Install the app "
                    "again and copy the Bot User OAuth Token."
                ) from error
            log.warning("slack.silent", extra={"fields": {"reason": error.reason}})

    async def api_of(self, person: PersonId) -> SlackApi:
        """Whoever asks is of this workspace."""
        return self.api

    async def close(self) -> None:
        await self._open.aclose()
