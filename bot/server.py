"""Serves HTTP: the adapters' routes, liveness and readiness, under caps and deadlines."""

import asyncio
import errno
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from aiohttp import web

from bot.arrival import Arrival
from bot.lifecycle import Part, Standing
from core.errors import Misconfigured
from core.telemetry import health, logs, metrics, spans

BODY_BYTES = 1024 * 1024
ARRIVAL_SECONDS = 10.0
"""In which a request's headers, and then its body, must have arrived whole."""
IDLE_SECONDS = 75.0
"""For which a kept-alive connection may say nothing between two requests."""
LINGER_SECONDS = 1.0
"""For which the rest of a refused body is read and thrown away, so that the caller sees why."""
QUIET = ("/livez", "/readyz", "/metrics")
"""Routes that are asked all day."""
PROBE_SECONDS = 3.0
PROBE_AGE = 1.0
"""Seconds for which a readiness answer is good: asking often costs no more than asking once."""

log = logs.get(__name__)
Route = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Application(Protocol):
    """The wired bot, as the shell sees it."""

    @property
    def routes(self) -> Sequence[web.AbstractRouteDef]:
        """What the adapters serve. A body that is read is bounded in size and time."""
        ...

    @property
    def parts(self) -> Sequence[Part]:
        """In the order in which they start; the server comes after the last."""
        ...

    async def health(self) -> health.Readings: ...

    def greeting(self, address: str) -> str:
        """What to print once the bot is up at `address`; empty for nothing."""
        ...


class Readiness:
    """Answers whether the bot can do its work. The lock makes one measurement serve all askers."""

    def __init__(self, application: Application, standing: Standing) -> None:
        self._application = application
        self._standing = standing
        self._lock = asyncio.Lock()
        self._measured_at = float("-inf")
        self._found: list[str] = []

    async def is_ready(self) -> bool:
        if not self._standing.is_up:
            return False
        async with self._lock:
            if time.monotonic() - self._measured_at > PROBE_AGE:
                found = await self._measure()
                if found != self._found:
                    log.warning("readiness.changed", is_ready=not found, problems=" ".join(found))
                if bool(found) != bool(self._found):
                    metrics.READINESS.add("not_ready" if found else "ready")
                self._found, self._measured_at = found, time.monotonic()
        return self._standing.is_up and not self._found

    async def _measure(self) -> list[str]:
        idle = [part.name for part in self._application.parts if not part.ready()]
        found = [f"{name} is not working." for name in idle]
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                return found + health.problems(await self._application.health())
        # What cannot be measured is not ready, whatever the reason.
        except Exception as error:
            log.exception("readiness.failed")
            return [*found, f"The bot's health cannot be measured: {type(error).__name__}."]


