"""Carries one approved call out: checked again, claimed once, asked for once, settled for good."""

import asyncio
from dataclasses import replace

from core.approvals import checks, moves, park
from core.approvals.asking import Patience, performed, resolved
from core.approvals.checks import Found
from core.approvals.ending import ask_for_account, finish, refuse, waiting
from core.approvals.rooms import Rooms
from core.cards import CallId
from core.connectors import outcome as outcomes
from core.connectors.outcome import Effect, Unknown
from core.errors import NeedsAccount, NotAllowed, SourceFailed
from core.parked import EffectKind, ParkedCall
from core.storage import parked

INTERRUPTED = "I was interrupted while I asked for this, and nobody knows what came of it."


async def carry(rooms: Rooms, call: ParkedCall, patience: Patience) -> None:
    """Take an approved call to its end, or back to where it waits. Raises `Unavailable`; then the
    row says how far it came."""
    await rooms.look()
    if rooms.clock() >= call.expires_at:
        await moves.make(rooms, call, replace(call, state="expired"))
        return
    if not rooms.rules().has_effects:
        await moves.make(rooms, call, waiting(call))
        return
    try:
        found = await checks.standing(rooms, call)
        effect = park.effect_for(rooms, found.tool)
        granted = await rooms.tokens.granted(call.authority)
        kind = effect.kind(granted or frozenset())
        token = await _token(rooms, call, effect, kind, patience)
    except NotAllowed as refusal:
        await refuse(rooms, call, str(refusal))
    except NeedsAccount as missing:
        if missing.kind == "unavailable":
            # Connecting would not help: Microsoft does not answer. The call stays as it was.
            await refuse(rooms, call, str(missing))
        else:
            needs = outcomes.NeedsAccount(
                sentence=str(missing), kind=missing.kind, claims=missing.claims
            )
            await ask_for_account(rooms, call, needs)
    except SourceFailed as failure:
        await refuse(rooms, call, f"the sign-in service did not answer: {failure}")
    else:
        claimed = await _claim(rooms, replace(call, effect=kind), call, found)
        if claimed is not None:
            outcome = await performed(effect, claimed, token, patience, lambda: _goes_on(rooms))
            await finish(rooms, claimed, outcome)


async def settle(rooms: Rooms, call: ParkedCall, patience: Patience) -> None:
    """End a call that was claimed by a process that is gone: what can be read back is read back,
    the rest is unknown. Never asks a blind effect again, and reads nothing back while effects are
    switched off."""
    if call.effect == "blind" or not _goes_on(rooms):
        await finish(rooms, call, Unknown(sentence=INTERRUPTED))
        return
    try:
        effect = rooms.effects.get(call.tool)
        if effect is None:
            effect = park.effect_for(rooms, (await checks.standing(rooms, call)).tool)
        token = await _token_in_the_end(rooms, call, effect, patience)
    except (NotAllowed, NeedsAccount, SourceFailed) as failure:
        sentence = f"{INTERRUPTED} I could not look it up: {failure}."
        await finish(rooms, call, Unknown(sentence=sentence))
        return
    doubt = Unknown(sentence=INTERRUPTED)
    outcome = await resolved(effect, call, token, doubt, patience, lambda: _goes_on(rooms))
    await finish(rooms, call, outcome)


async def give_up(rooms: Rooms, id: CallId) -> None:
    """End a call whose handling broke: it failed where nothing was asked for, else nobody
    knows."""
    call = await parked.read(rooms.db, id)
    if call is not None and call.state == "approved":
        await refuse(rooms, call, "something broke on our side")
    elif call is not None and call.state == "executing":
        await finish(rooms, call, Unknown(sentence=INTERRUPTED))


def _goes_on(rooms: Rooms) -> bool:
    return rooms.rules().has_effects


async def _token_in_the_end(
    rooms: Rooms, call: ParkedCall, effect: Effect, patience: Patience
) -> str:
    """A token to look with, also when the sign-in service is away for a while."""
    for pause in patience.repeats:
        try:
            return await _token(rooms, call, effect, call.effect, patience)
        except SourceFailed:
            await asyncio.sleep(pause)
    return await _token(rooms, call, effect, call.effect, patience)


async def _token(
    rooms: Rooms,
    call: ParkedCall,
    effect: Effect,
    kind: EffectKind,
    patience: Patience,
) -> str:
    """Minted now, for the person in the row. Raises NeedsAccount or SourceFailed."""
    scopes = effect.scopes(kind)
    if not scopes:
        return ""
    try:
        async with asyncio.timeout(patience.token):
            return await rooms.tokens.token(call.authority, scopes)
    except TimeoutError:
        raise SourceFailed("no token came in time") from None


async def _claim(
    rooms: Rooms, wanted: ParkedCall, call: ParkedCall, found: Found
) -> ParkedCall | None:
    """The row in `executing`, committed: from here on it may have happened. None when it is not
    ours to carry out."""
    await rooms.look()
    if refusal := await checks.refusal(rooms, call, found):
        await refuse(rooms, call, refusal)
        return None
    if rooms.clock() >= call.expires_at:
        await moves.make(rooms, call, replace(call, state="expired"))
        return None
    if not rooms.rules().has_effects:
        await moves.make(rooms, call, waiting(call))
        return None
    claimed = replace(wanted, state="executing")
    if not await moves.make(rooms, call, claimed):
        return None
    return replace(claimed, moves=call.moves + 1)
