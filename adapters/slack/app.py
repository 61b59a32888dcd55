"""Puts the Slack adapter together, for one workspace or for several."""

import asyncio
import logging
import time
from typing import Any

from aiohttp import web
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack import buttons, commands, edge, fields, home, quiet, rating, sharing, shortcut
from adapters.slack.adapter import SlackAdapter
from adapters.slack.admission import Admission
from adapters.slack.api import SlackApi
from adapters.slack.commands import Speech
from adapters.slack.deciding import Deciding
from adapters.slack.deliveries import Deliveries
from adapters.slack.lists import Lists
from adapters.slack.looking import Looking
from adapters.slack.names import Names
from adapters.slack.outbound import SlackSurface
from adapters.slack.pacing import Everywhere, Pacing
from adapters.slack.poster import SlackPoster
from adapters.slack.profiles import Profiles
from adapters.slack.settings import SlackSettings
from adapters.slack.socket import Socket
from adapters.slack.stream import Manner
from adapters.slack.thread import Thread
from adapters.slack.token import Token
from adapters.slack.workspaces import Workspaces
from core.ports import Accounts, Clock, Desk, FrontDoor, Installations, Moments


def build(
    settings: SlackSettings,
    door: FrontDoor,
    clock: Clock,
    *,
    desk: Desk | None = None,
    accounts: Accounts | None = None,
    pacing: Pacing | None = None,
    manner: Manner | None = None,
    token: Token | None = None,
    moments: Moments | None = None,
) -> SlackAdapter:
    """`clock` is wall time, for signatures; pacing has a clock of its own that never goes back.
    `manner` says when answers are streamed. Without a `desk` there are no cards, without
    `accounts` none can be connected. `token` is the settings' own where it does not change.
    `moments` are given where other processes write to the same workspaces."""
    logger = quiet.library_logger()
    api = SlackApi(settings, logger, token)
    profiles = Profiles(api, clock)
    everywhere = None
    if moments is not None:
        everywhere = Everywhere(moments, lambda: fields.text(api.own, "team_id"))
    pacing = pacing or Pacing(time.monotonic, asyncio.sleep, everywhere)
    lists = None if desk is None else Lists(desk, api, clock)
    surface = SlackSurface(api, pacing, profiles, manner, lists=lists)
    bolt = _bolt(settings, api, logger)
    deciding = None
    if desk is not None and lists is not None:
        deciding = Deciding(desk, api, profiles, lists)
        buttons.register(bolt, deciding)
    speech = Speech(
        door=door,
        api=api,
        admission=Admission(profiles),
        profiles=profiles,
        deciding=deciding,
        accounts=accounts,
    )
    shortcut.register(bolt, door, api, profiles, clock)
    commands.register(bolt, speech, surface, settings.prompts, home.opened)
    home.register(bolt, speech)
    rating.register(bolt, door, api)
    sharing.register(bolt, door, api)
    looks = Looking(clock)
    deliveries = Deliveries(door, bolt, api, speech, clock, bots=settings.bots, looks=looks)
    routes: tuple[web.RouteDef, ...] = ()
    if settings.signing_secret:
        entrance = edge.Edge(settings.signing_secret, clock, deliveries.take)
        routes = (web.post(edge.PATH, entrance.respond),)
    socket = Socket(settings, deliveries.take, logger) if settings.app_token else None
    listener = Thread(api, Names(api, profiles), looks)
    return SlackAdapter(
        api, surface, SlackPoster(api, pacing), listener, deliveries, routes, socket
    )


def build_several(
    settings: SlackSettings,
    door: FrontDoor,
    clock: Clock,
    installations: Installations,
    *,
    desk: Desk | None = None,
    accounts: Accounts | None = None,
    pacing: Pacing | None = None,
    moments: Moments | None = None,
) -> Workspaces:
    """The same for every workspace that has installed the bot. Each has a pace of its own."""

    def make(own: SlackSettings, token: Token) -> SlackAdapter:
        return build(
            own,
            door,
            clock,
            desk=desk,
            accounts=accounts,
            pacing=pacing,
            token=token,
            moments=moments,
        )

    return Workspaces(settings, make, installations, clock, quiet.library_logger())


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
        signing_secret=settings.signing_secret or None,
        request_verification_enabled=bool(settings.signing_secret),
        authorize=authorize,
        process_before_response=True,
    )
