"""The front door: a question becomes a durable turn, or is refused with a sentence, first."""

from collections.abc import Callable
from dataclasses import replace

from core.capabilities.catalog import Catalog
from core.errors import OverBudget
from core.panels import Order, Panel
from core.policy.guards import Admitted, Refused, admit
from core.policy.rules import is_admin
from core.ports import Clock
from core.records import (
    Answer,
    Person,
    PersonId,
    Place,
    Post,
    Question,
    Rating,
    Receipt,
    Stop,
    TurnId,
)
from core.storage import admitting, inbox, outbox, people, ratings, stops
from core.storage.database import Database, Transaction
from core.telemetry import logs, metrics, spans
from core.turn.orders.desk import Desk
from core.turn.permitted import permitted
from core.turn.rush import Rush
from core.turn.setup import Setup
from core.turn.sharing import NOTHING, share
from core.turn.spending import Spending
from core.turn.steering import Steering
from core.turn.take_back import TakeBack
from core.turn.welcome import capabilities_text, greeting

HELP = frozenset(("help", "/help", "hi", "hello", "hey", "what can you do", ""))
"""What is no question: folded, without marks at the end."""
HELP_SECONDS = 1.5
"""How long `help` waits for servers that were never heard of: it is told before the delivery is
acknowledged, and names those that are still missing."""

SHARE = frozenset(("share", "share it", "share this"))
"""With which a person shows all of a thread what they were told there privately."""

log = logs.get(__name__)


def _is_help(question: Question) -> bool:
    folded = question.text.strip(" \t\r\n.?!").lower()
    return folded in HELP and bool(question.text.strip()) and not question.files


