"""The inside of a turn: all that is known of what happened there, as one value.

Read from what the turn left behind: its row, its notes, the evidence, the ledger, parked calls and
posts. Each is kept for its own time; what is past it is named as missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.capabilities.reading import read_result
from core.cards import CallId
from core.errors import BadArguments
from core.loop.calls import evidence_id, named_evidence, shown
from core.parked import ParkedCall
from core.records import (
    Chip,
    Evidence,
    EvidenceId,
    Json,
    LedgerEntry,
    PersonId,
    Turn,
    TurnId,
    Withheld,
)
from core.storage import entries, evidence, inbox, notes, outbox, parked, threads
from core.storage.database import Database
from core.storage.notes import NotedCall, Notes
from core.storage.outbox import Fate

NO_NOTES = "What the turn noted of itself: it did not end yet, or it is past its time."
NO_EVIDENCE = "Evidence of {count} of its calls: it is past its time."
NO_POSTS = "What became of its posts: it is past its time."


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A stretch of the turn's time. `began` counts in seconds from the accepted question."""

    name: str
    about: str = ""
    """The model or tool."""
    round: int = 0
    began: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call with what it brought."""

    id: str
    round: int
    tool: str
    """`server/tool`; empty where there was none of that name."""
    alias: str
    outcome: notes.CallOutcome
    seconds: float
    arguments: Json
    evidence: str = ""
    """The id of what it brought."""
    whole: str | None = None
    """All that the tool said; None where nothing was kept."""
    shown: str | None = None
    """What the model saw of it; None where that is past its time."""
    shown_size: int
    """Characters, as they were counted at the time."""
    is_error: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    number: int
    said: str = ""
    """What the model said beside its calls."""
    uses: tuple[LedgerEntry, ...] = ()
    """The calls of the model, every attempt."""
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A call of this turn that people decide about."""

    id: CallId
    number: int
    tool: str
    state: str
    arguments: Json
    rule: str
    """Why it had to wait."""
    parked_at: float
    decided_by: PersonId | None
    decided_at: float | None
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    turn: TurnId
    state: str
    """`new`, `running`, `done`, `failed`, `refused`, `dead`."""
    thread: str
    person: str
    name: str = ""
    place: str
    model: str = ""
    agent: str = ""
    attempt: int = 0
    question: str
    answer: str = ""
    chips: tuple[Chip, ...] = ()
    asked_at: float
    accepted_at: float | None = None
    finished_at: float | None = None
    posted_at: float | None = None
    """When the chat platform had the answer."""
    steps: tuple[Step, ...] = ()
    """In the order in which they began; calls of one round lie beside each other."""
    offered: tuple[str, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    problems: tuple[str, ...] = ()
    rounds: tuple[Round, ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    posts: tuple[Fate, ...] = ()
    missing: tuple[str, ...] = ()


async def look(db: Database, turn: TurnId) -> Inside | None:
    """Everything about the turn; None for an id that is not known (any more)."""
    begun = await _begun(db, turn)
    if begun is None:
        return None
    noted = await notes.read(db, turn)
    pieces = {piece.id: piece for piece in await evidence.of_turn(db, turn)}
    ledger = tuple(await entries.of_turn(db, turn))
    posts = tuple(await outbox.of_turn(db, turn))
    calls = [await _call(db, turn, one, pieces) for one in (noted.calls if noted else ())]
    posted_at = next((p.closed_at for p in posts if p.id == f"{turn}.answer"), None)
    return replace(
        begun,
        accepted_at=noted.accepted_at if noted else begun.accepted_at,
        attempt=noted.attempt if noted else begun.attempt,
        posted_at=posted_at,
        steps=_steps(noted, ledger, posted_at) if noted else (),
        offered=noted.offered if noted else (),
        withheld=noted.withheld if noted else (),
        problems=noted.problems if noted else (),
        rounds=_rounds(noted, ledger, calls),
        ledger=ledger,
        waiting=tuple(_waiting(call) for call in await parked.of_turn(db, turn)),
        posts=posts,
        missing=_missing(begun, noted, calls, posts),
    )


async def _begun(db: Database, turn: TurnId) -> Inside | None:
    """Who asked what where, and how it ended: from the inbox for a week, from the turns after."""
    entry, ended = await inbox.read(db, turn), await threads.read(db, turn)
    line = await threads.line(db, turn)
    if entry is not None:
        found = _of_question(entry.turn, entry)
    elif line is not None:
        found = Inside(
            turn=turn,
            state=line.outcome,
            thread=line.thread,
            person=line.person,
            place=line.place,
            question=line.question,
            asked_at=line.asked_at,
            finished_at=line.finished_at,
        )
    else:
        return None
    return replace(found, answer=ended.answer, chips=ended.chips) if ended else found


def _of_question(turn: Turn, entry: inbox.Entry) -> Inside:
    asked = turn.question
    return Inside(
        turn=turn.id,
        state=entry.state,
        thread=asked.thread,
        person=asked.person.id,
        name=asked.person.name,
        place=f"{asked.place.id} {asked.place.name}".strip(),
        model=turn.model,
        agent=turn.agent,
        attempt=turn.attempt,
        question=asked.text,
        asked_at=asked.said_at,
        accepted_at=turn.accepted_at,
        finished_at=entry.finished_at,
    )


async def _call(
    db: Database, turn: TurnId, one: NotedCall, pieces: Mapping[EvidenceId, Evidence]
) -> Call:
    piece = pieces.get(evidence_id(turn, one.number)) if one.outcome == "kept" else None
    call = Call(
        id=one.id,
        round=one.round,
        tool=one.tool,
        alias=one.alias,
        outcome=one.outcome,
        seconds=one.seconds,
        arguments=one.arguments or {},
        shown=one.text or None,
        shown_size=one.size,
        is_error=one.outcome == "failed",
    )
    if one.outcome == "read":
        return replace(call, shown=await _read_again(db, turn, call.arguments))
    if piece is None:
        return call
    return replace(
        call,
        arguments=piece.arguments,
        evidence=piece.id,
        whole=piece.text,
        shown=shown(piece),
        is_error=piece.is_error,
    )


async def _read_again(db: Database, turn: TurnId, arguments: Json) -> str | None:
    piece = await evidence.read(db, named_evidence(turn, arguments))
    try:
        return None if piece is None else read_result(piece, arguments)
    except BadArguments:
        return None


def _rounds(
    noted: Notes | None, ledger: Sequence[LedgerEntry], calls: Sequence[Call]
) -> tuple[Round, ...]:
    own = [e for e in ledger if e.kind == "chat" and e.billing.round and not e.billing.tool]
    numbers = sorted({entry.billing.round for entry in own} | {call.round for call in calls})
    said = noted.said if noted else {}
    return tuple(
        Round(
            number=number,
            said=said.get(str(number), ""),
            uses=tuple(entry for entry in own if entry.billing.round == number),
            calls=tuple(call for call in calls if call.round == number),
        )
        for number in numbers
    )


def _steps(
    noted: Notes, ledger: Sequence[LedgerEntry], posted_at: float | None
) -> tuple[Step, ...]:
    zero = noted.accepted_at
    found = [Step(name="waited", began=0.0, seconds=max(0.0, noted.began_at - zero))]
    found += [
        Step(name=one.name, began=one.began - zero, seconds=one.seconds)
        for one in noted.phases
        if one.name != "loop"
    ]
    found += [
        Step(
            name="model",
            about=entry.model,
            round=entry.billing.round,
            began=entry.started_at - zero,
            seconds=entry.seconds,
        )
        for entry in ledger
        # What an approved call used came after the turn.
        if entry.kind == "chat" and entry.started_at <= noted.finished_at
    ]
    found += [
        Step(
            name="tool",
            about=call.tool or call.alias,
            round=call.round,
            began=call.began - zero,
            seconds=call.seconds,
        )
        for call in noted.calls
    ]
    if posted_at is not None:
        end = noted.finished_at
        found.append(Step(name="posted", began=end - zero, seconds=max(0.0, posted_at - end)))
    return tuple(sorted(found, key=lambda step: step.began))


def _waiting(call: ParkedCall) -> Waiting:
    return Waiting(
        id=call.id,
        number=call.number,
        tool=call.tool,
        state=call.state,
        arguments=call.arguments,
        rule=call.approval.reason,
        parked_at=call.parked_at,
        decided_by=call.decided_by,
        decided_at=call.decided_at,
        outcome=call.outcome,
    )


def _missing(
    begun: Inside, noted: Notes | None, calls: Sequence[Call], posts: Sequence[Fate]
) -> tuple[str, ...]:
    found: list[str] = []
    if noted is None and begun.state != "refused":
        found.append(NO_NOTES)
    if gone := sum(1 for call in calls if call.outcome == "kept" and call.whole is None):
        found.append(NO_EVIDENCE.format(count=gone))
    if not posts and begun.state in ("done", "failed", "refused"):
        found.append(NO_POSTS)
    return tuple(found)
