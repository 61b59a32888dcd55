"""The turn, read from top to bottom: resolve, retrieve, permit, loop, finish."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.approvals.rooms import Rooms as Approvals
from core.capabilities.catalog import Catalog
from core.capabilities.schemas import bound
from core.context import prompts
from core.context.thread import around, beside
from core.errors import CountersignError
from core.ledger.meter import Meter
from core.llm.chat import ChatDoor
from core.llm.embed import EmbedDoor
from core.llm.models import ModelSettings, dialect
from core.loop.calls import Calls, Credentials, no_credentials, was_shown
from core.loop.loop import Loop
from core.loop.steps import Ended, Live
from core.ports import Clock, Listener, Surface
from core.records import (
    Answer,
    Billing,
    Evidence,
    ModelMessage,
    ModelReply,
    ToolSchema,
    Turn,
    TurnId,
)
from core.storage import evidence, inbox
from core.storage.database import Database
from core.storage.index import Index
from core.telemetry import logs, spans
from core.turn import failures, watch
from core.turn.connect import SignInAsked
from core.turn.finish import answer_id, compose, finish
from core.turn.frame import Frame, Known
from core.turn.hear import as_heard, heard_around, noted, unread
from core.turn.papers import Papers, as_evidence, find
from core.turn.permitted import Offer, permitted
from core.turn.progress import Progress
from core.turn.resolve import history, outcomes, shown
from core.turn.retrieve import Memory, embedded
from core.turn.setup import Agent, Setup
from core.turn.spending import Spending
from core.turn.status import Status
from core.turn.steering import Steering
from core.turn.telling import Telling

THINKING = "is thinking…"
PROFILE_SECONDS = 2.0

log = logs.get(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rooms:
    """What a turn passes through; one of each for the whole process."""

    db: Database
    steering: Steering
    spending: Spending
    catalog: Catalog
    chat: ChatDoor
    models: dict[str, ModelSettings]
    embed: EmbedDoor
    index: Index
    meter: Meter
    loop: Loop
    surfaces: dict[str, Surface]
    clock: Clock
    approvals: Approvals | None = None
    """None: no call can wait for a person."""
    credentials: Credentials = no_credentials
    listeners: dict[str, Listener] = field(default_factory=dict[str, Listener])
    """By surface; where there is none, a question is all that is known of its place."""
    papers: Papers | None = None
    """None: there are no documents."""

    @property
    def setup(self) -> Setup:
        """As of the last look at what admins decided."""
        return self.steering.setup


async def run(rooms: Rooms, turn: Turn) -> None:
    """Answer the turn. What it raises is told to the person by `fail`."""
    with spans.turn(turn) as span:
        logs.about(turn=turn.id, thread=turn.question.thread, trace=spans.trace_id())
        surface = rooms.surfaces[turn.question.place.surface]
        await rooms.steering.recent()
        await rooms.spending.begin(turn)
        async with Status(surface, turn.question.address) as status:
            ended = await _run(rooms, turn, watch.begin(rooms.clock), surface, status)
        span.set({"countersign.rounds": ended.rounds})


async def _run(
    rooms: Rooms, turn: Turn, seen: watch.Watch, surface: Surface, status: Status
) -> Ended:
    started = rooms.clock()
    log.info("turn.begun", turn=turn.id, thread=turn.question.thread, attempt=turn.attempt)
    await status.say(THINKING)
    billing, sign_in = _billing(turn), _sign_in(rooms, turn, surface)
    agent, telling = rooms.setup.agents.get(turn.agent), Telling()
    known = await _known(rooms, turn, billing, agent, surface, status, seen, sign_in)
    turn = known.turn
    calls = _calls(rooms, turn, billing, known, status, sign_in)
    await _keep(rooms.db, calls, known.papers)
    live = Live(
        ask=_Ask(rooms, turn, billing, started, telling, calls),
        frame=Frame(rooms.setup, known, agent),
        perform=calls.perform,
        tools=bound(known.offer.by_alias, dialect(rooms.models[turn.model])),
        progress=Progress(status, known.offer, telling),
    )
    with seen.phase("loop"):
        ended, may_have_begun = await _looped(rooms, turn, live, surface, telling)

    with seen.phase("finish"):
        brought = await _brought(rooms.db, turn, calls)
        answer, has_words = compose(ended.text, ended.finish, brought, turn.question.text)
        await status.end()
    memory = Memory(rooms.index, turn, answer, known.vector if has_words else None)
    owned = await finish(
        rooms.db,
        turn,
        "done",
        answer,
        ended,
        clock=rooms.clock,
        remember=memory.keep,
        may_have_begun=may_have_begun,
    )
    if owned:
        memory.follow()
        await rooms.spending.warn(turn, turn.question.person)
    spent = round(rooms.clock() - started, 3)
    log.info("turn.done", turn=turn.id, rounds=ended.rounds, owned=owned, seconds=spent)
    return ended


def _sign_in(rooms: Rooms, turn: Turn, surface: Surface) -> SignInAsked:
    return SignInAsked(turn, surface, rooms.approvals.accounts if rooms.approvals else None)


async def _keep(db: Database, calls: Calls, papers: Evidence | None) -> None:
    """Passages of documents are evidence like what a call brings."""
    if papers is not None:
        await evidence.keep(db, papers)
        calls.kept.append(papers)


async def _looped(
    rooms: Rooms, turn: Turn, live: Live, surface: Surface, telling: Telling
) -> tuple[Ended, bool]:
    """How the loop ended, and whether its words may have been shown while it wrote them. A turn
    that was begun before is not shown again: what is there of it is replaced by the answer."""
    words = prompts.question(turn.question.text, turn.question.files)
    with rooms.spending.running(turn, turn.question.person):
        if turn.attempt > 1:
            return await rooms.loop.run(turn.id, words, live), True
        address = turn.question.address
        async with surface.showing(answer_id(turn), address, telling.words) as showing:
            telling.to(showing)
            ended = await rooms.loop.run(turn.id, words, live, is_new=True)
    return ended, showing.has_begun


async def _known(
    rooms: Rooms,
    turn: Turn,
    billing: Billing,
    agent: Agent | None,
    surface: Surface,
    status: Status,
    seen: watch.Watch,
    sign_in: SignInAsked,
) -> Known:
    """Resolve, retrieve and permit. What does not need one another goes side by side."""
    with seen.phase("resolve"):
        async with asyncio.TaskGroup() as group:
            introducing = group.create_task(_introduced(turn, surface, rooms.steering))
            listening = group.create_task(heard_around(turn, rooms.listeners))
            reading = group.create_task(
                history(rooms.db, turn.question.thread, rooms.setup.room.turns)
            )
            embedding = group.create_task(embedded(turn, billing, rooms.embed.embed))
    turn, past, vector = introducing.result(), reading.result(), embedding.result()
    heard = listening.result()
    turn = as_heard(turn, heard)
    await noted(rooms.db, turn, heard, now=rooms.clock())
    with seen.phase("retrieve"):
        hidden = await rooms.papers.hidden(turn) if rooms.papers else frozenset[TurnId]()
        finished = [shown(id, one, hidden) for id, one in past]
        async with asyncio.TaskGroup() as group:
            retrieving = group.create_task(
                find(
                    *(rooms.papers, turn, vector, rooms.index, surface, status.say),
                    posted=heard.files,
                    shown=hidden.union(id for id, _ in past),
                )
            )
            offering = group.create_task(_offer(rooms, turn, agent))
            waiting = group.create_task(outcomes(rooms.db, turn))
            lacking = group.create_task(unread(heard, sign_in))
    seen.offer = offering.result()
    found = retrieving.result()
    return Known(
        turn=turn,
        thread=around(turn.question, beside(heard, finished), rooms.setup.room.thread),
        past=finished,
        hidden=hidden,
        vector=vector,
        chunks=found.past,
        papers=as_evidence(turn, found.cited, rooms.clock()) if found.cited else None,
        unread=(*lacking.result(), *found.unread),
        offer=seen.offer,
        waited=waiting.result(),
    )


async def _introduced(turn: Turn, surface: Surface, steering: Steering) -> Turn:
    """The turn with all that is proven of the person, and with their name and time zone as far as
    the platform says them in time: what is "today" depends on it."""
    asked = turn.question
    asked = replace(asked, person=await steering.known(asked.person))
    turn = replace(turn, question=asked)
    try:
        async with asyncio.timeout(PROFILE_SECONDS):
            person = await surface.profile(asked.person)
    except TimeoutError:
        log.info("turn.unintroduced", turn=turn.id)
        return turn
    return replace(turn, question=replace(asked, person=person))


async def _offer(rooms: Rooms, turn: Turn, agent: Agent | None) -> Offer:
    question = turn.question
    return await permitted(
        rooms.catalog,
        rooms.setup,
        question.person,
        question.place,
        agent,
        question.text,
        approvals=rooms.approvals is not None,
    )


def _billing(turn: Turn) -> Billing:
    question = turn.question
    return Billing(
        turn=turn.id,
        thread=question.thread,
        person=question.person.id,
        place=question.place.id,
    )


async def fail(rooms: Rooms, turn: Turn, failure: Exception) -> None:
    """End a turn that could not be answered with a sentence about why."""
    log.exception("turn.failed", error=failure, turn=turn.id, thread=turn.question.thread)
    await _end(rooms, turn, "failed", failures.sentence(failure, turn.id))


async def bury(rooms: Rooms, turn: Turn) -> None:
    """End a turn that was cut off too often."""
    log.error("turn.interrupted", turn=turn.id, thread=turn.question.thread)
    await _end(rooms, turn, "dead", failures.interrupted(turn.id))


async def _end(rooms: Rooms, turn: Turn, outcome: inbox.Outcome, sentence: str) -> None:
    with spans.span(f"turn {outcome}", parent=turn.question.trace):
        ended = await _so_far(rooms, turn)
        await finish(rooms.db, turn, outcome, Answer(text=sentence), ended, clock=rooms.clock)


async def _so_far(rooms: Rooms, turn: Turn) -> Ended | None:
    """How far the loop came, for whoever looks inside; the sentence does not depend on it."""
    try:
        return await rooms.loop.so_far(turn.id)
    except CountersignError as failure:
        log.info("turn.forgotten", turn=turn.id, kind=type(failure).__name__)
        return None


async def _brought(db: Database, turn: Turn, calls: Calls) -> list[Evidence]:
    """What the model was shown of the turn's evidence. A turn that is tried again has some of an
    earlier try, perhaps in another process; the first one has it all at hand."""
    if turn.attempt == 1:
        return sorted(calls.kept, key=lambda piece: (piece.made_at, piece.id))
    return [piece for piece in await evidence.of_turn(db, turn.id) if was_shown(piece, turn)]


def _calls(
    rooms: Rooms, turn: Turn, billing: Billing, known: Known, status: Status, sign_in: SignInAsked
) -> Calls:
    return Calls(
        turn=turn,
        billing=billing,
        by_alias=known.offer.by_alias,
        accepted=known.offer.accepted,
        hidden=known.hidden,
        rules=rooms.steering.recent_rules,
        deadline=rooms.setup.deadlines.call,
        catalog=rooms.catalog,
        db=rooms.db,
        meter=rooms.meter,
        clock=rooms.clock,
        progress=status.say,
        approvals=rooms.approvals,
        credentials=rooms.credentials,
        needs_account=sign_in,
    )


class _Ask:
    """`steps.Ask` of one turn: the model that was chosen, within the time that is left."""

    def __init__(
        self,
        rooms: Rooms,
        turn: Turn,
        billing: Billing,
        started: float,
        telling: Telling,
        calls: Calls,
    ) -> None:
        self._rooms = rooms
        self._turn = turn
        self._telling = telling
        self._calls = calls
        self._billing = billing
        # A little before the lane cuts the whole turn off: the call is closed in order, and the
        # turn ends in a sentence that names the model.
        turn_seconds = rooms.setup.deadlines.turn
        self._ends = started + turn_seconds - min(5.0, turn_seconds / 10)

    async def __call__(
        self,
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolSchema],
        *,
        round: int,
        purpose: str,
    ) -> ModelReply:
        if self._calls.kept:
            self._telling.may_cite(self._calls.kept)
        return await self._rooms.chat.ask(
            self._turn.model,
            messages,
            tools,
            replace(self._billing, round=round, purpose=purpose),
            max(0.0, self._ends - self._rooms.clock()),
            self._telling,
        )
