"""What the tests of documents have in common: an ingest without a model, questions, scopes."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from core.identity.vault import KeyRing
from core.policy.rules import EVERYTHING, Rules
from core.records import (
    Billing,
    Person,
    PersonId,
    Place,
    PlaceKind,
    Question,
    ThreadId,
    Turn,
    TurnId,
)
from core.specialists.documents.ingest import Ingest
from core.specialists.documents.library import Library
from core.specialists.documents.places import Addresses
from core.storage import documents
from core.storage.database import Database
from core.storage.index import Index

DIMENSIONS = 64
BILLING = Billing(turn=TurnId("t"), thread=ThreadId(""), person=PersonId(""), place="")
KEYS = KeyRing.parse("test:" + "A" * 43 + "=")
EVERYONE = ("group:everyone",)


class Killed(Exception):
    """Stands for the end of the process."""


class Embedder:
    """Gives each word a direction of its own; remembers what it was asked."""

    def __init__(self, *, breaks_after: int = 10**9) -> None:
        self.texts: list[str] = []
        self._left = breaks_after

    async def __call__(self, texts: Sequence[str], billing: Billing) -> list[list[float]]:
        if self._left <= 0:
            raise Killed
        self._left -= 1
        self.texts += texts
        return [vector(text) for text in texts]


def vector(text: str) -> list[float]:
    found = [0.0] * DIMENSIONS
    for word in set(re.findall(r"\w{3,}", text.casefold())):
        found[hashlib.sha256(word.encode()).digest()[0] % DIMENSIONS] += 1.0
    return found if any(found) else [1.0] * DIMENSIONS


def ingest_of(db: Database, index: Index, embed: Embedder | None = None) -> Ingest:
    return Ingest(db=db, index=index, embed=embed or Embedder(), clock=lambda: 1_000.0)


def library_of(ingest: Ingest, rules: Rules = EVERYTHING, **more: Any) -> Library:
    addresses = Addresses(keys=KEYS, clock=ingest.clock, base="http://127.0.0.1:1")
    return Library(ingest=ingest, rules=lambda: rules, addresses=addresses, **more)


def turn_of(
    text: str = "What may a hotel cost?",
    *,
    person: str = "slack:T1/U1",
    groups: tuple[str, ...] = (),
    kind: PlaceKind = "dm",
    channel: str = "D1",
    tenant: str = "T1",
    is_shared: bool = False,
) -> Turn:
    place = Place(surface="slack", tenant=tenant, channel=channel, kind=kind, is_shared=is_shared)
    question = Question(
        delivery="d",
        thread=ThreadId(f"slack:{tenant}/{channel}/1"),
        place=place,
        person=Person(id=PersonId(person), groups=groups),
        text=text,
        said_at=0.0,
    )
    return Turn(
        id=TurnId("t1"), question=question, model="demo", agent="", attempt=1, accepted_at=0
    )


async def found_by(library: Library, turn: Turn) -> list[str]:
    """The names of the documents that this question may be answered from."""
    scopes = await library.scopes(turn)
    asked = turn.question.text
    hits = await library.ingest.index.search(scopes, vector(asked), asked, 50)
    cited = await library.proven(turn, hits, vector(asked))
    kept = [await documents.read(library.ingest.db, one.chunk.source[9:]) for one in cited]
    return sorted({one.name for one in kept if one is not None})
