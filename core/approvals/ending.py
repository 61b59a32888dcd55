"""Writes down what an approved call came to: the row, its evidence, what people are told."""

from dataclasses import replace

from core.approvals import moves
from core.approvals.rooms import Rooms
from core.approvals.testimony import outcome_evidence
from core.connectors.outcome import Done, Failed, NeedsAccount, Outcome, Unknown
from core.parked import ParkedCall
from core.records import Json, Post


async def finish(rooms: Rooms, call: ParkedCall, outcome: Outcome) -> None:
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
            await ask_for_account(rooms, call, outcome)


async def _end(
    rooms: Rooms, call: ParkedCall, after: ParkedCall, structured: Json | None, *, told: str = ""
) -> None:
    posts = _told(call, told, name=after.state) if told else []
    kept = outcome_evidence(rooms, after, structured)
    await moves.make(rooms, call, after, kept=kept, told=posts)


async def refuse(rooms: Rooms, call: ParkedCall, reason: str) -> None:
    """An approved call that is not carried out: nothing was asked for."""
    sentence = f"Nothing was sent: {reason}."
    after = replace(call, state="failed", outcome=sentence)
    await _end(rooms, call, after, None, told=f"#{call.number} was not carried out. {sentence}")


async def ask_for_account(rooms: Rooms, call: ParkedCall, needs: NeedsAccount) -> None:
    """Back to where it waits, for the account first and then for a new click."""
    told = _told(
        call,
        f"#{call.number} waits for your Microsoft account. {needs.sentence} Connecting sends"
        " nothing: press Send again afterwards.",
        name=f"account{call.moves}",
        only_owner=True,
    )
    after = replace(
        waiting(call),
        waits_for=needs.sentence,
        was_connected=needs.kind != "not_linked",
        claims=needs.claims,
    )
    await moves.make(rooms, call, after, told=told)


def waiting(call: ParkedCall) -> ParkedCall:
    return replace(call, state="parked", agreed=(), decided_by=None, decided_at=None)


def _told(call: ParkedCall, sentence: str, *, name: str, only_owner: bool = False) -> list[Post]:
    people = [call.authority] if only_owner else [call.requester, call.decided_by]
    return [
        moves.private(call, person, sentence, name=name)
        for person in dict.fromkeys(people)
        if person is not None
    ]
