"""Puts the Teams adapter together for one tenant."""

import asyncio
import logging
import time
from contextlib import AbstractAsyncContextManager, AsyncExitStack

from aiohttp import web

from adapters.teams import edge
from adapters.teams.commands import Speech
from adapters.teams.connector import Connector
from adapters.teams.deciding import ANSWER_SECONDS, Deciding
from adapters.teams.deliveries import Deliveries
from adapters.teams.directory import Directory, Kept
from adapters.teams.invokes import Invokes
from adapters.teams.openid import SigningKeys
from adapters.teams.outbound import TeamsSurface
from adapters.teams.overtime import Overtime
from adapters.teams.pacing import Pacing
from adapters.teams.placeholders import Placeholders
from adapters.teams.roster import Roster
from adapters.teams.settings import TeamsSettings
from adapters.teams.signing_in import SigningIn
from adapters.teams.stream import Manner
from adapters.teams.streams import Streams
from adapters.teams.thread import Thread
from adapters.teams.uploads import Made, Make, Uploads
from core.errors import DeliveryFailed, Misconfigured
from core.ports import Accounts, Clock, Desk, FrontDoor, Transcript
from core.records import FileId, MadeFile, TurnId

log = logging.getLogger(__name__)
REFUSALS = ("invalid_client", "unauthorized_client", "invalid_request")


class TeamsAdapter:
    """Has a lifetime: `start` before the first delivery, `close` after the last."""

    def __init__(
        self,
        settings: TeamsSettings,
        keys: SigningKeys,
        connector: Connector,
        surface: TeamsSurface,
        directory: Directory,
        invokes: Invokes,
        listener: Thread,
        routes: tuple[web.RouteDef, ...],
        holds: tuple[AbstractAsyncContextManager[object], ...] = (),
    ) -> None:
        """`holds`: what else has to be entered."""
        self.surface = surface
        self.listener = listener
        self.routes = routes
        self.directory = directory
        self.connector = connector
        self._settings = settings
        self._keys = keys
        self._invokes = invokes
        self._holds = holds
        self._open = AsyncExitStack()

    async def start(self) -> None:
        """Raises `Misconfigured` when Microsoft does not take the bot's secret; a Microsoft that
        does not answer is no reason not to start."""
        await self._open.enter_async_context(self._keys)
        await self._open.enter_async_context(self.connector)
        await self._open.enter_async_context(self.directory)
        for one in self._holds:
            await self._open.enter_async_context(one)
        if self._settings.is_workspace:
            return
        try:
            await self.connector.introduce()
        except DeliveryFailed as error:
            if error.reason.removeprefix("no_token_") in REFUSALS:
                await self.close()
                raise Misconfigured(
                    f"Microsoft does not take the bot's credentials ({error.reason}): look at "
                    "TEAMS_APP_ID, TEAMS_TENANT_ID and the secret or certificate."
                ) from error
            log.warning("teams.silent", extra={"fields": {"reason": error.reason}})

    async def load(self) -> None:
        """Import what the first click and the first answer need, beside the loop."""
        await self.connector.load()
        await self._invokes.load()

    async def close(self) -> None:
        await self._open.aclose()


async def nothing_made(_: FileId) -> bytes | None:
    """Of no file."""


async def not_made(turn: TurnId, file: MadeFile, content: bytes) -> None:
    """Keeps nothing."""


def build(
    settings: TeamsSettings,
    door: FrontDoor,
    kept: Kept,
    clock: Clock,
    *,
    desk: Desk | None = None,
    accounts: Accounts | None = None,
    transcript: Transcript | None = None,
    pacing: Pacing | None = None,
    manner: Manner | None = None,
    patience: float = ANSWER_SECONDS,
    made: Made = nothing_made,
    make: Make = not_made,
) -> TeamsAdapter:
    """`clock` is wall time, for tokens; the rest has a clock of its own that never goes back.
    Without a `desk` there are no cards, without `accounts` none can be connected, without a
    `transcript` nothing is read in anybody's name. `made` gives the bytes of a file that was
    made, `make` keeps one."""
    keys = SigningKeys(settings.openid_url, time.monotonic)
    connector = Connector(settings, pacing or Pacing(time.monotonic, asyncio.sleep))
    directory = Directory(kept)
    uploads = Uploads(connector, directory, kept, made, make, door, is_local=settings.is_local)
    surface = TeamsSurface(
        connector,
        directory,
        Placeholders(connector, kept, time.monotonic),
        kept,
        Streams(connector, kept, time.monotonic, door.stop, manner or Manner()),
        uploads,
        transcript,
        is_local=settings.is_local,
        sso_resource=settings.sso_resource,
        sensitivity=settings.sensitivity,
    )
    deciding, overtime = None, Overtime(patience)
    signing = SigningIn(accounts, connector, directory)
    if desk is not None:
        roster = Roster(connector, clock)
        sso = settings.sso_resource
        deciding = Deciding(desk, connector, directory, roster, overtime, signing, sso)
    speech = Speech(
        door=door,
        connector=connector,
        directory=directory,
        uploads=uploads,
        deciding=deciding,
        accounts=accounts,
        sso_resource=settings.sso_resource,
    )
    invokes = Invokes(speech, signing, uploads, overtime, door, kept)
    deliveries = Deliveries(settings.tenant_id, door, clock, speech, invokes, directory, kept)
    entrance = edge.Edge(settings, keys, clock, deliveries.take)
    routes = (web.post(edge.PATH, entrance.respond),)
    listener = Thread(transcript, connector, kept, settings.app_id)
    return TeamsAdapter(
        *(settings, keys, connector, surface, directory, invokes, listener, routes),
        holds=(overtime,),
    )
