"""Keeps questions within their budgets: refused before they are acknowledged, held at each call."""

import re
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager

from core.errors import OverBudget
from core.ledger.budget import (
    WARN_AT,
    Holding,
    Price,
    call_bound,
    holding,
    refusal,
    turn_bound,
    unpriced_bound,
    unpriced_refusal,
    warning,
)
from core.ledger.meter import Meter
from core.llm.models import ModelSettings
from core.policy.approvers import person_id
from core.ports import Clock
from core.records import (
    Address,
    Answer,
    Billing,
    Person,
    PersonId,
    Place,
    Post,
    Question,
    Turn,
    TurnId,
)
from core.storage import outbox, reservations
from core.storage.admitting import Admission
from core.storage.database import Database, Transaction
from core.storage.reservations import Amount, Standing
from core.telemetry import logs
from core.turn.setup import Setup
from core.turn.steering import Steering

_OBJECT_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
log = logs.get(__name__)


class Spending:
    """One for the whole process."""

    def __init__(
        self,
        db: Database,
        steering: Steering,
        models: Mapping[str, ModelSettings],
        meter: Meter,
        clock: Clock,
    ) -> None:
        self._db = db
        self._steering = steering
        self._models = models
        self._meter = meter
        self._clock = clock
        self._running: dict[TurnId, tuple[Person, Place]] = {}

    def admission(self, setup: Setup, question: Question, turn: TurnId, model: str) -> Admission:
        """What admits the question in the transaction that records it. Raises `OverBudget` with
        the sentence for its person."""

        async def admit(tx: Transaction) -> None:
            now = self._clock()
            held = holding(setup.budgets, question.person, question.place, setup.rules, now=now)
            if not held:
                return
            want = self._want(model, len(question.text), setup, held, is_turn=True)
            who = (question.person.id, question.place.id)
            caps = [one.cap for one in held]
            spent = await reservations.admit(tx, self._db.dialect, turn, who, want, caps, now=now)
            if spent is not None:
                raise OverBudget(refusal(spent, held, setup.budgets.currency))

        return admit

    @contextmanager
    def running(self, turn: Turn, person: Person) -> Generator[None]:
        """From here to the end of the block, calls of the turn are held to its budgets."""
        self._running[turn.id] = (person, turn.question.place)
        try:
            yield
        finally:
            del self._running[turn.id]

    async def begin(self, turn: Turn) -> None:
        """No call of an earlier try is under way."""
        if turn.attempt > 1:
            await reservations.begin(self._db, turn.id)

    @asynccontextmanager
    async def call(
        self, model: ModelSettings, size: Callable[[], int], billing: Billing
    ) -> AsyncGenerator[None]:
        """`core.llm.chat.Gate`. Raises `OverBudget`: then nothing is asked."""
        known = self._running.get(billing.turn)
        setup = await self._steering.recent() if known else self._steering.setup
        if known is None or not setup.budgets.limits:
            yield
            return
        person, place = known
        now = self._clock()
        held = holding(setup.budgets, person, place, setup.rules, now=now)
        if not held:
            yield
            return
        want = self._want(model.key, size(), setup, held)
        who, caps = (person.id, place.id), [one.cap for one in held]

        async def hold(tx: Transaction) -> Standing | None:
            return await reservations.hold(
                tx, self._db.dialect, billing.turn, who, want, caps, now=now
            )

        if (spent := await self._db.write(hold, is_durable=False)) is not None:
            raise OverBudget(refusal(spent, held, setup.budgets.currency))
        try:
            yield
        finally:
            await self._db.write(
                lambda tx: reservations.let_go(tx, billing.turn, want), is_durable=False
            )

    async def standings(
        self, setup: Setup, person: Person, place: Place
    ) -> list[tuple[Holding, Standing]]:
        """How the budgets of this person in this place stand."""
        held = holding(setup.budgets, person, place, setup.rules, now=self._clock())
        found = await reservations.standings(self._db, [one.cap for one in held])
        return list(zip(held, found, strict=True))

    async def warn(self, turn: Turn, person: Person) -> None:
        """Say once that most of a budget is used: to the person about their own, to admins about
        those that many share."""
        setup = self._steering.setup
        if not setup.budgets.limits:
            return
        for held, found in await self.standings(setup, person, turn.question.place):
            if found.cap.limit > 0 and found.spent >= WARN_AT * found.cap.limit:
                sentence = warning(found, held.limit, setup.budgets.currency)
                await self._warn_once(turn, held, sentence, setup)

    async def _warn_once(self, turn: Turn, held: Holding, sentence: str, setup: Setup) -> None:
        is_own = held.limit.is_each or held.limit.whom.startswith("person:")
        posts = (
            [_to_asker(turn, held, sentence)] if is_own else _to_admins(turn, held, sentence, setup)
        )

        async def warn(tx: Transaction) -> bool:
            is_first = await reservations.warn(tx, held.cap.key, held.cap.span, now=self._clock())
            for post in posts if is_first else ():
                await outbox.put(tx, post)
            return is_first

        if await self._db.write(warn):
            log.info("budget.warned", budget=held.cap.key, span=held.cap.span, told=len(posts))
            for surface in {post.surface for post in posts}:
                await self._db.notify(outbox.channel(surface))

    def _want(
        self,
        name: str,
        characters: int,
        setup: Setup,
        held: Sequence[Holding],
        *,
        is_turn: bool = False,
    ) -> Amount:
        model = self._models[name]
        bound = turn_bound if is_turn else call_bound
        want = bound(characters, model.max_output_tokens, self._price(model))
        if want is not None:
            return want
        if sentence := unpriced_refusal(setup.budgets, held, name):
            raise OverBudget(sentence)
        return unpriced_bound(characters, model.max_output_tokens)

    def _price(self, model: ModelSettings) -> Price:
        return lambda usage: self._meter.price_of(model.provider, model.name, usage)


def _to_asker(turn: Turn, held: Holding, sentence: str) -> Post:
    question = turn.question
    return _post(turn, held, question.place.surface, question.person.id, question.address, sentence)


def _to_admins(turn: Turn, held: Holding, sentence: str, setup: Setup) -> list[Post]:
    """To the admins whom the policy names one by one, each in their own conversation."""
    rules, place = setup.rules, turn.question.place
    named = list(rules.admins)
    for word in rules.admins:
        named += rules.groups.get(word.removeprefix("group:"), ())
    found = dict.fromkeys(
        _admin(word.removeprefix("person:"), place) for word in named if word.startswith("person:")
    )
    return [
        _post(turn, held, admin.partition(":")[0], admin, {"person": admin}, sentence)
        for admin in found
        if admin
    ]


def _admin(word: str, place: Place) -> PersonId:
    """Empty for who is no person of the place's platform: an id of Slack in Teams, an object id in
    Slack."""
    if place.surface == "teams" and "/" not in word:
        return PersonId(f"teams:{place.tenant}/{word}" if _OBJECT_ID.fullmatch(word) else "")
    return person_id(word, place)


def _post(
    turn: Turn,
    held: Holding,
    surface: str,
    person: PersonId,
    address: Address,
    sentence: str,
) -> Post:
    return Post(
        id=f"budget:{held.cap.key}:{held.cap.span}:{person}",
        turn=turn.id,
        surface=surface,
        address=address,
        kind="private",
        person=person,
        answer=Answer(text=sentence),
    )
