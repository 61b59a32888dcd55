"""Socket Mode: the websockets over which an app without a public address gets its deliveries."""

import asyncio
import json
import secrets
from typing import Any

from aiohttp import WSMsgType, web

from bot.workspace.slack.records import Json
from bot.workspace.slack.world import World


class Sockets:
    """The open connections. Each envelope goes to one of them, taken in turn."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._open: list[web.WebSocketResponse] = []
        self._acks: dict[str, asyncio.Future[Json]] = {}
        self._turn = 0
        self._silent: set[web.WebSocketResponse] = set()

    @property
    def is_connected(self) -> bool:
        return bool(self._open)

    @property
    def can_hear(self) -> bool:
        """Whether all open connections are alive."""
        return bool(self._open) and not self._silent

    async def join(self, request: web.Request) -> web.StreamResponse:
        ticket = request.query.get("ticket", "")
        if ticket not in self._world.tickets:
            return web.Response(status=403)
        self._world.tickets.remove(ticket)
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        self._open.append(socket)
        self._world.sockets = len(self._open)
        await socket.send_json(
            {
                "type": "hello",
                "num_connections": len(self._open),
                "connection_info": {"app_id": self._world.app.id},
                "debug_info": {"host": "local", "approximate_connection_time": 18_060},
            }
        )
        self._world.publish("socket")
        try:
            async for frame in socket:
                if frame.type == WSMsgType.TEXT:
                    self._acknowledged(json.loads(frame.data))
                elif frame.type == WSMsgType.PING and socket not in self._silent:
                    await socket.pong(frame.data)
        finally:
            self._silent.discard(socket)
            self._open.remove(socket)
            self._world.sockets = len(self._open)
            self._world.publish("socket")
        return socket

    def _acknowledged(self, frame: Json) -> None:
        waiting = self._acks.get(str(frame.get("envelope_id")))
        if waiting is not None and not waiting.done():
            waiting.set_result(frame.get("payload") or {})

    async def send(
        self, kind: str, payload: Any, *, retry: int, reason: str, seconds: float
    ) -> Json | None:
        """What the app put into its acknowledgement; None when none came in time."""
        self._turn += 1
        socket = self._open[self._turn % len(self._open)]
        envelope_id = secrets.token_hex(16)
        waiting = asyncio.get_running_loop().create_future()
        self._acks[envelope_id] = waiting
        envelope: Json = {
            "envelope_id": envelope_id,
            "type": kind,
            "payload": payload,
            "accepts_response_payload": kind != "events_api",
        }
        if kind == "events_api":
            envelope |= {"retry_attempt": retry, "retry_reason": reason}
        try:
            if socket not in self._silent:
                await socket.send_json(envelope)
            async with asyncio.timeout(seconds):
                return await waiting
        except (TimeoutError, ConnectionError):
            return None
        finally:
            del self._acks[envelope_id]

    async def refresh(self, reason: str = "refresh_requested") -> None:
        """Ask every connection to come back on a new address, as Slack does now and then."""
        for socket in tuple(self._open):
            await socket.send_json({"type": "disconnect", "reason": reason})

    def fall_silent(self) -> None:
        """The connections of now stay open, and nothing comes over them any more: no answer to a
        ping, no envelope."""
        self._silent.update(self._open)

    async def close(self) -> None:
        for socket in tuple(self._open):
            await socket.close()
