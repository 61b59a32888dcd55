"""The one way to Microsoft Graph: pinned to its host, each request sent once, with one person's
token.

Microsoft's library brings a chain that repeats failed requests, POST included, and follows
redirects. Here it gets a plain wire instead: one call is one request.
"""

import asyncio
import base64
import ipaddress
import json
import re
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

from core.connectors import library
from core.connectors.failures import GraphFailed
from core.connectors.request import Answer, Request, is_below, objects, text
from core.errors import Misconfigured
from core.records import Json
from core.telemetry import spans

GRAPH = "https://graph.microsoft.com/v1.0"
IMMUTABLE = 'IdType="ImmutableId"'
"""The preference under which an id survives that an item moves; ids are good for requests with
the same preference alone."""
_JSON_LIMIT = 16 * 2**20
_DOWNLOADS = (".sharepoint.com", ".sharepoint.us", ".sharepoint.cn", ".svc.ms", ".1drv.com")
"""Where OneDrive keeps the bytes of files; asked without a token."""
_CLAIMS = re.compile(r'claims="([^"]+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSettings:
    """Raises `Misconfigured` for an address that tokens must not be sent to."""

    url: str = GRAPH
    """With the version."""
    deadline: float = 8.0
    """Seconds of one request."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        if parts.scheme == "http" and not _is_loopback(host):
            raise Misconfigured("GRAPH_API_URL must be https: plain http is taken on loopback only")
        if parts.scheme not in ("http", "https") or not host or parts.query or parts.username:
            raise Misconfigured("GRAPH_API_URL must be an address like https://HOST/v1.0")


class Graph:
    """Holds the connections of the process. Safe to share: a token goes with its own request."""

    def __init__(self, settings: GraphSettings | None = None) -> None:
        self.settings = settings or GraphSettings()
        self._base = self.settings.url.rstrip("/")
        self._library: library.Library | None = None
        self._wire: Any = None
        self._opening = asyncio.Lock()

    async def warm(self) -> library.Library:
        """Load Microsoft's library, which takes about a second, beside the loop."""
        async with self._opening:
            if self._library is None:
                self._library = await asyncio.to_thread(library.load)
                self._wire = library.wire(self.settings.deadline)
            return self._library

    async def close(self) -> None:
        if self._wire is not None:
            await self._wire.aclose()

    async def ask(self, token: str, request: Request) -> Answer:
        """Send it, once. Raises `GraphFailed` for everything but a 2xx or the redirect to a
        file's bytes, whose address is in `location`."""
        response = await self._sent(token, request)
        answer = _answer(response)
        if 200 <= response.status_code < 300 or (response.status_code == 302 and answer.location):
            return answer
        raise _failure(response, answer)

    async def items(self, token: str, request: Request, most: int) -> list[Json]:
        """The first `most` entries of a list, over as many pages as that takes. Raises
        `GraphFailed`, also for a next page that is not on Graph's own host."""
        found: list[Json] = []
        following: Request | None = request
        while following is not None and len(found) < most:
            page = (await self.ask(token, following)).body
            found += objects(page.get("value"))
            following = self._next(page.get("@odata.nextLink"), request)
        return found[:most]

    async def download(self, address: str, limit: int) -> bytes:
        """The bytes at an address that Graph gave for a file; no token goes there. Raises
        `GraphFailed`, also for more than `limit` bytes and for an address elsewhere."""
        held = await self.warm()
        if not self.holds_files(address):
            raise GraphFailed(0, "the file lies at an address that is not Microsoft's")
        try:
            async with asyncio.timeout(self.settings.deadline):
                return await _fetched(self._wire, address, limit)
        except TimeoutError:
            raise GraphFailed(0) from None
        except held.errors as error:
            raise GraphFailed(0, type(error).__name__) from None

    async def _sent(self, token: str, request: Request) -> Any:
        held = await self.warm()
        adapter = held.adapter(held.bearer(self._base, token), self._wire)
        adapter.base_url = self._base
        asked = held.request(self._base, request)
        # The path names people and mails; the method says enough.
        attributes: spans.Attributes = {"http.request.method": request.method}
        try:
            with spans.span(f"graph {request.method}", attributes, kind="client") as span:
                async with asyncio.timeout(self.settings.deadline):
                    response = await adapter.send_primitive_async(asked, "bytes", {})
                span.set({"http.response.status_code": response.status_code})
                return response
        except TimeoutError:
            raise GraphFailed(0) from None
        except held.unsent as error:
            raise GraphFailed(0, type(error).__name__, was_sent=False) from None
        except held.challenged as challenge:
            raise GraphFailed(401, claims=_challenge(challenge.claims)) from None
        except held.errors as error:
            raise GraphFailed(0, type(error).__name__) from None

    def _next(self, link: Any, request: Request) -> Request | None:
        """The request for the next page; the link comes from an answer and is held against the
        host before a token goes there."""
        if not isinstance(link, str) or not link:
            return None
        if not is_below(link, self._base):
            raise GraphFailed(0, "the next page lies at an address that is not Graph's")
        return Request(path=link[len(self._base) :], headers=request.headers)

    def holds_files(self, address: str) -> bool:
        """Whether Microsoft keeps files there."""
        parts = urlsplit(address)
        if (parts.scheme, parts.netloc) == urlsplit(self._base)[:2]:
            return True
        host = parts.hostname or ""
        is_plain = parts.username is None and parts.port in (None, 443)
        return parts.scheme == "https" and is_plain and host.endswith(_DOWNLOADS)


def _answer(response: Any) -> Answer:
    """A body that is no JSON object is nothing that anybody here reads."""
    body: Any = None
    if 0 < len(response.content) <= _JSON_LIMIT:
        try:
            body = json.loads(response.content)
        except ValueError:
            body = None
    return Answer(
        status=response.status_code,
        body=cast("Json", body) if isinstance(body, dict) else {},
        request_id=response.headers.get("request-id", ""),
        location=response.headers.get("location", ""),
    )


def _failure(response: Any, answer: Answer) -> GraphFailed:
    after = response.headers.get("retry-after", "")
    claims = _CLAIMS.search(response.headers.get("www-authenticate", ""))
    return GraphFailed(
        answer.status,
        text(answer.body, "error", "message"),
        code=text(answer.body, "error", "code"),
        retry_after=int(after) if after.isascii() and after.isdigit() else 0,
        request_id=answer.request_id,
        claims=_challenge(claims[1]) if claims else "",
    )


def _challenge(written: str) -> str:
    """The claims challenge as the JSON that a sign-in takes; Graph writes it in base64. Empty for
    what is none."""
    try:
        text = written if written.startswith("{") else base64.b64decode(written).decode()
        return text if isinstance(json.loads(text), dict) else ""
    except ValueError:
        return ""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def _fetched(wire: Any, address: str, limit: int) -> bytes:
    async with wire.stream("GET", address) as response:
        if response.status_code != 200:
            raise GraphFailed(response.status_code)
        content = bytearray()
        async for piece in response.aiter_bytes():
            content += piece
            if len(content) > limit:
                raise GraphFailed(413)
        return bytes(content)
