"""The way in over HTTP: nothing is read, parsed or logged of a body that Slack did not sign."""

import logging
from collections.abc import Awaitable, Callable

from aiohttp import web

from adapters import raw
from adapters.slack import bodies, verify
from adapters.slack.bodies import Body
from adapters.slack.deliveries import Reply
from core.ports import Clock

log = logging.getLogger(__name__)
PATH = "/slack/events"
_UNREAD: dict[raw.Reason, int] = {"too_large": 413, "too_slow": 408, "cut_off": 401}


class Edge:
    """`take` is called with verified bodies alone. `clock` is the one that signatures are held
    against."""

    def __init__(
        self,
        secret: str,
        clock: Clock,
        take: Callable[[Body], Awaitable[Reply]],
        *,
        body_seconds: float = raw.SECONDS,
    ) -> None:
        self._secret = secret
        self._clock = clock
        self._take = take
        self._body_seconds = body_seconds

    async def respond(self, request: web.Request) -> web.Response:
        """401 for everything that is unsigned, stale, altered or not Slack's, 413 for what is too
        large, 408 for what comes too slowly."""
        if raw.is_too_large(request):
            return _refused(413, "too_large")
        claimed = verify.claim(
            request.headers.getall("X-Slack-Request-Timestamp", []),
            request.headers.getall("X-Slack-Signature", []),
            self._clock(),
        )
        if claimed is None or "Content-Encoding" in request.headers:
            return _refused(401, "unsigned")
        try:
            taken = await raw.body(request, self._body_seconds)
        except raw.Unread as unread:
            return _refused(_UNREAD[unread.reason], unread.reason)
        if not verify.is_genuine(claimed, taken, self._secret):
            return _refused(401, "forged")
        body = bodies.read(request.content_type, taken)
        if body is None:
            return _refused(401, "malformed")
        reply = await self._take(body)
        return web.Response(status=reply.status, text=reply.text, content_type=reply.media_type)


def _refused(status: int, reason: str) -> web.Response:
    log.info("slack.refused", extra={"fields": {"reason": reason}})
    return raw.refusal(status)
