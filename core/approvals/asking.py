"""Talks to an effect: one request within its time, and looks at what came of it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from core.connectors.outcome import Done, Effect, Failed, Outcome, Unknown
from core.errors import DeadlineExceeded
from core.parked import ParkedCall
from core.telemetry import logs

NO_ANSWER = "I asked for this and did not hear back."
PERFORM = 8.0
"""Seconds that one request may take."""

GoesOn = Callable[[], bool]
"""Whether effects are switched on at this moment."""

log = logs.get(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Seconds."""

    perform: float = PERFORM
    token: float = 5.0
    repeats: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
    """The pauses before each look at what came of a keyed or checkable effect."""


async def performed(
    effect: Effect, call: ParkedCall, token: str, patience: Patience, goes_on: GoesOn
) -> Outcome:
    """Do it once; where the answer was lost and the effect allows it, find out what came of it."""
    outcome = await _asked(effect, call, token, patience)
    if isinstance(outcome, Unknown) and call.effect != "blind":
        return await resolved(effect, call, token, outcome, patience, goes_on)
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


async def resolved(
    effect: Effect,
    call: ParkedCall,
    token: str,
    doubt: Unknown,
    patience: Patience,
    goes_on: GoesOn,
) -> Outcome:
    """What came of a keyed or checkable effect whose answer was lost: read back, and where that
    says nothing a keyed one is repeated with the same key; in doubt as soon as it must not go on,
    because reading back may complete what had been begun."""
    for pause in patience.repeats:
        await asyncio.sleep(pause)
        if not goes_on():
            return doubt
        outcome = await _read_back(effect, call, token, patience)
        if outcome is None and call.effect == "keyed":
            outcome = await _asked(effect, call, token, patience)
            # What a repetition came to says nothing about the first request, unless it was done.
            if isinstance(outcome, Failed):
                if outcome.was_asked:
                    return replace(doubt, request_id=outcome.request_id)
                continue
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
