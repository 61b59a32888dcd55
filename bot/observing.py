"""What an operator may watch from outside: traces that are sent, numbers that are fetched."""

import asyncio
import hmac
from collections.abc import Callable, Sequence

from aiohttp import web

from bot.lifecycle import Loop, Part
from bot.settings import Observing
from core.ports import Clock
from core.storage import inbox, outbox, parked
from core.storage.database import Database
from core.storage.overdue import Overdue, overdue
from core.telemetry import logs, metrics
from core.telemetry.metrics import Gauge

PATH = "/metrics"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
LOOK = 0.25
"""Seconds between two looks at how late the event loop is."""

log = logs.get(__name__)


class TracingPart:
    """`bot.lifecycle.Part`: traces from the first part's start to the last one's end."""

    name = "tracing"
    grace = 5.0

    def __init__(self, observing: Observing, clean: Callable[[str], str]) -> None:
        self._observing = observing
        self._clean = clean

    def ready(self) -> bool:
        """Whether the collector takes anything is no reason to answer nobody."""
        return True

    async def run(self, up: Callable[[], None], stop: asyncio.Event) -> None:
        # OpenTelemetry takes a tenth of a second to import, and is needed here alone.
        from core.telemetry import tracing

        given = self._observing
        started = await asyncio.to_thread(
            tracing.to_collector,
            given.collector,
            given.collector_headers,
            service=given.service,
            clean=self._clean,
        )
        try:
            log.info("tracing.started")
            up()
            await stop.wait()
        finally:
            await asyncio.to_thread(started.stop)


class Lateness:
    """How late the event loop comes to what is due; works from `run` until `drain`."""

    def __init__(self) -> None:
        self._worst = 0.0
        self._over = asyncio.Event()

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        while not self._over.is_set():
            due = loop.time() + LOOK
            await asyncio.sleep(LOOK)
            self._worst = max(self._worst, loop.time() - due)

    async def drain(self) -> None:
        self._over.set()

    def worst(self) -> float:
        """Seconds, the most since the last time anybody asked."""
        worst, self._worst = self._worst, 0.0
        return worst


class Numbers:
    """Answers `/metrics` for those who hold the token."""

    def __init__(self, db: Database, token: str, lateness: Lateness, clock: Clock) -> None:
        self._db = db
        self._expected = f"Bearer {token}".encode()
        self._lateness = lateness
        self._clock = clock

    async def answer(self, request: web.Request) -> web.Response:
        given = request.headers.get("Authorization", "").encode("utf-8", "replace")
        if not hmac.compare_digest(given, self._expected):
            headers = {"WWW-Authenticate": "Bearer"}
            return web.Response(status=401, text="unauthorized\n", headers=headers)
        text = metrics.exposed(await self._gauges())
        return web.Response(body=text.encode(), headers={"Content-Type": CONTENT_TYPE})

    async def _gauges(self) -> list[Gauge]:
        now = self._clock()
        backlog = await inbox.backlog(self._db)
        posts = await outbox.backlog(self._db, now=now)
        waiting = await parked.undecided_count(self._db)
        return [
            Gauge("countersign_questions_waiting", "Accepted, not begun.", backlog.waiting),
            Gauge("countersign_turns_running", "Turns that run now.", backlog.running),
            Gauge(
                "countersign_oldest_question_seconds",
                "Age of the oldest unanswered.",
                _age(backlog.oldest, now),
            ),
            Gauge("countersign_posts_waiting", "Posts not sent yet.", posts.waiting),
            Gauge("countersign_outbox_lag_seconds", "How long a post has been due.", posts.lag),
            Gauge("countersign_parked_calls_waiting", "Calls nobody decided yet.", waiting),
            *_overdue(await overdue(self._db, now=now), now),
            Gauge(
                "countersign_event_loop_lag_seconds",
                "How late the event loop was at worst since the last look.",
                self._lateness.worst(),
            ),
        ]


def _overdue(found: Overdue, now: float) -> list[Gauge]:
    return [
        Gauge("countersign_unknown_calls", "Calls whose outcome nobody knows.", found.unknown),
        Gauge(
            "countersign_oldest_unknown_seconds",
            "For how long the outcome of a call has been unknown.",
            _age(found.oldest_unknown, now),
        ),
        Gauge(
            "countersign_oldest_approved_seconds",
            "For how long an approved call has not been begun.",
            _age(found.oldest_approved, now),
        ),
        Gauge(
            "countersign_budgets_nearly_spent",
            "Budgets of which four fifths were used up within the last day.",
            found.warned,
        ),
    ]


def _age(since: float | None, now: float) -> float:
    return 0.0 if since is None else max(0.0, now - since)


def watched(
    observing: Observing, db: Database, clock: Clock, clean: Callable[[str], str]
) -> tuple[Sequence[Part], Sequence[web.AbstractRouteDef]]:
    """The parts and routes that the settings ask for; none by default."""
    parts: list[Part] = []
    routes: list[web.AbstractRouteDef] = []
    if observing.collector:
        parts.append(TracingPart(observing, clean))
    if observing.metrics_token:
        lateness = Lateness()
        parts.append(Loop(name="lateness", work=lateness.run, drain=lateness.drain, grace=1.0))
        numbers = Numbers(db, observing.metrics_token, lateness, clock)
        routes.append(web.get(PATH, numbers.answer))
    return parts, routes
