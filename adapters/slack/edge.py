"""The way in over HTTP: nothing is read, parsed or logged of a body that Slack did not sign."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from aiohttp import ClientError, web

from adapters.slack import bodies, verify
from adapters.slack.bodies import Body
from adapters.slack.deliveries import Reply
from core.ports import Clock

log = logging.getLogger(__name__)
PATH = "/slack/events"
LARGEST = 1_048_576
"""Bytes of a body."""
BODY_SECONDS = 10.0
"""For the whole body. The headers' deadline is the server's (its keep-alive timeout)."""


class Edge:
    """`take` is called with verified bodies alone. `clock` is the one that signatures are held
    against."""

    def __init__(
        self,
        secret: str,
        clock: Clock,
        take: Callable[[Body], Awaitable[Reply]],
        *,
        body_seconds: float = BODY_SECONDS,
    ) -> None:
        self._secret = secret
        self._clock = clock
        self._take = take
        self._body_seconds = body_seconds

    async def respond(self, request: web.Request) -> web.Response:
        """401 for everything that is unsigned, stale, altered or not Slack's, 413 for what is too
        large, 408 for what comes too slowly."""
        if (request.content_length or 0) > LARGEST:
            return _refused(413, "too_large")
        claimed = verify.claim(
            request.headers.getall("X-Slack-Request-Timestamp", []),
            request.headers.getall("X-Slack-Signature", []),
            self._clock(),
        )
        if claimed is None or "Content-Encoding" in request.headers:
            return _refused(401, "unsigned")
        try:
            raw = await _read(request, self._body_seconds)
        except TimeoutError:
            return _refused(408, "too_slow")
        except (ClientError, web.RequestPayloadError, ConnectionError):
            return _refused(401, "cut_off")
        if raw is None:
            return _refused(413, "too_large")
        if not verify.is_genuine(claimed, raw, self._secret):
            return _refused(401, "forged")
        body = bodies.read(request.content_type, raw)
        if body is None:
            return _refused(401, "malformed")
        reply = await self._take(body)
        return web.Response(status=reply.status, text=reply.text, content_type=reply.media_type)


async def _read(request: web.Request, seconds: float) -> bytes | None:
    """The bytes as they arrived, None where there are too many.

    `read` and not the stream: a server that has read the body already has left it there. It stops
    at the application's own `client_max_size`.
    """
    try:
        async with asyncio.timeout(seconds):
            raw = await request.read()
    except web.HTTPRequestEntityTooLarge:
        return None
    return raw if len(raw) <= LARGEST else None


def _refused(status: int, reason: str) -> web.Response:
    """The connection is closed, so that nobody waits for the rest of the body."""
    log.info("slack.refused", extra={"fields": {"reason": reason}})
    response = web.Response(status=status)
    response.force_close()
    return response
