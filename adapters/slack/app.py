"""Puts the Slack adapter together for one workspace."""

import asyncio
import logging
import time
from contextlib import AsyncExitStack
from typing import Any

from aiohttp import web
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack import buttons, commands, edge, fields, quiet, rating
from adapters.slack.api import SlackApi
from adapters.slack.commands import Speech
from adapters.slack.deciding import Deciding
from adapters.slack.deliveries import Deliveries
from adapters.slack.outbound import SlackSurface
from adapters.slack.pacing import Pacing
from adapters.slack.poster import SlackPoster
from adapters.slack.profiles import Profiles
from adapters.slack.settings import SlackSettings
from adapters.slack.stream import Manner
from core.errors import DeliveryFailed, Misconfigured
from core.ports import Accounts, Clock, Desk, FrontDoor

log = logging.getLogger(__name__)


class SlackAdapter:
    """Has a lifetime: `start` before the first delivery, `close` after the last."""

    def __init__(
        self,
        api: SlackApi,
        surface: SlackSurface,
        poster: SlackPoster,
        routes: tuple[web.RouteDef, ...],
    ) -> None:
        self.surface = surface
        self.poster = poster
        self.routes = routes
        self.api = api
        self._open = AsyncExitStack()

    async def start(self) -> None:
        """Learn who we are. Raises `Misconfigured` when Slack does not know the token; a Slack
        that does not answer is no reason not to start."""
        await self._open.enter_async_context(self.api)
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

    async def close(self) -> None:
        await self._open.aclose()


def build(
    settings: SlackSettings,
    door: FrontDoor,
    clock: Clock,
    *,
    desk: Desk | None = None,
    accounts: Accounts | None = None,
    pacing: Pacing | None = None,
    manner: Manner | None = None,
) -> SlackAdapter:
    """`clock` is wall time, for signatures; pacing has a clock of its own that never goes back.
    `manner` says when answers are streamed. Without a `desk` there are no cards, without
    `accounts` none can be connected."""
    logger = quiet.library_logger()
    api = SlackApi(settings, logger)
    profiles = Profiles(api, clock)
    pacing = pacing or Pacing(time.monotonic, asyncio.sleep)
    surface = SlackSurface(api, pacing, profiles, manner)
    bolt = _bolt(settings, api, logger)
    deciding = None if desk is None else Deciding(desk, api, profiles)
    if deciding is not None:
        buttons.register(bolt, deciding)
    speech = Speech(door=door, api=api, deciding=deciding, accounts=accounts)
    commands.register(bolt, speech, surface, settings.prompts)
    rating.register(bolt, door, api)
    deliveries = Deliveries(door, bolt, api, speech)
    entrance = edge.Edge(settings.signing_secret, clock, deliveries.take)
    routes = (web.post(edge.PATH, entrance.respond),)
    return SlackAdapter(api, surface, SlackPoster(api, pacing), routes)


def _bolt(settings: SlackSettings, api: SlackApi, logger: logging.Logger) -> AsyncApp:
    """Bolt stands behind the edge, and its own verification stays on all the same.

    It runs listeners before it answers, so that none is left to itself; who we are comes from
    `api`, so that it asks Slack nothing before an answer is due.
    """

    async def authorize(**_: Any) -> AuthorizeResult:
        own = api.own
        return AuthorizeResult(
            enterprise_id=fields.text(own, "enterprise_id") or None,
            team_id=fields.text(own, "team_id") or None,
            bot_user_id=fields.text(own, "user_id") or None,
            bot_id=fields.text(own, "bot_id") or None,
            bot_token=settings.bot_token,
        )

    return AsyncApp(
        name="countersign",
        logger=logger,
        client=AsyncWebClient(base_url=settings.api_url, logger=logger, retry_handlers=[]),
        signing_secret=settings.signing_secret,
        authorize=authorize,
        process_before_response=True,
    )
