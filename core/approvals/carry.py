"""Carries one approved call out: checked again, claimed once, asked for once, settled for good."""

import asyncio
from dataclasses import dataclass, replace
from typing import Literal

from core.approvals import checks, moves, park
from core.approvals.checks import Found
from core.approvals.rooms import Rooms
from core.approvals.testimony import outcome_evidence
from core.cards import CallId
from core.connectors.outcome import Done, Effect, Failed, NeedsAccount, Outcome, Unknown
from core.errors import DeadlineExceeded, NotAllowed, SourceFailed
from core.errors import NeedsAccount as AccountMissing
from core.parked import ParkedCall
from core.records import Json, Post
from core.storage import parked
from core.telemetry import logs

INTERRUPTED = "I was interrupted while I asked for this, and nobody knows what came of it."
NO_ANSWER = "I asked for this and did not hear back."

log = logs.get(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Seconds."""

    perform: float = park.PERFORM
    token: float = 5.0
    repeats: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
    """The pauses before each look at what came of a keyed or checkable effect."""


async def carry(rooms: Rooms, call: ParkedCall, patience: Patience) -> None:
    """Take an approved call to its end, or back to where it waits. Raises `Unavailable`; then the
    row says how far it came."""
    if rooms.clock() >= call.expires_at:
        await moves.make(rooms, call, replace(call, state="expired"))
        return
    if not rooms.rules().has_effects:
        await moves.make(rooms, call, _waiting(call))
        return
    try:
        found = await checks.standing(rooms, call)
        effect = park.effect_for(rooms, found.tool)
        granted = await rooms.tokens.granted(call.authority)
        kind = effect.kind(granted or frozenset())
        token = await _token(rooms, call, effect, kind, patience)
    except NotAllowed as refusal:
        await _refuse(rooms, call, str(refusal))
    except AccountMissing as missing:
        if missing.kind == "unavailable":
            # Connecting would not help: Microsoft does not answer. The call stays as it was.
            await _refuse(rooms, call, str(missing))
        else:
            await _ask_for_account(rooms, call, str(missing))
    except SourceFailed as failure:
        await _refuse(rooms, call, f"the sign-in service did not answer: {failure}")
    else:
        claimed = await _claim(rooms, replace(call, effect=kind), call, found)
        if claimed is not None:
            outcome = await _performed(effect, claimed, token, patience)
            await _finish(rooms, claimed, outcome)


async def settle(rooms: Rooms, call: ParkedCall, patience: Patience) -> None:
    """End a call that was claimed by a process that is gone: what can be read back is read back,
    the rest is unknown. Never asks a blind effect again."""
    if call.effect == "blind":
        await _finish(rooms, call, Unknown(sentence=INTERRUPTED))
        return
    try:
        found = await checks.standing(rooms, call)
        effect = park.effect_for(rooms, found.tool)
        token = await _token(rooms, call, effect, call.effect, patience)
    except (NotAllowed, AccountMissing, SourceFailed) as failure:
        sentence = f"{INTERRUPTED} I could not look it up: {failure}."
        await _finish(rooms, call, Unknown(sentence=sentence))
        return
    await _finish(
        rooms,
        call,
        await _resolved(effect, call, token, Unknown(sentence=INTERRUPTED), patience),
    )


async def give_up(rooms: Rooms, id: CallId) -> None:
    """End a call whose handling broke: it failed where nothing was asked for, else nobody
    knows."""
    call = await parked.read(rooms.db, id)
    if call is not None and call.state == "approved":
        await _refuse(rooms, call, "something broke on our side")
    elif call is not None and call.state == "executing":
        await _finish(rooms, call, Unknown(sentence=INTERRUPTED))


async def _token(
    rooms: Rooms,
    call: ParkedCall,
    effect: Effect,
    kind: Literal["keyed", "checkable", "blind"],
    patience: Patience,
) -> str:
    """Minted now, for the person in the row. Raises AccountMissing or SourceFailed."""
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
    if refusal := await checks.refusal(rooms, call, found):
        await _refuse(rooms, call, refusal)
        return None
    if rooms.clock() >= call.expires_at:
        await moves.make(rooms, call, replace(call, state="expired"))
        return None
    if not rooms.rules().has_effects:
        await moves.make(rooms, call, _waiting(call))
        return None
    claimed = replace(wanted, state="executing")
    if not await moves.make(rooms, call, claimed):
        return None
    return replace(claimed, moves=call.moves + 1)


async def _performed(effect: Effect, call: ParkedCall, token: str, patience: Patience) -> Outcome:
    outcome = await _asked(effect, call, token, patience)
    if isinstance(outcome, Unknown) and call.effect != "blind":
        return await _resolved(effect, call, token, outcome, patience)
    return outcome


async def _asked(effect: Effect, call: ParkedCall, token: str, patience: Patience) -> Outcome:
    """One request, within its time. Whatever breaks after the claim leaves it unknown."""
    try:
        async with asyncio.timeout(patience.perform):
            return await effect.perform(call, token)
    except (TimeoutError, DeadlineExceeded):
        return Unknown(sentence=NO_ANSWER)
    # An effect may break in ways nobody thought of, and the request may have left before it did.
    except Exception as failure:
        log.exception("effect.broke", error=failure, call=call.id, tool=call.tool)
        return Unknown(sentence=NO_ANSWER)


async def _resolved(
    effect: Effect, call: ParkedCall, token: str, doubt: Unknown, patience: Patience
) -> Outcome:
    """What came of a keyed or checkable effect whose answer was lost: read back, and where that
    says nothing a keyed one is repeated with the same key."""
    for pause in patience.repeats:
        await asyncio.sleep(pause)
        outcome = await _read_back(effect, call, token, patience)
        if outcome is None and call.effect == "keyed":
            outcome = await _asked(effect, call, token, patience)
            # That a repetition was refused says nothing about the first request.
            if isinstance(outcome, Failed):
                return replace(doubt, request_id=outcome.request_id)
        if isinstance(outcome, Done | Failed):
            return outcome
    return doubt


async def _read_back(
    effect: Effect, call: ParkedCall, token: str, patience: Patience
) -> Outcome | None:
    try:
        async with asyncio.timeout(patience.perform):
            return await effect.reconcile(call, token)
    except TimeoutError:
        return None
    # Looking changes nothing: however it breaks, there is another look, or doubt in the end.
    except Exception as failure:
        log.exception("effect.unreadable", error=failure, call=call.id, tool=call.tool)
        return None


async def _finish(rooms: Rooms, call: ParkedCall, outcome: Outcome) -> None:
    """The outcome, its evidence, every card and what people are told, in one write."""
    match outcome:
        case Done():
            after = replace(
                call,
                state="done",
                outcome=outcome.summary,
                link=outcome.link,
                request_id=outcome.request_id,
            )
            await _end(rooms, call, after, outcome.evidence)
        case Failed():
            after = replace(
                call,
                state="failed",
                outcome=outcome.reason,
                request_id=outcome.request_id,
                can_try_again=outcome.can_try_again,
            )
            await _end(rooms, call, after, None, told=f"#{call.number} failed. {outcome.reason}")
        case Unknown():
            where = f" Look at {outcome.look_at} before you do anything." if outcome.look_at else ""
            sentence = f"{outcome.sentence}{where} I will not repeat it by myself."
            after = replace(call, state="unknown", outcome=sentence, request_id=outcome.request_id)
            await _end(rooms, call, after, None, told=f"#{call.number}: {sentence}")
        case NeedsAccount():
            await _ask_for_account(rooms, call, outcome.sentence)


async def _end(
    rooms: Rooms, call: ParkedCall, after: ParkedCall, structured: Json | None, *, told: str = ""
) -> None:
    posts = _told(call, told, name=after.state) if told else []
    kept = outcome_evidence(rooms, after, structured)
    await moves.make(rooms, call, after, kept=kept, told=posts)


async def _refuse(rooms: Rooms, call: ParkedCall, reason: str) -> None:
    """An approved call that is not carried out: nothing was asked for."""
    sentence = f"Nothing was sent: {reason}."
    after = replace(call, state="failed", outcome=sentence)
    await _end(rooms, call, after, None, told=f"#{call.number} was not carried out. {sentence}")


async def _ask_for_account(rooms: Rooms, call: ParkedCall, sentence: str) -> None:
    """Back to where it waits, for the account first and then for a new click."""
    told = _told(
        call,
        f"#{call.number} waits for your Microsoft account. {sentence} Connecting sends nothing:"
        " press Send again afterwards.",
        name=f"account{call.moves}",
        only_owner=True,
    )
    await moves.make(rooms, call, replace(_waiting(call), waits_for=sentence), told=told)


def _waiting(call: ParkedCall) -> ParkedCall:
    return replace(call, state="parked", agreed=(), decided_by=None, decided_at=None)


def _told(call: ParkedCall, sentence: str, *, name: str, only_owner: bool = False) -> list[Post]:
    people = [call.authority] if only_owner else [call.requester, call.decided_by]
    return [
        moves.private(call, person, sentence, name=name)
        for person in dict.fromkeys(people)
        if person is not None
    ]
