"""Looks after parked calls that nobody clicks: they expire, remind, escalate, are taken back."""

from dataclasses import replace

from core.approvals import checks, drawing, moves, park
from core.approvals.card import at
from core.approvals.rooms import Rooms
from core.errors import BadArguments, NeedsAccount, NotAllowed
from core.parked import ParkedCall
from core.policy import approvers
from core.policy.rules import Rules, may_call, version
from core.records import PersonId, Post, TurnId
from core.storage import outbox, parked

TAKEN_BACK = "The question was taken back. Nothing was sent."
REMIND = 3_600.0
"""Seconds before expiry; only of calls that were parked for longer than that."""


async def sweep(rooms: Rooms) -> None:
    """Expire what nobody decided, remind of what is about to, ask the deputies whose time has
    come. Repeating it does nothing twice."""
    now = rooms.clock()
    for call in await parked.past_expiry(rooms.db, now):
        sentence = f"#{call.number} has expired: nobody decided in time. Nothing was sent."
        told = moves.private(call, call.requester, sentence, name="expired")
        await moves.make(rooms, call, replace(call, state="expired"), told=(told,))
    for call in await parked.to_remind(rooms.db, now, REMIND):
        await _remind(rooms, call)
    for call in await parked.not_escalated(rooms.db):
        if now >= call.parked_at + call.approval.escalate_after:
            await _escalate(rooms, call)


async def void_of_turn(rooms: Rooms, turn: TurnId, because: str = TAKEN_BACK) -> int:
    """Nothing of this turn is carried out any more. How many calls that concerned; what is being
    carried out already is not among them."""
    count = 0
    for call in await parked.of_turn(rooms.db, turn):
        if call.state in ("parked", "approved"):
            after = replace(call, state="void", outcome=because)
            count += await moves.make(rooms, call, after)
    return count


async def recheck(rooms: Rooms) -> int:
    """The rules have changed: what nobody may ask for any more is void, what others have to
    approve now is shown to them. A switch, which somebody may take back, voids nothing; it counts
    when a call is to be carried out. How many calls were void."""
    rules = rooms.rules()
    now = version(rules)
    lasting = replace(rules, rules=tuple(rule for rule in rules.rules if not rule.origin))
    count = 0
    for call in await parked.undecided(rooms.db):
        if call.state != "parked" or call.policy_version == now:
            continue
        try:
            found = await checks.standing(rooms, call)
        except NotAllowed:
            # It may come back; nothing is carried out before it does.
            continue
        who = (found.requester, call.place)
        if rule := may_call(
            found.tool, call.arguments, *who, call.question, lasting, found.accepted, approvals=True
        ):
            sentence = f"The policy does not permit this any more: {rule}. Nothing was sent."
            told = moves.private(call, call.requester, f"#{call.number}: {sentence}", name="void")
            after = replace(call, state="void", outcome=sentence)
            count += await moves.make(rooms, call, after, told=(told,))
        else:
            await _reapprove(rooms, call, found, lasting)
    return count


async def _reapprove(rooms: Rooms, call: ParkedCall, found: checks.Found, rules: Rules) -> None:
    """Let those decide whom the rules of now name."""
    asked = approvers.approval_for(found.tool, call.arguments, found.requester, call.place, rules)
    if asked is None or replace(asked, reason="") == replace(call.approval, reason=""):
        return
    after = replace(call, approval=asked, policy_version=version(rooms.rules()))
    copies = moves.personal_copies(after, await drawing.view(rooms, after))
    await moves.make(rooms, call, after, new_copies=copies)


async def redraw(rooms: Rooms) -> None:
    """Draw the cards of all that waits anew: something changed that each of them says."""
    for call in await parked.undecided(rooms.db):
        if call.state == "parked":
            await moves.make(rooms, call, call)


async def connected(rooms: Rooms, person: PersonId) -> int:
    """This person has connected an account, or granted more: what waited for that waits for a
    decision now. Nothing is sent. How many calls that concerned."""
    known = await rooms.people.known(person)
    ids = sorted({person, *(known.ids if known else ())})
    count = 0
    for call in await parked.unconnected(rooms.db, [PersonId(id) for id in ids]):
        try:
            found = await checks.standing(rooms, call)
            after = await park.prepared(rooms, replace(call, claims=""), found.tool)
        except (NotAllowed, BadArguments, NeedsAccount):
            # It stays as it is; whoever presses a button is told why.
            continue
        if after == call:
            continue
        if after.facts != call.facts:
            # Another sender, another signature: what was agreed to is not what would be sent.
            after = replace(after, revision=call.revision + 1, agreed=())
            after = await park.prepared(rooms, after, found.tool)
        seen = await drawing.view(rooms, after)
        copies = moves.personal_copies(after, seen)
        count += await moves.make(rooms, call, after, new_copies=copies)
    return count


async def _remind(rooms: Rooms, call: ParkedCall) -> None:
    seen = await drawing.view(rooms, call)
    shown = drawing.drawn(rooms, call, seen)
    when = at(call.expires_at, seen)
    people = [call.requester, *approvers.named(call, rooms.rules(), now=seen.now)]
    posts = [
        moves.private(
            call,
            person,
            f"#{call.number} ({shown.title}) still waits for {shown.approvers} and expires at"
            f" {when}.",
            name="reminder",
        )
        for person in people
    ]
    async with rooms.db.transaction() as tx:
        if await parked.mark_reminded(tx, call.id, now=seen.now):
            for post in posts:
                await outbox.put(tx, post)
    await _ring(rooms, posts)


async def _escalate(rooms: Rooms, call: ParkedCall) -> None:
    seen = await drawing.view(rooms, call)
    shown = drawing.drawn(rooms, call, seen)
    copies = moves.personal_copies(call, seen)
    async with rooms.db.transaction() as tx:
        if await parked.mark_escalated(tx, call.id, now=seen.now):
            for copy in copies:
                await moves.show_first(tx, call, copy, shown)
    for surface in {copy.surface for copy in copies}:
        await rooms.db.notify(outbox.channel(surface))


async def _ring(rooms: Rooms, posts: list[Post]) -> None:
    for surface in {post.surface for post in posts}:
        await rooms.db.notify(outbox.channel(surface))
