"""Parks a call: from what was asked for to a row that waits, and the cards that show it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.approvals import drawing, moves
from core.approvals.asking import PERFORM
from core.approvals.card import View
from core.approvals.digest import ask, call_id, canonical, digest
from core.approvals.foreign import Foreign
from core.approvals.rooms import Rooms
from core.connectors.outcome import Effect
from core.errors import BadArguments, NeedsAccount
from core.identity.scopes import missing
from core.parked import Approval, ParkedCall
from core.policy.approvers import person_id
from core.policy.rules import version
from core.records import Address, Evidence, Json, PersonId, Place, ThreadId, Tool, TurnId
from core.storage import parked
from core.storage.database import Transaction
from core.storage.parked import Placed
from core.telemetry import logs, metrics, spans

PREPARE = 2.0
"""Seconds to find out what the host adds, where somebody waits for a window to close."""
IN_A_TURN = 8.0
"""The same in a turn, which has time: a directory that answers slowly costs nobody the card."""

log = logs.get(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A call that is to wait for a person."""

    turn: TurnId
    thread: ThreadId
    place: Place
    address: Address
    requester: PersonId
    question: str
    tool: Tool
    arguments: Json
    """Valid by the tool's schema."""
    approval: Approval
    evidence: Sequence[Evidence] = ()
    place_in_turn: str
    """What tells this call from the turn's others, the same after a crash."""
    instead_of: ParkedCall | None = None
    """The call that this one stands for: who edited that one has written this one."""


def effect_for(rooms: Rooms, tool: Tool) -> Effect:
    """What carries this tool out."""
    return rooms.effects.get(tool.key) or Foreign(tool, rooms.catalog, rooms.credentials, PERFORM)


async def park(rooms: Rooms, wanted: Wanted) -> Placed:
    """Write the row once and show its card; committed when this returns. The same call of the same
    turn is parked once, whatever happens. Raises BadArguments when it cannot be carried out as it
    is, NeedsAccount when it cannot be shown without an account, and `Unavailable`."""
    call, seen = await drafted(rooms, wanted, patience=IN_A_TURN)
    async with rooms.db.transaction() as tx:
        placed = await place(tx, rooms, call, seen, wanted)
        surfaces = {copy.surface for copy in await parked.copies(tx, placed.call.id)}
    if placed.is_new:
        await moves.wake(rooms, placed.call, surfaces)
        metrics.PARKED.add("parked")
        log.info("call.parked", call=placed.call.id, turn=wanted.turn, tool=call.tool)
    return placed


async def drafted(
    rooms: Rooms, wanted: Wanted, *, patience: float = PREPARE
) -> tuple[ParkedCall, View]:
    """The row as it will be written, without its number."""
    now = rooms.clock()
    arguments = canonical(wanted.arguments)
    approval, old = wanted.approval, wanted.instead_of
    account = person_id(approval.account.removeprefix("person:"), wanted.place)
    call = ParkedCall(
        id=call_id(wanted.turn, wanted.place_in_turn, old.id if old else ""),
        number=0,
        turn=wanted.turn,
        thread=wanted.thread,
        place=wanted.place,
        address=wanted.address,
        requester=wanted.requester,
        authority=account or wanted.requester,
        tool=wanted.tool.key,
        tool_digest=wanted.tool.digest,
        arguments=arguments,
        proposed=old.proposed if old else arguments,
        edited_by=old.edited_by if old else None,
        digest="",
        policy_version=version(rooms.rules()),
        approval=approval,
        question=wanted.question,
        evidence=tuple(piece.id for piece in wanted.evidence),
        sources=tuple(piece.title for piece in wanted.evidence),
        trace=spans.carried(),
        parked_at=now,
        expires_at=now + approval.seconds,
    )
    call = await prepared(rooms, call, wanted.tool, patience=patience)
    return call, await drawing.view(rooms, call)


async def prepared(
    rooms: Rooms, call: ParkedCall, tool: Tool, *, patience: float = PREPARE
) -> ParkedCall:
    """The call with what the host adds, how certain its outcome will be, the account that is
    missing, and its digest. Raises BadArguments, and NeedsAccount where something has to be looked
    up with the account of whoever asked."""
    effect = effect_for(rooms, tool)
    try:
        async with asyncio.timeout(patience):
            facts = canonical(await effect.prepare(call))
    except TimeoutError:
        raise BadArguments("what belongs to this could not be read in time; try again") from None
    except NeedsAccount as missing_account:
        if call.authority == call.requester:
            raise
        name = await _name(rooms, call.authority)
        raise BadArguments(f"it needs the Microsoft account of {name}: {missing_account}") from None
    granted = await rooms.tokens.granted(call.authority)
    kind = effect.kind(granted or frozenset())
    waits_for, has_account = "", granted is not None
    if missing(effect.scopes(kind), granted or frozenset()):
        waits_for = await _account_sentence(rooms, call, has_account=has_account)
    was_connected = bool(waits_for) and has_account
    call = replace(call, facts=facts, effect=kind, waits_for=waits_for, was_connected=was_connected)
    return replace(call, digest=digest(call))


async def place(
    tx: Transaction, rooms: Rooms, call: ParkedCall, seen: View, wanted: Wanted
) -> Placed:
    """Write row and first cards in a transaction of the caller's."""
    old = wanted.instead_of.id if wanted.instead_of else ""
    placed = await parked.park(tx, call, ask(call.tool, call.arguments, old))
    if placed.is_new:
        shown = drawing.drawn(rooms, placed.call, seen)
        for copy in (moves.thread_copy(placed.call), *moves.personal_copies(placed.call, seen)):
            await moves.show_first(tx, placed.call, copy, shown)
    return placed


async def _account_sentence(rooms: Rooms, call: ParkedCall, *, has_account: bool) -> str:
    name = await _name(rooms, call.authority)
    need = "a further permission of" if has_account else "the Microsoft account of"
    return (
        f"Waits for {need} {name}: connect first. Connecting sends nothing; this card is still"
        " here afterwards."
    )


async def _name(rooms: Rooms, person: PersonId) -> str:
    return (await rooms.people.profile(person)).name or person.rpartition("/")[2]
