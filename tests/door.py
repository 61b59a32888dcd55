"""A front door that takes notes, and a clock that is turned by hand."""

import asyncio

from core.errors import Unavailable
from core.panels import WORDS, Choice, Order, Panel
from core.records import Person, PersonId, Place, Question, Rating, Receipt, Stop, TurnId


class Door:
    """Implements the front door: writes down what it is asked, and can be out of order."""

    def __init__(self) -> None:
        self.questions: list[Question] = []
        self.helped: list[tuple[Person, Place]] = []
        self.stops: list[Stop] = []
        self.ratings: list[Rating] = []
        self.shared: list[tuple[PersonId, TurnId]] = []
        self.running = 1
        self.taken_back: list[str] = []
        self.revised: list[Question] = []
        self.orders: list[Order] = []
        self.outages = 0
        self.defects = 0
        self.words = "I answer questions about **orders**."

    async def accept(self, question: Question) -> Receipt:
        if self.defects:
            self.defects -= 1
            raise ZeroDivisionError
        if self.outages:
            self.outages -= 1
            raise Unavailable
        is_known = any(known.delivery == question.delivery for known in self.questions)
        self.questions.append(question)
        kind = "duplicate" if is_known else "accepted"
        return Receipt(kind=kind, turn=TurnId("t1"))

    async def revise(self, question: Question) -> Receipt:
        if self.outages:
            self.outages -= 1
            raise Unavailable
        self.revised.append(question)
        return Receipt(kind="accepted", turn=TurnId("t2"))

    async def stop(self, stop: Stop) -> int:
        if self.outages:
            self.outages -= 1
            raise Unavailable
        self.stops.append(stop)
        return self.running

    async def share(self, person: PersonId, turn: TurnId) -> str:
        self.shared.append((person, turn))
        return "It stands in the thread now."

    async def rate(self, rating: Rating) -> bool:
        if self.outages:
            self.outages -= 1
            raise Unavailable
        self.ratings.append(rating)
        return rating.turn == "t1"

    async def take_back(self, delivery: str) -> None:
        if self.outages:
            self.outages -= 1
            raise Unavailable
        self.taken_back.append(delivery)

    async def order(self, order: Order) -> Panel | None:
        """Knows `usage` alone, `accept SERVER/TOOL`, and whatever a button types."""
        words = order.words.split()
        if words == ["usage"]:
            person = order.person
            again = Choice(label="7 days", words="usage 7d")
            said = f"{person.name} has used nothing in {person.time_zone}."
            self.orders.append(order)
            return Panel(text=said, choices=(again,))
        if words[0].lower() == "accept" and len(words) == 2:
            self.orders.append(order)
            return Panel(text="Accepted.")
        if order.is_typed and words[0] in WORDS:
            self.orders.append(order)
            return Panel(text=f"Carried out: {order.words}.")
        return None

    async def help(self, person: Person, place: Place) -> str:
        if self.outages:
            self.outages -= 1
            raise Unavailable
        self.helped.append((person, place))
        return self.words


class Hand:
    """A clock that only sleeping moves."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)
