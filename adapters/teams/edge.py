"""The way in over HTTP: nothing is read of a body whose sender did not prove to be the channel."""

import json
import logging
from collections.abc import Awaitable, Callable

from aiohttp import web

from adapters import fields, raw
from adapters.teams import bodies, identity, verify
from adapters.teams.deliveries import Reply
from adapters.teams.openid import SigningKeys
from adapters.teams.origins import Origins
from adapters.teams.proofs import Proofs
from adapters.teams.settings import TeamsSettings
from adapters.teams.verify import Caller, Unproven
from core.ports import Clock
from core.records import Json

log = logging.getLogger(__name__)
PATH = "/api/messages"
_UNREAD: dict[raw.Reason, int] = {"too_large": 413, "too_slow": 408, "cut_off": 400}
CHANNEL = "msteams"


class Edge:
    """`take` is called with activities alone that the channel sent for a tenant of ours."""

    def __init__(
        self,
        settings: TeamsSettings,
        keys: SigningKeys,
        clock: Clock,
        take: Callable[[Json], Awaitable[Reply]],
        *,
        body_seconds: float = raw.SECONDS,
    ) -> None:
        self._settings = settings
        self._origins: Origins = settings.origins
        self._proofs = Proofs(keys, settings.app_id, clock)
        self._take = take
        self._body_seconds = body_seconds

    async def respond(self, request: web.Request) -> web.Response:
        """401 for everything that is not the channel's, 403 for another tenant, 415 and 400 for
        what is no activity, 413 and 408 for what is too large or too slow; never 500, after which
        the channel would deliver it again."""
        if raw.is_too_large(request):
            return _refused(413, "too_large")
        who = await self._caller(request)
        if isinstance(who, Unproven):
            return _refused(401, who.reason)
        if request.content_type != "application/json" or "Content-Encoding" in request.headers:
            return _refused(415, "not_json")
        try:
            taken = await raw.body(request, self._body_seconds)
        except raw.Unread as unread:
            return _refused(_UNREAD[unread.reason], unread.reason)
        activity = bodies.read(taken)
        if activity is None:
            return _refused(400, "malformed")
        return self._fault(who, activity) or await self._taken(activity)

    async def _caller(self, request: web.Request) -> Caller | Unproven | None:
        """None where no proof is asked for."""
        if self._settings.is_unverified:
            return None
        given = verify.token(request.headers.getall("Authorization", []))
        return Unproven("no_token") if given is None else await self._proofs.caller(given)

    def _fault(self, who: Caller | None, activity: Json) -> web.Response | None:
        """Hold the body against the token, the allowed origins and the allowed tenants."""
        service_url = fields.text(activity, "serviceUrl")
        channel = fields.text(activity, "channelId")
        if who is not None and (reason := verify.body_fault(who, service_url, channel)):
            return _refused(401, reason)
        if channel != CHANNEL or not self._origins.allows(service_url):
            return _refused(403, "origin")
        if who is not None and identity.tenant(activity) not in self._settings.tenants:
            return _refused(403, "tenant")
        return None

    async def _taken(self, activity: Json) -> web.Response:
        try:
            reply = await self._take(activity)
        # Whatever breaks on one activity: it was not recorded, and 503 brings it again.
        except Exception:
            log.exception("teams.broke")
            return web.Response(status=503)
        if reply.body is None:
            return web.Response(status=reply.status)
        return web.json_response(reply.body, status=reply.status, dumps=json.dumps)


def _refused(status: int, reason: str) -> web.Response:
    log.info("teams.refused", extra={"fields": {"reason": reason}})
    return raw.refusal(status)
