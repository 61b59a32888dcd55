"""Prepares a call again that failed or whose outcome is unknown: always as a new one."""

from dataclasses import replace

from core.approvals import checks, drawing, moves, park
from core.approvals.rooms import Rooms
from core.errors import NotAllowed
from core.parked import Approval, ParkedCall
from core.policy import approvers
from core.policy.rules import may_call
from core.storage import evidence, parked
from core.storage.decisions import Decision
from core.storage.parked import Placed


class _Overtaken(Exception):
    """Somebody else moved the old call: nothing of this may stay."""


async def prepare_again(rooms: Rooms, old: ParkedCall, decision: Decision) -> int | None:
    """Park the same arguments anew and let the new call stand for the old one, in one write; the
    new number. None when somebody was quicker. Raises NotAllowed and BadArguments."""
    wanted = await _wanted(rooms, old)
    call, seen = await park.drafted(rooms, wanted)
    surfaces: set[str] = set()
    try:
        async with rooms.db.transaction() as tx:
            if not await parked.stands(tx, old):
                return None
            placed: Placed = await park.place(tx, rooms, call, seen, wanted)
            after = replace(
                old,
                state="void",
                outcome=f"{old.outcome} Prepared again as #{placed.call.number}.".strip(),
                moves=old.moves + 1,
            )
            shown = drawing.drawn(rooms, after, seen)
            moved = await moves.write(tx, old, after, shown, now=seen.now, decision=decision)
            if moved is None:
                raise _Overtaken
            surfaces = moved | {copy.surface for copy in await parked.copies(tx, placed.call.id)}
    except _Overtaken:
        return None
    await moves.wake(rooms, placed.call, surfaces)
    return placed.call.number


async def _wanted(rooms: Rooms, old: ParkedCall) -> park.Wanted:
    """The old call as a new wish, by the rules of now."""
    found = await checks.standing(rooms, old)
    rules = rooms.rules()
    if rule := may_call(
        found.tool,
        old.arguments,
        found.requester,
        old.place,
        old.question,
        rules,
        found.accepted,
        approvals=True,
    ):
        raise NotAllowed(f"it is no longer permitted: {rule}")
    behind = [await evidence.read(rooms.db, one) for one in old.evidence]
    return park.Wanted(
        turn=old.turn,
        thread=old.thread,
        place=old.place,
        address=old.address,
        requester=old.requester,
        question=old.question,
        tool=found.tool,
        arguments=old.arguments,
        approval=approvers.approval_for(
            found.tool, old.arguments, found.requester, old.place, rules
        )
        or Approval(reason="it was parked before"),
        evidence=[piece for piece in behind if piece is not None],
        place_in_turn="again",
        instead_of=old,
    )
