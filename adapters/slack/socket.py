"""The way in over Socket Mode, for a bot without an address that Slack could reach."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Literal, cast

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack import api
from adapters.slack.bodies import Body
from adapters.slack.deliveries import Reply
from adapters.slack.settings import SlackSettings
from core.errors import Misconfigured
from core.records import Json

log = logging.getLogger(__name__)
PING_SECONDS = 5.0
SILENCES = 6
"""Pings without any sign of life, after which the connection counts as dead whatever the library
thinks of it."""
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds between two connections that did not come to life."""
CLOSE_SECONDS = 3.0
ANSWER_SECONDS = 3.0
_KINDS: dict[str, Literal["event", "interaction", "command"]] = {
    "events_api": "event",
    "interactive": "interaction",
    "slash_commands": "command",
}


class Socket:
    """Runs from `run` until `drain`. `take` is given the same bodies as from the edge; Slack signs
    none of them, the connection was opened with the app's own token.

    An envelope is acknowledged when `take` has committed it, and not at all where it could not:
    then Slack delivers it again, as it does where the connection broke before the answer.
    """

    def __init__(
        self,
        settings: SlackSettings,
        take: Callable[[Body], Awaitable[Reply]],
        logger: logging.Logger,
        *,
        ping_seconds: float = PING_SECONDS,
    ) -> None:
        self._settings = settings
        self._take = take
        self._logger = logger
        self._ping_seconds = ping_seconds
        self._answering: set[asyncio.Task[None]] = set()
        self._stopping = asyncio.Event()
        self._heard_at = 0.0
        self._is_alive = False

    @property
    def is_connected(self) -> bool:
        """Whether there was a sign of life lately."""
        return self._is_alive

    async def check(self) -> None:
        """Raises `Misconfigured` when Slack does not know the token; a Slack that does not answer
        is no reason not to start."""
        client = self._web_client()
        try:
            await cast(Any, client).apps_connections_open(app_token=self._settings.app_token)
        except SlackApiError as error:
            refused = api.refusal(error)
            if refused.is_final:
                raise Misconfigured(
                    f"Slack does not take SLACK_APP_TOKEN ({refused.reason}). It starts with xapp-,"
                    " has the scope connections:write, and stands under Basic Information,"
                    " App-Level Tokens in the app's settings."
                ) from error
            log.warning("slack.silent", extra={"fields": {"reason": refused.reason}})
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            log.warning("slack.silent", extra={"fields": {"reason": type(error).__name__}})

    async def run(self) -> None:
        """Keep a connection until `drain`."""
        pause = FIRST_PAUSE
        async with asyncio.TaskGroup() as group:
            while not self._stopping.is_set():
                was_alive = await self._connection(group)
                pause = FIRST_PAUSE if was_alive else min(pause * 2, LONGEST_PAUSE)
                if not self._stopping.is_set():
                    log.warning("slack.socket_lost", extra={"fields": {"pause": pause}})
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._stopping.wait(), pause)

    async def drain(self) -> None:
        """Take no more; what is being taken is answered first."""
        self._stopping.set()

    async def _connection(self, group: asyncio.TaskGroup) -> bool:
        """One client of the library, until it is silent for too long. It reconnects by itself when
        it is asked to or sees that it has to. Whether it ever came to life."""
        client = self._client(group)
        connecting = asyncio.create_task(client.connect())
        self._heard_at, was_alive = _now(), False
        try:
            while not self._stopping.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), self._ping_seconds)
                if await client.is_connected():
                    # It pings by itself, and is not connected when nothing comes back.
                    self._heard_at = _now()
                self._is_alive = _now() - self._heard_at < SILENCES * self._ping_seconds
                was_alive = was_alive or client.current_session is not None
                if not self._is_alive:
                    return was_alive
            if self._answering:
                await asyncio.wait(self._answering, timeout=ANSWER_SECONDS)
            return was_alive
        finally:
            self._is_alive = False
            connecting.cancel()
            await _closed(client, connecting)

    def _client(self, group: asyncio.TaskGroup) -> SocketModeClient:
        client = SocketModeClient(
            app_token=self._settings.app_token,
            logger=self._logger,
            web_client=self._web_client(),
            ping_interval=self._ping_seconds,
        )
        if self._settings.is_loopback:
            # A proxy of the environment cannot reach a stand-in on this machine.
            client.proxy = None

        async def on_request(_: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
            # The library would leave the work to a task that nobody owns.
            task = group.create_task(self._answer(client, request))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)

        async def on_message(_: aiohttp.WSMessage) -> None:
            self._heard_at = _now()

        client.on_message_listeners.append(on_message)
        client.socket_mode_request_listeners.append(on_request)
        return client

    async def _answer(self, client: SocketModeClient, request: SocketModeRequest) -> None:
        kind = _KINDS.get(request.type)
        payload = cast(Any, request.payload)
        if kind is None or not isinstance(payload, dict):
            log.info("slack.refused", extra={"fields": {"reason": "other_envelope"}})
            return
        try:
            reply = await self._take(Body(kind=kind, fields=cast(Json, payload)))
            if reply.status != 200:
                return
            answer = {"envelope_id": request.envelope_id, **_content(request, reply)}
            await client.send_socket_mode_response(answer)
        except (ConnectionError, aiohttp.ClientError) as error:
            # Slack delivers it again on another connection, and by then it is known.
            reason = type(error).__name__
            log.info("slack.not_acknowledged", extra={"fields": {"reason": reason}})
        # One envelope that breaks something must not end the connection for the others.
        except Exception as error:
            log.error("slack.envelope_broke", extra={"fields": {"reason": type(error).__name__}})

    def _web_client(self) -> AsyncWebClient:
        client = AsyncWebClient(
            base_url=self._settings.api_url, logger=self._logger, retry_handlers=[]
        )
        if self._settings.is_loopback:
            client.proxy = None
        return client


def _content(request: SocketModeRequest, reply: Reply) -> Json:
    if not reply.text or not request.accepts_response_payload:
        return {}
    if reply.media_type == "application/json":
        return {"payload": json.loads(reply.text)}
    return {"payload": {"text": reply.text}}


async def _closed(client: SocketModeClient, connecting: "asyncio.Task[None]") -> None:
    """The library's own closing waits for a peer that may be gone."""
    client.closed = True
    library = cast(Any, client)
    background: list[asyncio.Future[None] | None] = [
        library.message_receiver,
        library.message_processor,
        library.current_session_monitor,
    ]
    tasks = [connecting, *(task for task in background if task is not None)]
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await client.close()
    except (TimeoutError, aiohttp.ClientError, ConnectionError) as error:
        log.info("slack.not_closed", extra={"fields": {"reason": type(error).__name__}})
    finally:
        for task in tasks:
            task.cancel()
        await client.aiohttp_client_session.close()
    await asyncio.wait(tasks, timeout=CLOSE_SECONDS)


def _now() -> float:
    return asyncio.get_running_loop().time()
