"""The desk: what people may do with a parked call, each a move that is committed before it is
answered."""

from dataclasses import replace

from core.approvals import checks, drawing, edit, moves, states
from core.approvals.again import prepare_again
from core.approvals.card import name_of
from core.approvals.rooms import Known, Rooms, as_approver
from core.approvals.testimony import outcome_evidence
from core.cards import Card
from core.errors import BadArguments, NeedsAccount, NotAllowed
from core.parked import Click, Form, ParkedCall, Verdict
from core.policy import approvers
from core.policy.rules import version
from core.records import PersonId
from core.storage import outbox, parked
from core.storage.decisions import Decision

SHOWN = 10
"""Cards that are shown at once to somebody who asks what waits; the oldest."""
_TRIES = 8
"""How often a decision is made anew because somebody else's came between."""


class Desk:
    """`core.ports.Desk`."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    async def decide(self, click: Click) -> Verdict:
        """See `core.ports.Desk.decide`."""
        for _ in range(_TRIES):
            call = await parked.read(self._rooms.db, click.call)
            known = await self._rooms.people.known(click.person)
            if call is None or known is None:
                return _not_yours("There is no such card for you.")
            verdict = await self._decided(call, click, known)
            if verdict is not None:
                return verdict
        return Verdict(kind="refused", sentence="Others decided at the same moment. Look again.")

    async def form(self, click: Click) -> Form | Verdict:
        """See `core.ports.Desk.form`."""
        call, known = await self._asked(click)
        if call is None or known is None or not self._may_change(call, known):
            return _not_yours("You cannot edit this.")
        if verdict := await self._closed(call, click):
            return verdict
        title = drawing.described(self._rooms, call)[0].title
        try:
            return await edit.form_of(self._rooms, call, title)
        except NotAllowed as refusal:
            return Verdict(kind="refused", sentence=f"It cannot be edited: {refusal}.")

    async def full(self, click: Click) -> Card | Verdict:
        """See `core.ports.Desk.full`."""
        call, known = await self._asked(click)
        if call is None or known is None or not self._may_change(call, known):
            return _not_yours("Only those who asked for it or decide about it can open it.")
        if call.revision != click.revision:
            return _stale(call)
        seen = await drawing.view(self._rooms, call)
        if call.state == "parked":
            await parked.mark_read(self._rooms.db, call, click.person, now=seen.now)
        return drawing.drawn(self._rooms, call, seen, is_opened=True)

    async def waiting(self, person: PersonId) -> list[Card]:
        """See `core.ports.Desk.waiting`."""
        calls = await self._waiting(person)
        return [
            drawing.drawn(self._rooms, call, await drawing.view(self._rooms, call))
            for call in calls
        ]

    async def show(self, person: PersonId, asked: str) -> str:
        """See `core.ports.Desk.show`."""
        calls = await self._waiting(person)
        for call in calls[:SHOWN]:
            await moves.show_again(self._rooms, call, moves.asked_copy(call, person, asked))
        if not calls:
            return "Nothing waits for you."
        told = f"{len(calls)} {'call waits' if len(calls) == 1 else 'calls wait'}."
        if len(calls) <= SHOWN:
            return f"{told} The cards are in our direct messages."
        return f"{told} The oldest {SHOWN} cards are in our direct messages; decide some first."

    async def _waiting(self, person: PersonId) -> list[ParkedCall]:
        known = await self._rooms.people.known(person)
        if known is None:
            return []
        who, rules, now = as_approver(known), self._rooms.rules(), self._rooms.clock()
        return [
            call
            for call in await parked.undecided(self._rooms.db)
            if approvers.may_decide(call, who, rules, now=now)
            or call.requester in who.ids
            or call.authority in who.ids
        ]

    async def _asked(self, click: Click) -> tuple[ParkedCall | None, Known | None]:
        call = await parked.read(self._rooms.db, click.call)
        return call, await self._rooms.people.known(click.person)

    def _may_change(self, call: ParkedCall, known: Known) -> bool:
        rules, now = self._rooms.rules(), self._rooms.clock()
        return approvers.may_change(call, as_approver(known), rules, now=now)

    async def _decided(self, call: ParkedCall, click: Click, known: Known) -> Verdict | None:
        """The verdict; None when somebody else's move came between."""
        if click.is_edit or click.button == "edit":
            return await self._edit(call, click, known)
        match click.button:
            case "send":
                return await self._send(call, click, known)
            case "cancel":
                return await self._cancel(call, click, known)
            case "connect":
                return await self._connect(call, click, known)
            case "was_sent":
                return await self._was_sent(call, click, known)
            case "again":
                return await self._again(call, click, known)
            case "open":
                if not self._may_change(call, known):
                    return await self._not_an_approver(call, as_approver(known))
                return Verdict(kind="refused", sentence="Open the card to read all of it.")

    async def _send(self, call: ParkedCall, click: Click, known: Known) -> Verdict | None:
        rooms, who, now = self._rooms, as_approver(known), self._rooms.clock()
        if not approvers.may_decide(call, who, rooms.rules(), now=now):
            return await self._not_an_approver(call, who)
        if verdict := await self._closed(call, click):
            return verdict
        if any(who.ids & one.ids for one in await checks.agreed(rooms, call)):
            return Verdict(kind="already", sentence="You have agreed already; others have to too.")
        if verdict := await self._not_yet(call, click, known):
            return verdict
        after = replace(call, agreed=(*call.agreed, click.person))
        people = [*await checks.agreed(rooms, call), who]
        is_last = approvers.is_decided(after, people, rooms.rules(), now=now)
        if is_last:
            after = replace(after, state="approved", decided_by=click.person, decided_at=now)
        decision = self._decision(click, "approved" if is_last else "agreed")
        if not await moves.make(rooms, call, after, decision=decision):
            return None
        return Verdict(
            kind="recorded",
            sentence="Recorded. It is being carried out now."
            if is_last
            else "Recorded. Others have to agree as well before anything happens.",
        )

    async def _not_yet(self, call: ParkedCall, click: Click, known: Known) -> Verdict | None:
        """What has to happen before this approver can send."""
        if not self._rooms.rules().has_effects:
            sentence = "An admin has switched all effects off. The card stays as it is."
            return Verdict(kind="refused", sentence=sentence)
        if call.waits_for:
            return await self._connect(call, click, known)
        seen = await drawing.view(self._rooms, call)
        if drawing.has_to_be_opened(self._rooms, call, seen) and not await parked.has_read(
            self._rooms.db, call, click.person
        ):
            sentence = "This is longer than a card. Open it and read all of it first."
            return Verdict(kind="refused", sentence=sentence)
        return None

    async def _edit(self, call: ParkedCall, click: Click, known: Known) -> Verdict | None:
        if not self._may_change(call, known):
            return _not_yours("You cannot edit this.")
        if verdict := await self._closed(call, click):
            return verdict
        try:
            after = await edit.revised(self._rooms, call, click.values, click.person)
        except NeedsAccount as missing:
            return await self._sign_in(call, click, known, missing)
        except edit.Stuck as refusal:
            await self._tell_of_dead_end(call, click)
            return Verdict(kind="refused", sentence=f"Not changed: {refusal}.")
        except (BadArguments, NotAllowed) as refusal:
            return Verdict(kind="refused", sentence=f"Not changed: {refusal}.")
        decision = self._decision(click, "edited")
        if not await moves.make(self._rooms, call, after, decision=decision):
            return None
        sentence = f"Changed. This is revision {after.revision} now; nobody has agreed to it yet."
        return Verdict(kind="recorded", sentence=sentence)

    async def _cancel(self, call: ParkedCall, click: Click, known: Known) -> Verdict | None:
        if not self._may_change(call, known):
            return await self._not_an_approver(call, as_approver(known))
        if verdict := await self._closed(call, click):
            return verdict
        after = replace(
            call,
            state="cancelled",
            decided_by=click.person,
            decided_at=self._rooms.clock(),
            outcome=click.reason.strip()[:500],
        )
        seen = await drawing.view(self._rooms, after)
        who = name_of(click.person, seen)
        said = f": {after.outcome}" if after.outcome else "."
        told = moves.private(
            call, call.requester, f"{who} cancelled #{call.number}{said}", name="cancelled"
        )
        is_own = click.person == call.requester
        decision = self._decision(click, "cancelled")
        if not await moves.make(
            self._rooms, call, after, decision=decision, told=() if is_own else (told,)
        ):
            return None
        return Verdict(kind="recorded", sentence="Cancelled. Nothing was sent.")

    async def _connect(self, call: ParkedCall, click: Click, known: Known) -> Verdict:
        """The link for the account, for the person whose account it is and nobody else."""
        if call.authority not in as_approver(known).ids:
            return Verdict(kind="not_yours", sentence=call.waits_for or "It is not your account.")
        if call.state != "parked" or not call.waits_for:
            return Verdict(kind="already", sentence="Nothing has to be connected for this.")
        if self._rooms.accounts is None:
            return Verdict(kind="refused", sentence=call.waits_for)
        effect = self._rooms.effects.get(call.tool)
        scopes = effect.scopes(call.effect) if effect else ()
        return await self._rooms.accounts.offer(
            click.person, scopes, click.address, claims=call.claims
        )

    async def _sign_in(
        self, call: ParkedCall, click: Click, known: Known, missing: NeedsAccount
    ) -> Verdict:
        """What is shown on the card cannot be looked up without the account: a link for the person
        whose account it is."""
        is_theirs = call.authority in as_approver(known).ids
        if not is_theirs or missing.kind == "unavailable" or self._rooms.accounts is None:
            return Verdict(kind="refused", sentence=f"Not changed. {missing}")
        return await self._rooms.accounts.offer(
            click.person, missing.scopes, click.address, claims=missing.claims
        )

    async def _tell_of_dead_end(self, call: ParkedCall, click: Click) -> None:
        """Whoever asked learns that the approver wants something changed and cannot change it."""
        rooms = self._rooms
        seen = await drawing.view(rooms, call)
        told = moves.private(
            call,
            call.requester,
            f"{name_of(click.person, seen)} wanted to change #{call.number} before agreeing to it."
            " By four eyes nobody could have approved it then, so nothing changed. Ask what should"
            " be different and edit it yourself, or cancel it.",
            name=f"dead_end{call.revision}",
        )
        if await outbox.put(rooms.db, told):
            await rooms.db.notify(outbox.channel(told.surface))

    async def _was_sent(self, call: ParkedCall, click: Click, known: Known) -> Verdict | None:
        if verdict := await self._not_after(call, click, known, "unknown"):
            return verdict
        seen = await drawing.view(self._rooms, replace(call, decided_by=click.person))
        after = replace(
            call, state="done", outcome=f"{name_of(click.person, seen)} says that it was sent."
        )
        kept = outcome_evidence(self._rooms, after, None)
        decision = self._decision(click, "said_sent")
        if not await moves.make(self._rooms, call, after, decision=decision, kept=kept):
            return None
        return Verdict(kind="recorded", sentence="Recorded as sent.")

    async def _again(self, call: ParkedCall, click: Click, known: Known) -> Verdict | None:
        if verdict := await self._not_after(call, click, known, "failed", "unknown"):
            return verdict
        if call.state == "failed" and not call.can_try_again:
            return Verdict(kind="refused", sentence="Trying again would fail the same way.")
        decision = self._decision(click, "prepared_again")
        try:
            number = await prepare_again(self._rooms, call, decision)
        except NeedsAccount as missing:
            return await self._sign_in(call, click, known, missing)
        except (BadArguments, NotAllowed) as refusal:
            return Verdict(kind="refused", sentence=f"It cannot be prepared again: {refusal}.")
        if number is None:
            return None
        sentence = f"Prepared again as #{number}. Nothing is sent before somebody agrees to it."
        return Verdict(kind="recorded", sentence=sentence)

    async def _not_after(
        self, call: ParkedCall, click: Click, known: Known, *wanted: str
    ) -> Verdict | None:
        """Why this person cannot say what is to be done after an outcome like that."""
        if not self._may_change(call, known):
            return await self._not_an_approver(call, as_approver(known))
        if call.state not in wanted:
            return await self._as_it_stands(call)
        return _stale(call) if call.revision != click.revision else None

    async def _closed(self, call: ParkedCall, click: Click) -> Verdict | None:
        """Why nothing can be decided about this row by this click."""
        if call.state != "parked":
            return await self._as_it_stands(call)
        if self._rooms.clock() >= call.expires_at:
            await moves.make(self._rooms, call, replace(call, state="expired"))
            return Verdict(kind="expired", sentence="This has expired; nothing was sent.")
        return _stale(call) if call.revision != click.revision else None

    async def _as_it_stands(self, call: ParkedCall) -> Verdict:
        shown = drawing.drawn(self._rooms, call, await drawing.view(self._rooms, call))
        kind = "expired" if call.state == "expired" else "already"
        ended = "" if call.state in states.ENDED else " It cannot be decided again."
        return Verdict(kind=kind, sentence=f"Nothing changed. {shown.status}{ended}")

    async def _not_an_approver(self, call: ParkedCall, who: approvers.Approver) -> Verdict:
        if approvers.is_barred(call, who):
            return _not_yours("Four eyes: whoever asked for it or edited it cannot approve it.")
        seen = await drawing.view(self._rooms, call)
        shown = drawing.drawn(self._rooms, call, seen)
        return _not_yours(f"Nothing changed: {shown.approvers} decides about this.")

    def _decision(self, click: Click, verdict: str) -> Decision:
        return Decision(
            person=click.person,
            button="edit" if click.is_edit else click.button,
            verdict=verdict,
            policy_version=version(self._rooms.rules()),
            reason=click.reason.strip()[:500],
            delivery=click.delivery,
            at=self._rooms.clock(),
        )


def _not_yours(sentence: str) -> Verdict:
    return Verdict(kind="not_yours", sentence=sentence)


def _stale(call: ParkedCall) -> Verdict:
    sentence = f"This card is older than revision {call.revision} of #{call.number}. Look again."
    return Verdict(kind="stale", sentence=sentence)
