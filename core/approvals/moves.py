"""Makes a move of a parked call, with all that belongs to it, in one transaction."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256

from core.approvals import drawing, states
from core.approvals.card import View, in_words
from core.approvals.rooms import Rooms
from core.cards import Card
from core.parked import ParkedCall
from core.policy import approvers
from core.records import Address, Answer, Evidence, PersonId, Post
from core.storage import decisions, evidence, outbox, parked
from core.storage.database import Transaction
from core.storage.decisions import Decision
from core.storage.parked import Copy
from core.telemetry import logs, metrics

COPIES = 6
"""Of one call's card for one person: each of them is changed with the others."""
_TRIES = 8

log = logs.get(__name__)


async def make(
    rooms: Rooms,
    before: ParkedCall,
    after: ParkedCall,
    *,
    decision: Decision | None = None,
    kept: Evidence | None = None,
    told: Sequence[Post] = (),
    new_copies: Sequence[Copy] = (),
) -> bool:
    """Put `after` in the place of `before`: the row, the decision, the evidence, every copy of
    the card and what people are told, all committed when this returns.

    False, and nothing is written, when somebody was quicker.
    """
    after = replace(after, moves=before.moves + 1)
    seen = await drawing.view(rooms, after)
    # That it is being carried out is what its card says already.
    shown = None if after.state == "executing" else drawing.drawn(rooms, after, seen)

    async def written(tx: Transaction) -> set[str] | None:
        """The surfaces that have something to show; None when somebody was quicker."""
        surfaces = await write(tx, before, after, shown, now=seen.now, decision=decision)
        if surfaces is None:
            return None
        if kept is not None:
            await evidence.write(tx, kept)
        if shown is not None:
            for copy in new_copies:
                await show_first(tx, after, copy, shown)
        for post in told:
            await outbox.put(tx, post)
        return surfaces | {one.surface for one in (*new_copies, *told)}

    surfaces = await rooms.db.write(written)
    if surfaces is None:
        return False
    await wake(rooms, after, surfaces)
    _noted(before, after)
    return True


async def write(
    tx: Transaction,
    before: ParkedCall,
    after: ParkedCall,
    shown: Card | None,
    *,
    now: float,
    decision: Decision | None = None,
) -> set[str] | None:
    """The move, the decision behind it and the copies of its card where that says something new,
    in a transaction of the caller's: the surfaces that have one. None, and nothing is written,
    when somebody was quicker."""
    if not states.is_legal(before.state, after.state):
        raise AssertionError(f"a parked call never goes from {before.state} to {after.state}")
    if not await parked.move(tx, before, after):
        return None
    if decision is not None:
        await decisions.add(tx, before, after, decision)
    if after.state in ("done", "failed", "unknown"):
        await decisions.settle(tx, after, now=now)
    if shown is None:
        return set()
    copies = await parked.copies(tx, before.id)
    for copy in copies:
        await outbox.supersede(tx, copy.post)
        post = _post(after, copy, shown)
        await outbox.put(tx, replace(post, id=f"{copy.post}.{after.moves}", replaces=copy.post))
    return {copy.surface for copy in copies}


async def show_first(tx: Transaction, call: ParkedCall, copy: Copy, shown: Card) -> None:
    """Show the card in one more place."""
    if await parked.add_copy(tx, call.id, copy):
        await outbox.put(tx, _post(call, copy, shown))


async def show_again(rooms: Rooms, call: ParkedCall, copy: Copy) -> None:
    """Show the card as it is now in one more place, where it is not shown often enough already;
    nothing where it has been decided in between."""

    async def written(tx: Transaction) -> bool:
        if not await parked.stands(tx, call):
            return False
        theirs = [one for one in await parked.copies(tx, call.id) if one.person == copy.person]
        if len(theirs) < COPIES:
            await show_first(tx, call, copy, shown)
        return True

    for _ in range(_TRIES):
        shown = drawing.drawn(rooms, call, await drawing.view(rooms, call))
        if await rooms.db.write(written):
            await rooms.db.notify(outbox.channel(copy.surface))
            return
        found = await parked.read(rooms.db, call.id)
        if found is None or found.state not in ("parked", "approved", "executing"):
            return
        call = found


async def wake(rooms: Rooms, call: ParkedCall, surfaces: Iterable[str]) -> None:
    """After the commit: whoever has something to do now."""
    if call.state == "approved":
        await rooms.db.notify(parked.CHANNEL)
    for surface in set(surfaces):
        await rooms.db.notify(outbox.channel(surface))


def _noted(before: ParkedCall, after: ParkedCall) -> None:
    if after.state != before.state:
        metrics.PARKED.add(after.state)
    log.info(
        "call.moved",
        call=after.id,
        turn=after.turn,
        number=after.number,
        revision=after.revision,
        state=after.state,
        was=before.state,
    )


def thread_copy(call: ParkedCall) -> Copy:
    return Copy(
        name="thread",
        post=f"{call.id}.thread",
        surface=call.place.surface,
        address=call.address,
        person=call.requester,
    )


def asked_copy(call: ParkedCall, person: PersonId, asked: str) -> Copy:
    """One for somebody who asked what waits for them."""
    name = f"asked.{sha256(asked.encode()).hexdigest()[:16]}"
    return Copy(
        name=name,
        post=f"{call.id}.{name}",
        surface=person.partition(":")[0],
        address=direct(person),
        person=person,
    )


def personal_copies(call: ParkedCall, seen: View) -> list[Copy]:
    """One for each approver who can be listed and does not have it in the thread as their own;
    none before the account is connected: then nobody could agree yet."""
    if call.waits_for:
        return []
    return [
        Copy(
            name=person,
            post=f"{call.id}.{person}",
            surface=person.partition(":")[0],
            address=direct(person),
            person=person,
        )
        for person in approvers.named(call, seen.rules, now=seen.now)
    ]


def direct(person: PersonId) -> Address:
    """The address of a person alone; see `core.records.Post`."""
    return {"person": person}


def private(call: ParkedCall, person: PersonId, sentence: str, *, name: str) -> Post:
    """A sentence about the call for one person. The asker reads it where they asked."""
    is_asker = person == call.requester
    return Post(
        id=f"{call.id}.{name}.{person}",
        turn=call.turn,
        surface=call.place.surface if is_asker else person.partition(":")[0],
        address=call.address if is_asker else direct(person),
        kind="private",
        person=person,
        answer=Answer(text=sentence),
        trace=call.trace,
    )


def _post(call: ParkedCall, copy: Copy, shown: Card) -> Post:
    return Post(
        id=copy.post,
        turn=call.turn,
        surface=copy.surface,
        address=copy.address,
        kind="card",
        person=copy.person,
        answer=Answer(text=in_words(shown)),
        card=shown,
        trace=call.trace,
    )
