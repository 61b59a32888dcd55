"""The front door: a question becomes a durable turn, or is refused with a sentence, first."""

from collections.abc import Callable
from dataclasses import replace

from core.capabilities.catalog import Catalog
from core.policy.guards import Admitted, Refused, admit
from core.policy.rules import is_admin
from core.ports import Clock
from core.records import (
    Answer,
    Person,
    Place,
    Post,
    Question,
    Rating,
    Receipt,
    Stop,
    TurnId,
)
from core.storage import inbox, outbox, people, ratings, stops
from core.storage.database import Database, Transaction
from core.telemetry import logs, metrics, spans
from core.turn import usage
from core.turn.accepting import accept_tool
from core.turn.permitted import permitted
from core.turn.setup import Setup
from core.turn.take_back import TakeBack
from core.turn.welcome import capabilities_text, greeting

HELP = frozenset(("help", "/help", "hi", "hello", "hey", "what can you do", ""))
"""What is no question: folded, without marks at the end."""
HELP_SECONDS = 0.5
"""How long `help` waits for servers that were never heard of: it is told before the delivery is
acknowledged, and names those that are still missing."""

log = logs.get(__name__)


def _is_help(question: Question) -> bool:
    folded = question.text.strip(" \t\r\n.?!").lower()
    return folded in HELP and bool(question.text.strip()) and not question.files


class Intake:
    """`core.ports.FrontDoor`: what can be refused is refused before it is acknowledged."""

    def __init__(
        self,
        db: Database,
        setup: Setup,
        catalog: Catalog,
        clock: Clock,
        new_id: Callable[[], str],
        *,
        approvals: bool = False,
        take_back: TakeBack | None = None,
    ) -> None:
        """`new_id` gives 16 hexadecimal digits that were never given before. `approvals`: calls
        can wait for a person. Without `take_back` a question stands as it was first asked."""
        self._db = db
        self._setup = setup
        self._catalog = catalog
        self._clock = clock
        self._new_id = new_id
        self._approvals = approvals
        self._take_back = take_back

    async def accept(self, question: Question) -> Receipt:
        """See `FrontDoor.accept`."""
        with spans.span("accept", {"countersign.thread": question.thread}) as span:
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
        verdict = self._verdict(question)
        if isinstance(verdict, Refused):
            return await self._tell(question, turn, verdict.sentence)
        placed = await inbox.put(
            self._db,
            replace(question, text=verdict.text),
            turn,
            model=verdict.model,
            agent=verdict.agent,
            now=self._clock(),
        )
        kind = "duplicate" if placed.is_duplicate else "accepted"
        log.info(f"question.{kind}", turn=placed.turn, thread=question.thread, ahead=placed.ahead)
        if not placed.is_duplicate:
            await self._notices(question, placed.turn, placed.ahead)
        return Receipt(kind=kind, turn=placed.turn, ahead=placed.ahead)

    def _verdict(self, question: Question) -> Admitted | Refused:
        return admit(
            question,
            models=self._setup.models,
            agents={name: agent.model for name, agent in self._setup.agents.items()},
            default=self._setup.choice(question.place),
            limits=self._setup.limits,
            now=self._clock(),
        )

    async def revise(self, question: Question) -> Receipt:
        """See `FrontDoor.revise`. Words that would be refused change nothing."""
        verdict = self._verdict(question)
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
        offer = await permitted(
            self._catalog,
            self._setup,
            person,
            place,
            None,
            "",
            approvals=self._approvals,
            patience=HELP_SECONDS,
        )
        return capabilities_text(offer, self._setup, is_admin=is_admin(person, self._setup.rules))

    async def accept_tool(self, person: Person, key: str) -> str:
        """See `FrontDoor.accept_tool`."""
        return await accept_tool(self._catalog, self._setup.rules, person, key)

    async def usage(self, person: Person) -> str:
        """See `FrontDoor.usage`."""
        return await usage.today(self._db, person, self._clock())

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
