"""Serves several workspaces with one app: whatever comes in or goes out is its workspace's own."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

from aiohttp import web

from adapters.slack import edge, fields, identity
from adapters.slack.adapter import SlackAdapter
from adapters.slack.api import SlackApi
from adapters.slack.bodies import Body
from adapters.slack.deliveries import Reply
from adapters.slack.install import Install
from adapters.slack.rotation import Rotating
from adapters.slack.routed import RoutedListener, RoutedPoster, RoutedSurface
from adapters.slack.settings import SlackSettings
from adapters.slack.socket import Socket
from adapters.slack.token import Token
from core.errors import CountersignError, DeliveryFailed, Misconfigured
from core.ports import Clock, Installations
from core.records import Json, PersonId

log = logging.getLogger(__name__)
Make = Callable[[SlackSettings, Token], SlackAdapter]


class Workspaces:
    """The same to the rest of the bot as the adapter of one workspace. Each one has an adapter of
    its own, made when it is first heard of, with the token that it gave."""

    def __init__(
        self,
        settings: SlackSettings,
        make: Make,
        installations: Installations,
        clock: Clock,
        logger: logging.Logger,
    ) -> None:
        self.settings = settings
        self._make = make
        self._installations = installations
        self._clock = clock
        self._open: dict[str, SlackAdapter] = {}
        self._making = asyncio.Lock()
        self.surface = RoutedSurface(self.of)
        self.poster = RoutedPoster(self.of)
        self.listener = RoutedListener(self.of)
        entrance = edge.Edge(settings.signing_secret, clock, self.take)
        install = Install(settings, installations, clock, installed=self._renewed)
        self.routes: tuple[web.RouteDef, ...] = (
            web.post(edge.PATH, entrance.respond),
            *install.routes,
        )
        self.socket = Socket(settings, self.take, logger) if settings.app_token else None

    async def start(self) -> None:
        """Workspaces are met when something comes from them."""
        if self.socket is not None:
            await self.socket.check()

    async def close(self) -> None:
        while self._open:
            _, adapter = self._open.popitem()
            await adapter.close()

    async def api_of(self, person: PersonId) -> SlackApi:
        """Raises `DeliveryFailed` where the bot is not installed in the person's workspace."""
        adapter = await self.of(person.partition(":")[2].partition("/")[0])
        if adapter is None:
            raise DeliveryFailed("not_installed", is_final=True)
        return adapter.api

    async def take(self, body: Body) -> Reply:
        """Hand the delivery to the workspace that it is about. 200 where the bot is not installed
        there: delivering it again would not help."""
        if body.kind == "url_verification":
            return Reply(status=200, text=fields.text(body.fields, "challenge"))
        if body.kind in ("ssl_check", "other"):
            return Reply(status=200)
        for team in teams(body):
            try:
                adapter = await self.of(team)
                if _is_farewell(body):
                    return await self._left(team, adapter)
            except CountersignError:
                return Reply(status=503)
            if adapter is not None:
                return await adapter.deliveries.take(body)
        log.info("slack.not_installed", extra={"fields": {"kind": body.kind}})
        return Reply(status=200)

    async def of(self, team: str) -> SlackAdapter | None:
        """The adapter of this workspace; None where the bot is not installed. Raises
        `Unavailable` and `Unreadable`."""
        if team in self._open:
            return self._open[team]
        async with self._making:
            if team in self._open:
                return self._open[team]
            found = await self._installations.read(team) if identity.is_id(team) else None
            allowed = self.settings.distribution
            if found is None or allowed is None or team not in allowed.teams:
                return None
            given = replace(
                self.settings, bot_token=found.bot_token, app_token="", distribution=None
            )
            token = Rotating(found, self._installations, self.settings, allowed, self._clock)
            adapter = self._make(given, token)
            try:
                await adapter.start()
            except Misconfigured as error:
                # Its token was taken back. Somebody has to install the bot there again.
                log.warning("slack.no_workspace", extra={"fields": {"team": team}}, exc_info=error)
                return None
            self._open[team] = adapter
            return adapter

    async def _renewed(self, team: str) -> None:
        """The workspace gave a new token."""
        if (adapter := self._open.pop(team, None)) is not None:
            await adapter.close()

    async def _left(self, team: str, adapter: SlackAdapter | None) -> Reply:
        """Believed where Slack takes the token no longer: the delivery may be an old one, and the
        workspace may have installed the bot again since."""
        if adapter is not None:
            try:
                await adapter.api.introduce()
            except DeliveryFailed as failure:
                if not failure.is_final:
                    return Reply(status=503)
            else:
                log.info("slack.late_farewell", extra={"fields": {"team": team}})
                return Reply(status=200)
        await self._installations.remove(team)
        await self._renewed(team)
        log.info("slack.uninstalled", extra={"fields": {"team": team}})
        return Reply(status=200)


def teams(body: Body) -> tuple[str, ...]:
    """The workspaces that a delivery may be about, the likeliest first. An enterprise's own id is
    none of them, and may stand where a workspace's is null."""
    match body.kind:
        case "event":
            found = identity.teams(body.fields)
        case "command":
            found = (fields.text(body.fields, "team_id"),)
        case _:
            found = (
                fields.text(fields.child(body.fields, "team"), "id"),
                fields.text(fields.child(body.fields, "view"), "app_installed_team_id"),
                fields.text(fields.child(body.fields, "view"), "team_id"),
                fields.text(fields.child(body.fields, "user"), "team_id"),
            )
    return tuple(dict.fromkeys(team for team in found if identity.is_id(team)))


def _is_farewell(body: Body) -> bool:
    event: Json = fields.child(body.fields, "event") if body.kind == "event" else {}
    if fields.text(event, "type") == "tokens_revoked":
        return bool(fields.child(event, "tokens").get("bot"))
    return fields.text(event, "type") == "app_uninstalled"