class Server:
    """The part that listens. `address` is where, once it is up."""

    name = "server"
    grace = 8.0

    def __init__(
        self,
        application: Application,
        standing: Standing,
        *,
        host: str,
        port: int,
        arrival_seconds: float = ARRIVAL_SECONDS,
    ) -> None:
        self._application = application
        self._readiness = Readiness(application, standing)
        self._host = host
        self._port = port
        self._arrival_seconds = arrival_seconds
        self._is_open = False
        self.address = ""

    def ready(self) -> bool:
        return self._is_open

    async def run(self, up: Callable[[], None], stop: asyncio.Event) -> None:
        runner = web.AppRunner(
            self._app(),
            access_log=None,
            logger=_logger_of_malformed_requests(),
            keepalive_timeout=IDLE_SECONDS,
            lingering_time=LINGER_SECONDS,
            shutdown_timeout=self.grace - 2.0,
        )
        await runner.setup()
        try:
            listening = await self._listen(runner)
            self._is_open = True
            up()
            await stop.wait()
            self._is_open = False
            listening.close()
        finally:
            await runner.cleanup()

    async def _listen(self, runner: web.AppRunner) -> asyncio.Server:
        make = runner.server
        if make is None:
            raise RuntimeError("the runner has not been set up")
        loop = asyncio.get_running_loop()
        try:
            listening = await loop.create_server(
                lambda: Arrival(make(), self._arrival_seconds),
                self._host,
                self._port,
                backlog=1024,
            )
        except OSError as error:
            reason = "is taken by another program" if error.errno == errno.EADDRINUSE else ""
            raise Misconfigured(
                f"{self._host}:{self._port} {reason or f'cannot be listened on: {error.strerror}'};"
                " set COUNTERSIGN_HOST or COUNTERSIGN_PORT to another."
            ) from error
        host, port = listening.sockets[0].getsockname()[:2]
        self.address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        log.info("server.listening", host=host, port=port)
        return listening

    def _app(self) -> web.Application:
        app = web.Application(middlewares=[self._bounded], client_max_size=BODY_BYTES)
        app.add_routes(self._application.routes)
        app.router.add_get("/livez", _alive)
        app.router.add_get("/readyz", self._ready)
        app.on_response_prepare.append(_unnamed)
        return app

    async def _ready(self, request: web.Request) -> web.Response:
        if await self._readiness.is_ready():
            return web.Response(text="ready\n")
        return web.Response(status=503, text="not ready\n")

    @web.middleware
    async def _bounded(self, request: web.Request, handler: Route) -> web.StreamResponse:
        began = time.monotonic()
        arrival = request.transport.get_protocol() if request.transport else None
        if isinstance(arrival, Arrival):
            arrival.headers_arrived()
        status = 499
        try:
            with _span(request) as span:
                response = await self._answer(request, handler)
                span.set({"http.response.status_code": response.status})
            status = response.status
            return response
        except web.HTTPException as answer:
            status = answer.status
            raise
        finally:
            if isinstance(arrival, Arrival):
                arrival.answered()
            _tell(request, status, time.monotonic() - began)

    async def _answer(self, request: web.Request, route: Route) -> web.StreamResponse:
        if (request.content_length or 0) > BODY_BYTES:
            return _refused(413, "too large")
        try:
            with _arriving(request, self._arrival_seconds):
                return await route(request)
        except web.HTTPException:
            raise
        except ConnectionError:
            return _refused(400, "cut off")
        # The last line of defence: a defect in one route must not show its insides to a caller.
        except Exception:
            reference = secrets.token_hex(4)
            log.exception("http.broke", reference=reference)
            return _refused(500, f"reference {reference}")


@contextmanager
def _arriving(request: web.Request, seconds: float) -> Generator[None]:
    """Drop the connection when the body is not there in time, whatever its route does."""
    if request.content.is_eof() or request.transport is None:
        yield
        return
    timer = asyncio.get_running_loop().call_later(seconds, request.transport.abort)
    request.content.on_eof(timer.cancel)
    try:
        yield
    finally:
        timer.cancel()


def _logger_of_malformed_requests() -> logging.Logger:
    """Everything that a route can raise is dealt with above. What is left for aiohttp to log are
    requests that it could not parse, and it quotes them: headers, tokens and all."""
    logger = logging.getLogger("bot.server.malformed")
    logger.setLevel(logging.CRITICAL)
    return logger


async def _alive(request: web.Request) -> web.Response:
    return web.Response(text="alive\n")


async def _unnamed(request: web.Request, response: web.StreamResponse) -> None:
    """The name and version of the server help nobody but an attacker."""
    response.headers.pop("Server", None)


def _refused(status: int, text: str) -> web.Response:
    """An answer after which the connection is closed, because the rest of the body is not read."""
    response = web.Response(status=status, text=f"{text}\n")
    response.force_close()
    return response


def _route(request: web.Request) -> str:
    """The route as it was registered, never the address as it came: callers write that."""
    resource = request.match_info.route.resource
    return resource.canonical if resource else "unknown"


def _span(request: web.Request) -> AbstractContextManager[spans.Span]:
    """The beginning of a trace. Whoever asks is not believed about the trace it would lie in."""
    route = _route(request)
    if route in QUIET or route == "unknown":
        return spans.NOTHING
    method = request.method
    attributes: spans.Attributes = {"http.request.method": method, "http.route": route}
    return spans.span(f"{method} {route}", attributes, kind="server")


def _tell(request: web.Request, status: int, seconds: float) -> None:
    route = _route(request)
    say = log.debug if route in QUIET else log.info
    metrics.REQUESTS.add(route, str(status))
    say("http", method=request.method, route=route, status=status, ms=round(seconds * 1000, 1))
