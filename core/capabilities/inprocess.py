"""Carries HTTP requests to an ASGI application in this process, piece by piece as it answers.

The transport that httpx2 brings hands the answer over when it is complete, so that a tool's
progress would arrive with its result.
"""

import asyncio
from collections.abc import AsyncIterator, MutableMapping
from contextlib import suppress
from typing import Any

import httpx2

from core.capabilities.servers import AsgiApp

_Message = MutableMapping[str, Any]


class InProcess(httpx2.AsyncBaseTransport):
    def __init__(self, app: AsgiApp) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        exchange = _Exchange(await request.aread())
        exchange.begin(self._app, _scope(request))
        return await exchange.response()


class _Exchange(httpx2.AsyncByteStream):
    """One request and its answer; owns the task in which the application works on it."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self._said: asyncio.Queue[_Message | None] = asyncio.Queue()
        self._left = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def begin(self, app: AsgiApp, scope: _Message) -> None:
        self._task = asyncio.create_task(self._work(app, scope))

    async def response(self) -> httpx2.Response:
        """The start of the answer; 500 when the application ends without one."""
        try:
            start = await self._said.get()
        except asyncio.CancelledError:
            await self.aclose()
            raise
        if start is None:
            return httpx2.Response(500)
        return httpx2.Response(start["status"], headers=start.get("headers", []), stream=self)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (message := await self._said.get()) is not None:
            if piece := message.get("body", b""):
                yield piece
            if not message.get("more_body", False):
                return

    async def aclose(self) -> None:
        self._left.set()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _work(self, app: AsgiApp, scope: _Message) -> None:
        try:
            # Whatever an application raises is its own failure and becomes a 500.
            with suppress(Exception):
                await app(scope, self._receive, self._send)
        finally:
            self._said.put_nowait(None)

    async def _receive(self) -> _Message:
        if self._body is None:
            await self._left.wait()
            return {"type": "http.disconnect"}
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def _send(self, message: _Message) -> None:
        self._said.put_nowait(message)


def _scope(request: httpx2.Request) -> _Message:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request.method,
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": request.url.raw_path.partition(b"?")[0],
        "query_string": request.url.query,
        "server": (request.url.host, request.url.port),
        "client": ("127.0.0.1", 1),
        "root_path": "",
    }