class Intake:
    """`core.ports.FrontDoor`: what can be refused is refused before it is acknowledged."""

    def __init__(
        self,
        db: Database,
        steering: Steering,
        catalog: Catalog,
        clock: Clock,
        new_id: Callable[[], str],
        *,
        approvals: bool = False,
        take_back: TakeBack | None = None,
        spending: Spending | None = None,
        orders: Desk | None = None,
        rush: Rush | None = None,
    ) -> None:
        """`new_id` gives 16 hexadecimal digits that were never given before. `approvals`: calls
        can wait for a person. Without `take_back` a question stands as it was first asked, without
        `spending` there are no budgets, without `orders` no commands. `rush` is told what is being
        taken."""
        self._db = db
        self._steering = steering
        self._spending = spending
        self._orders = orders
        self._catalog = catalog
        self._clock = clock
        self._new_id = new_id
        self._approvals = approvals
        self._take_back = take_back
        self._rush = rush or Rush()

    async def accept(self, question: Question) -> Receipt:
        """See `FrontDoor.accept`."""
        traced = spans.span("accept", {"countersign.thread": question.thread})
        with self._rush.taking(), traced as span:
            receipt = await self._accept(replace(question, trace=spans.carried()))
            span.set({"countersign.outcome": receipt.kind, "countersign.ahead": receipt.ahead})
            # A delivery that comes again is no part of the turn's own trace.
            if receipt.turn and receipt.kind != "duplicate":
                span.set({"countersign.turn": receipt.turn})
        metrics.QUESTIONS.add(receipt.kind)
        return receipt

    async def _accept(self, question: Question) -> Receipt:
        turn = TurnId(f"t_{self._new_id()}")
        if _is_help(question):
            return await self._tell(question, turn, await self._help(question))
        if question.text.strip(" \t\r\n.!").lower() in SHARE and not question.files:
            return await self._tell(question, turn, await self._share(question))
        setup = await self._steering.recent()
        verdict = self._verdict(setup, question)
        if isinstance(verdict, Refused):
            return await self._tell(question, turn, verdict.sentence)
        try:
            placed = await self._place(setup, question, turn, verdict)
        except OverBudget as spent:
            return await self._tell(question, turn, str(spent))
        kind = "duplicate" if placed.is_duplicate else "accepted"
        ids = {"delivery": question.delivery, "turn": placed.turn, "thread": question.thread}
        log.info(f"question.{kind}", **ids, ahead=placed.ahead)
        if not placed.is_duplicate:
            await self._notices(question, placed.turn, placed.ahead)
        return Receipt(kind=kind, turn=placed.turn, ahead=placed.ahead)

    async def _place(
        self, setup: Setup, question: Question, turn: TurnId, verdict: Admitted
    ) -> inbox.Placed:
        """Raises `OverBudget`: then nothing is recorded yet."""
        model, agent, now = verdict.model, verdict.agent, self._clock()
        admitted = replace(question, text=verdict.text)
        if self._spending is None or not setup.budgets.limits:
            return await inbox.put(self._db, admitted, turn, model=model, agent=agent, now=now)
        known = replace(question, person=await self._steering.known(question.person))
        admission = self._spending.admission(setup, known, turn, model)
        return await admitting.put(
            self._db, admitted, turn, admission, model=model, agent=agent, now=now
        )

    def _verdict(self, setup: Setup, question: Question) -> Admitted | Refused:
        return admit(
            question,
            models=setup.models,
            agents={name: agent.model for name, agent in setup.agents.items()},
            default=setup.choice(question.place),
            limits=setup.limits,
            now=self._clock(),
        )

    async def revise(self, question: Question) -> Receipt:
        """See `FrontDoor.revise`. Words that would be refused change nothing."""
        verdict = self._verdict(await self._steering.fresh(), question)
        if self._take_back is None or isinstance(verdict, Refused):
            return Receipt(kind="duplicate")
        turn = TurnId(f"t_{self._new_id()}")
        with spans.span("revise", {"countersign.thread": question.thread}):
            placed = await self._take_back.replace(
                replace(question, text=verdict.text, trace=spans.carried()),
                turn,
                model=verdict.model,
                agent=verdict.agent,
            )
        if placed is None:
            return Receipt(kind="duplicate")
        return Receipt(kind="accepted", turn=placed.turn, ahead=placed.ahead)

    async def take_back(self, delivery: str) -> None:
        """See `FrontDoor.take_back`."""
        if self._take_back is not None:
            await self._take_back(delivery)

    async def help(self, person: Person, place: Place) -> str:
        """See `FrontDoor.help`."""
        setup = await self._steering.fresh()
        known = await self._steering.known(person)
        offer = await permitted(
            self._catalog,
            setup,
            known,
            place,
            None,
            "",
            approvals=self._approvals,
            patience=HELP_SECONDS,
        )
        return capabilities_text(offer, setup, is_admin=is_admin(known, setup.rules))

    async def order(self, order: Order) -> Panel | None:
        """See `FrontDoor.order`."""
        return None if self._orders is None else await self._orders(order)

    async def share(self, person: PersonId, turn: TurnId) -> str:
        """See `FrontDoor.share`."""
        return await share(self._db, person, turn)

    async def _share(self, question: Question) -> str:
        found = await outbox.newest_private(self._db, question.thread, question.person.id)
        return await share(self._db, question.person.id, found) if found else NOTHING

    async def stop(self, stop: Stop) -> int:
        """See `FrontDoor.stop`."""
        ended = await stops.stop(self._db, stop, now=self._clock())
        for turn in ended:
            log.info("turn.stopped", turn=turn)
        return len(ended)

    async def rate(self, rating: Rating) -> bool:
        """See `FrontDoor.rate`."""
        kept = await ratings.put(self._db, rating, now=self._clock())
        log.info("answer.rated", turn=rating.turn, good=rating.is_good, kept=kept)
        return kept

    async def _help(self, question: Question) -> str:
        return await self.help(question.person, question.place)

    async def _tell(self, question: Question, turn: TurnId, sentence: str) -> Receipt:
        """Refuse durably: the delivery is known from now on, and the sentence is on its way."""
        post = self._private(question, turn, "refusal", sentence)
        placed = await inbox.refuse(self._db, question, turn, post, now=self._clock())
        log.info("question.refused", turn=placed.turn, thread=question.thread)
        if placed.is_duplicate:
            return Receipt(kind="duplicate", turn=placed.turn)
        return Receipt(kind="refused", turn=placed.turn, sentence=sentence)

    async def _notices(self, question: Question, turn: TurnId, ahead: int) -> None:
        """What the person is told beside the answer: who this is, and that others come first.
        Slack waits meanwhile: one write for all of it, and none for most."""
        person, is_known = question.person, await people.is_known(self._db, question.person.id)
        if is_known and not ahead:
            return
        before = "one question" if ahead == 1 else f"{ahead} questions"
        sentence = f"I am still answering {before} of this thread; yours comes right after."
        queued = self._private(question, turn, "queued", sentence)
        welcome = self._private(question, turn, "welcome", greeting(person))

        async def written(tx: Transaction) -> None:
            if not is_known and await people.meet(tx, person.id, now=self._clock()):
                await outbox.put(tx, welcome)
            if ahead:
                await outbox.put(tx, queued)

        await self._db.write(written)
        await self._db.notify(outbox.channel(question.place.surface))

    def _private(self, question: Question, turn: TurnId, name: str, sentence: str) -> Post:
        return Post(
            id=f"{turn}.{name}",
            turn=turn,
            surface=question.place.surface,
            address=question.address,
            kind="private",
            person=question.person.id,
            answer=Answer(text=sentence),
            trace=spans.carried(),
        )
