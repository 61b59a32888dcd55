"""The wire under an MCP client: puts a call's credentials on its requests, and lets no failure
reach further than the request that it belongs to.

mcp 2.3 lets an exception of one POST escape into the client's task group, which ends the client
for everybody. So each failure becomes an HTTP response here, and the call learns the reason.
"""

import json
from collections.abc import AsyncIterator, Generator, Mapping
from contextvars import ContextVar
from typing import Any

import httpx2
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

from core.capabilities.inprocess import InProcess
from core.capabilities.servers import Limits, Server

IN_PROCESS_URL = "http://127.0.0.1:8000/mcp"
"""Nothing is opened: the SDK's rebinding protection wants a loopback host with a port."""

_CONNECT_SECONDS = 5.0
"""Less than any call may take: a host that is gone is then told from one that does not answer."""
_READ_SECONDS = 330.0
"""Longer than a whole turn. A call's deadline ends it sooner; this frees what a server of the old
protocol keeps open after its call was given up."""
_SESSION = "mcp-session-id"
_VERSION = "mcp-protocol-version"
_WITH_RESULT_TYPES = "2026-07-28"
"""The version of the protocol that brought `resultType`."""
_UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
"""Failures before the first byte of a request."""


class Errand:
    """One piece of work for one server while it is under way: what its requests carry, and what
    the wire learned about it."""

    def __init__(self, server: str, headers: Mapping[str, str] | None = None) -> None:
        self.server = server
        self.headers: Mapping[str, str] = headers or {}
        self.has_left: bool | None = None
        """Whether one of its requests may have reached the server; None before the first ended."""
        self.fault = ""
        """What went wrong on the wire, as the end of the sentence `crm …`."""
        self.rejected = 0
        """400 or 404 where a request of an old session was rejected with it: at 404 the server
        certainly forgot the session, at 400 perhaps."""


ERRAND: ContextVar[Errand | None] = ContextVar("errand", default=None)
"""The errand of the task that speaks; the SDK carries it over to the task that posts."""


class ErrandAuth(httpx2.Auth):
    """Puts our own headers for a server, and those of the errand, on requests to that server and
    to no other."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._origin = _origin(httpx2.URL(server.url or IN_PROCESS_URL))

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response]:
        if _origin(request.url) == self._origin:
            request.headers.update(dict(self._server.headers))
            errand = ERRAND.get()
            if errand is not None and errand.server == self._server.name:
                request.headers.update(dict(errand.headers))
        yield request


class Wire(httpx2.AsyncBaseTransport):
    """A transport whose requests always end in a response."""

    def __init__(
        self, inner: httpx2.AsyncBaseTransport, limits: Limits, *, is_ours: bool = False
    ) -> None:
        """What a server of our own answers is MCP, and is not looked at twice."""
        self._inner = inner
        self._limit = limits.result_bytes
        self._is_ours = is_ours

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        errand = ERRAND.get() or Errand("")
        try:
            response = await self._inner.handle_async_request(request)
        except (httpx2.HTTPError, OSError) as error:
            errand.has_left = bool(errand.has_left) or not isinstance(error, _UNSENT)
            return _failed(errand, f"could not be reached ({type(error).__name__})", 503)
        errand.has_left = True
        response.request = request
        _note_status(errand, request, response.status_code)
        headers = httpx2.Headers(
            [
                (name, value)
                for name, value in response.headers.multi_items()
                if name not in ("content-encoding", "content-length", "transfer-encoding")
            ]
        )
        if _kind(response) == "text/event-stream":
            limit = self._limit if errand.server and request.method == "POST" else 0
            stream = _Events(response, errand, limit)
            return httpx2.Response(response.status_code, headers=headers, stream=stream)
        body = await self._body(response, errand)
        if body is None:
            return _failed(errand, errand.fault, 502)
        is_json = response.is_success and _kind(response) == "application/json"
        if is_json and not self._is_ours and not _is_rpc(body):
            return _failed(errand, "answered with something that is not MCP", 502)
        if is_json and request.headers.get(_VERSION, "") >= _WITH_RESULT_TYPES:
            body = _completed(body)
        if response.is_success and body and _kind(response) != "application/json":
            errand.fault = "answered with something that is not MCP"
        return httpx2.Response(response.status_code, headers=headers, content=body)

    async def _body(self, response: httpx2.Response, errand: Errand) -> bytes | None:
        """The whole decoded body, None when it broke off or is too large."""
        pieces: list[bytes] = []
        size = 0
        try:
            async for piece in response.aiter_bytes():
                size += len(piece)
                if size > self._limit:
                    errand.fault = too_large(self._limit)
                    return None
                pieces.append(piece)
        except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
            errand.fault = f"broke off its answer ({type(error).__name__})"
            return None
        finally:
            await response.aclose()
        return b"".join(pieces)

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Events(httpx2.AsyncByteStream):
    """A stream of events that ends, instead of raising, where it breaks off."""

    def __init__(self, response: httpx2.Response, errand: Errand, limit: int) -> None:
        self._response = response
        self._errand = errand
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        try:
            async for piece in self._response.aiter_bytes():
                size += len(piece)
                if self._limit and size > self._limit:
                    self._errand.fault = too_large(self._limit)
                    return
                yield piece
        except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
            self._errand.fault = f"broke off its answer ({type(error).__name__})"

    async def aclose(self) -> None:
        await self._response.aclose()


def open_http(server: Server, limits: Limits) -> httpx2.AsyncClient:
    """The HTTP client for a server in this process or at a URL. Redirects are followed by the SDK
    alone, within the origin; proxies and credentials of the environment are not used."""
    inner = (
        InProcess(server.app)
        if server.app is not None
        else httpx2.AsyncHTTPTransport(
            trust_env=False, limits=httpx2.Limits(max_connections=256, max_keepalive_connections=32)
        )
    )
    return httpx2.AsyncClient(
        transport=Wire(inner, limits, is_ours=server.is_ours),
        auth=ErrandAuth(server),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS),
    )


def too_large(limit: int) -> str:
    return f"answered with more than {max(1, limit // (1024 * 1024))} MB, which is not read"


def _failed(errand: Errand, fault: str, status: int) -> httpx2.Response:
    errand.fault = fault
    return httpx2.Response(status, text="")


def _note_status(errand: Errand, request: httpx2.Request, status: int) -> None:
    if status in (401, 403):
        errand.fault = f"refused the credentials (HTTP {status})"
    elif status >= 500 or status == 429:
        errand.fault = f"answered with an error (HTTP {status})"
    elif 300 <= status < 400:
        errand.fault = f"redirected to another place (HTTP {status}), which is not followed"
    if _SESSION in request.headers:
        errand.rejected = status if status in (400, 404) else 0


def _is_rpc(body: bytes) -> bool:
    # The SDK would log what it cannot parse, with its content.
    try:
        jsonrpc_message_adapter.validate_json(body, by_name=False)
    except ValidationError:
        return False
    return True


def _completed(body: bytes) -> bytes:
    """A result without a `resultType` counts as complete, says the protocol; mcp 2.3 refuses it."""
    if b'"resultType"' in body:
        return body
    message: dict[str, Any] = json.loads(body)
    if isinstance(message.get("result"), dict):
        message["result"]["resultType"] = "complete"
    return json.dumps(message).encode()


def _kind(response: httpx2.Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
