"""Lets a workspace install the bot: out to Slack's own page, and back with a code."""

import hashlib
import hmac
import logging
import secrets
from collections.abc import Awaitable, Callable
from html import escape
from urllib.parse import urlencode, urlsplit

from aiohttp import web

from adapters.slack import oauth, scopes
from adapters.slack.api import NO_ANSWER
from adapters.slack.settings import LOOPBACK, Distribution, SlackSettings
from core.errors import CountersignError, DeliveryFailed
from core.ports import Clock, Installations
from core.records import Json

log = logging.getLogger(__name__)
START, BACK = "/slack/install", "/slack/oauth_redirect"
STATE_SECONDS = 600.0
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Countersign</title>'
    "<h1>{title}</h1><p>{text}</p></html>"
)
STALE = "This link is not valid any more, or was opened in another browser. Begin again."
REFUSED = "Slack did not confirm the installation. Begin again."
NOT_HERE = (
    "This workspace is not among those that the operator of this bot has named. Nothing was kept."
)
WHOLE = "Installations for a whole organisation are not supported. Choose one workspace."


class Install:
    """`state` is made here, good for ten minutes and once, and only in the browser that it was
    made for. Without it, somebody could have an administrator install into the wrong hands."""

    def __init__(
        self,
        settings: SlackSettings,
        installations: Installations,
        clock: Clock,
        *,
        installed: Callable[[str], Awaitable[None]],
    ) -> None:
        if settings.distribution is None:
            raise ValueError("there is nothing to install without a distribution")
        self._distribution: Distribution = settings.distribution
        self._settings = settings
        self._installations = installations
        self._clock = clock
        self._installed = installed
        # Of the app alone, so that the way back may end at another process.
        secret = settings.distribution.client_secret.encode()
        self._key = hmac.new(secret, b"countersign install state", hashlib.sha256).digest()
        host = urlsplit(self._distribution.public_url).hostname
        self._cookie = "install" if host in LOOPBACK else "__Host-install"
        self._redirect = self._distribution.public_url.rstrip("/") + BACK
        # A HEAD would use a state up without anybody having seen a page.
        self.routes = (
            web.get(START, self._start, allow_head=False),
            web.get(BACK, self._back, allow_head=False),
        )

    async def _start(self, request: web.Request) -> web.Response:
        nonce = secrets.token_urlsafe(24)
        state = f"{int(self._clock())}.{nonce}"
        query = {
            "client_id": self._distribution.client_id,
            "scope": ",".join(scopes.needed()),
            "state": f"{state}.{self._mac(state)}",
            "redirect_uri": self._redirect,
        }
        where = f"{self._distribution.authorize_url}?{urlencode(query)}"
        response = web.Response(status=302, headers={**_HEADERS, "Location": where})
        response.set_cookie(
            self._cookie,
            nonce,
            max_age=int(STATE_SECONDS),
            path="/",
            secure=self._cookie.startswith("__Host-"),
            httponly=True,
            samesite="Lax",
        )
        return response

    async def _back(self, request: web.Request) -> web.Response:
        query = request.query
        is_single = all(len(query.getall(name)) == 1 for name in query)
        state = query.get("state", "")
        if not is_single or not self._is_ours(state, request.cookies.get(self._cookie, "")):
            return _page("Not installed", STALE, status=400)
        try:
            if not await self._installations.once(state):
                return _page("Not installed", STALE, status=400)
        except CountersignError:
            return _page("Try again later", REFUSED, status=503)
        if not query.get("code"):
            return _page("Not installed", REFUSED, status=400)
        return await self._exchanged(query["code"])

    async def _exchanged(self, code: str) -> web.Response:
        form = {"code": code, "redirect_uri": self._redirect}
        try:
            answer = await oauth.access(self._settings, self._distribution, form)
        except DeliveryFailed as failure:
            log.info("slack.no_install", extra={"fields": {"reason": failure.reason}})
            if failure.reason == NO_ANSWER:
                return _page("Try again later", REFUSED, status=503)
            return _page("Not installed", REFUSED, status=400)
        return await self._kept(answer)

    async def _kept(self, answer: Json) -> web.Response:
        found = oauth.installation(answer, self._clock())
        if answer.get("is_enterprise_install") or not found.team:
            return _page("Not installed", WHOLE, status=400)
        if found.team not in self._distribution.teams:
            log.warning("slack.foreign_install", extra={"fields": {"team": found.team}})
            return _page("Not installed", NOT_HERE, status=403)
        if not oauth.is_bot_token(answer):
            return _page("Not installed", REFUSED, status=400)
        try:
            await self._installations.keep(found)
        except CountersignError:
            return _page("Try again later", REFUSED, status=503)
        await self._installed(found.team)
        log.info("slack.installed", extra={"fields": {"team": found.team}})
        return _page("Installed", f"Countersign is installed in {found.name}. Say hello to it.")

    def _is_ours(self, state: str, nonce: str) -> bool:
        made, _, mac = state.rpartition(".")
        at, _, own = made.partition(".")
        is_genuine = hmac.compare_digest(mac.encode(), self._mac(made).encode())
        is_same = bool(nonce) and hmac.compare_digest(own.encode(), nonce.encode())
        if not is_genuine or not is_same:
            return False
        return 0 <= self._clock() - float(at) <= STATE_SECONDS

    def _mac(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()


def _page(title: str, text: str, *, status: int = 200) -> web.Response:
    body = _PAGE.format(title=escape(title), text=escape(text))
    return web.Response(status=status, text=body, content_type="text/html", headers=_HEADERS)
