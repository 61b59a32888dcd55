"""The HTTP door of the stand-in's Web API: token, arguments, scripted faults, rate limits."""

import asyncio
import base64
import binascii
from collections import defaultdict, deque
from collections.abc import Callable

from aiohttp import web

from bot.workspace.faults import Faults
from bot.workspace.slack import (
    app_methods,
    arguments,
    chat_methods,
    file_methods,
    limits,
    read_methods,
    stream_methods,
    thread_methods,
    view_methods,
)
from bot.workspace.slack.checks import Refusal
from bot.workspace.slack.records import Call, Fault, Json
from bot.workspace.slack.world import World

Method = Callable[[World, Json], Json]
METHODS: dict[str, Method] = {
    **app_methods.METHODS,
    **chat_methods.METHODS,
    **file_methods.METHODS,
    **read_methods.METHODS,
    **stream_methods.METHODS,
    **thread_methods.METHODS,
    **view_methods.METHODS,
}
TOKENLESS = frozenset({"api.test", "oauth.v2.access"})
SOCKET_METHODS = frozenset({"apps.connections.open"})
USUAL = {429: "ratelimited", 500: "internal_error", 503: "service_unavailable"}
"""Slack's word beside a status, where the fault brings none."""
GATEWAY = {502: "Bad Gateway", 504: "Gateway Timeout"}
"""What stands in front of Slack answers these, with a page."""


class WebApi:
    """Answers `/api/{method}`; `faults` holds what the next calls of a method must suffer."""

    def __init__(self, world: World, *, rate_limits: bool = False) -> None:
        self.world = world
        self.rate_limits = rate_limits
        self.others: list[WebApi] = []
        """Of further workspaces that have the same app; a token or a code tells them apart."""
        self.faults: Faults[Fault] = Faults()
        self._recent: defaultdict[str, deque[float]] = defaultdict(deque)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        method, body = request.match_info["method"], await request.read()
        for other in self.others:
            if other.is_asked(request, method, body):
                return await other.answer(request)
        fault = self.faults.take(method) or Fault()
        if fault.delay:
            await asyncio.sleep(fault.delay)
        try:
            args = arguments.read(request.query.items(), request.content_type, body)
        except Refusal as refusal:
            args, answer = {}, _refused(refusal)
        else:
            args |= _basic(request.headers.get("Authorization", "")) if method in TOKENLESS else {}
            answer = self._answer(method, args, _token(request, args), fault)
        status, wait = fault.status, fault.retry_after
        if "wait" in answer:
            status, wait = 429, int(answer.pop("wait"))
        has_token = _token(request, args) != ""
        self._record(method, args, answer, 0 if fault.drop else status, has_token)
        if fault.drop:
            _cut(request)
        headers = {"Retry-After": str(wait)} if wait is not None else {}
        if status in GATEWAY:
            page = f"<html><body><h1>{status} {GATEWAY[status]}</h1></body></html>"
            return web.Response(text=page, content_type="text/html", status=status, headers=headers)
        return web.json_response(answer, status=status, headers=headers)

    def is_asked(self, request: web.Request, method: str, body: bytes) -> bool:
        """Whether this workspace is meant: by its token, or by a code that it gave."""
        token = _token(request, {})
        if method not in TOKENLESS:
            return self.world.tokens.is_known(token)
        try:
            args = arguments.read(request.query.items(), request.content_type, body)
        except Refusal:
            return False
        is_given = str(args.get("code")) in self.world.oauth_codes
        return is_given or self.world.tokens.may_refresh(args.get("refresh_token"))

    def _answer(self, method: str, args: Json, token: str, fault: Fault) -> Json:
        if fault.error or fault.status != 200 or fault.drop == "before":
            word = fault.error or USUAL.get(fault.status, "fatal_error")
            return {"ok": False, "error": word, **fault.extra}
        known = METHODS.get(method)
        if known is None:
            return {"ok": False, "error": "unknown_method", "req_method": method}
        try:
            self._let_in(method, token)
            self._pace(method, args)
            given = {name: value for name, value in args.items() if name != "token"}
            return {"ok": True, **known(self.world, given)}
        except Refusal as refusal:
            return _refused(refusal)

    def _let_in(self, method: str, token: str) -> None:
        app = self.world.app
        if method in TOKENLESS:
            return
        if not token:
            raise Refusal("not_authed")
        is_bot = self.world.tokens.is_known(token)
        if not is_bot and token != app.app_token:
            raise Refusal("invalid_auth")
        if is_bot == (method in SOCKET_METHODS):
            raise Refusal("not_allowed_token_type")
        if is_bot:
            self.world.tokens.check(token)

    def _pace(self, method: str, args: Json) -> None:
        """Off by default: tests of many calls would crawl."""
        if not self.rate_limits:
            return
        if method == "chat.postMessage":
            self._allow(f"{method} {args.get('channel')}", limits.POST_BURST, limits.POST_BURST)
        elif method in limits.TIERS:
            self._allow(method, limits.TIERS[method], 60)

    def _allow(self, key: str, calls: int, seconds: float) -> None:
        now, recent = self.world.clock(), self._recent[key]
        while recent and recent[0] <= now - seconds:
            recent.popleft()
        if len(recent) >= calls:
            raise Refusal("ratelimited", wait=max(1, round(recent[0] + seconds - now)))
        recent.append(now)

    def _record(self, method: str, args: Json, answer: Json, status: int, has_token: bool) -> None:
        kept = {name: value for name, value in args.items() if name != "token"}
        call = Call(
            method=method,
            args=kept,
            has_token=has_token,
            at=self.world.clock(),
            status=status,
            answer=answer,
        )
        self.world.calls.append(call)
        self.world.publish("call", body={"method": method, "ok": answer.get("ok", False)})


def _refused(refusal: Refusal) -> Json:
    return {"ok": False, "error": refusal.code, **refusal.extra}


def _token(request: web.Request, args: Json) -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else str(args.get("token") or "")


def _basic(header: str) -> Json:
    """Client id and secret from HTTP Basic, which oauth.v2.access takes."""
    scheme, _, sealed = header.partition(" ")
    if scheme.lower() != "basic":
        return {}
    try:
        name, _, secret = base64.b64decode(sealed, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return {}
    return {"client_id": name, "client_secret": secret}


def _cut(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()
