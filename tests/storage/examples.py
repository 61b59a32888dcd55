"""Records as the tests of storage and of the lanes need them."""

from core.records import (
    Answer,
    Billing,
    LedgerEntry,
    Person,
    PersonId,
    Place,
    Post,
    Question,
    ThreadId,
    TurnId,
    Usage,
)
from core.storage import inbox
from core.storage.database import Database

ADA = Person(id=PersonId("slack:T1/U1"), name="Ada", groups=("sales",))
SALES = Place(surface="slack", tenant="T1", channel="C1", kind="public", name="sales")


def thread(number: int = 1) -> ThreadId:
    return ThreadId(f"slack:T1/C1/{number}")


def question(delivery: str, in_thread: int = 1, text: str = "How much?") -> Question:
    return Question(
        delivery=delivery,
        thread=thread(in_thread),
        place=SALES,
        person=ADA,
        text=text,
        address={"channel": "C1", "thread_ts": str(in_thread)},
        said_at=100.0,
    )


async def put(db: Database, asked: Question, now: float = 100.0) -> inbox.Placed:
    """Accept the question; its turn is named after its delivery."""
    turn = TurnId(f"t_{asked.delivery}")
    return await inbox.put(db, asked, turn, model="demo", agent="general", now=now)


def post(
    turn: str, id: str = "", text: str = "So much.", channel: str = "C1", kind: str = "answer"
) -> Post:
    return Post(
        id=id or f"{turn}.answer",
        turn=TurnId(turn),
        surface="slack",
        address={"channel": channel},
        kind=kind,  # pyright: ignore[reportArgumentType]
        person=ADA.id,
        answer=Answer(text=text),
    )


def entry(turn: str, price: str | None = "0.0015", kind: str = "chat") -> LedgerEntry:
    return LedgerEntry(
        billing=Billing(turn=TurnId(turn), thread=thread(), person=ADA.id, place=SALES.id, round=1),
        kind=kind,  # pyright: ignore[reportArgumentType]
        provider="openai",
        model="gpt-5.5",
        usage=Usage(input_tokens=100, output_tokens=20),
        price=price,
        price_table="prices 1",
        outcome="ok",
        started_at=100.0,
        seconds=1.5,
    )
