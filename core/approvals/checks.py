"""Whether a parked call may still be carried out: everything once more, at that moment."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.approvals.digest import is_intact
from core.approvals.rooms import Rooms, as_approver
from core.capabilities.arguments import validate
from core.errors import BadArguments, NotAllowed
from core.parked import Approval, ParkedCall
from core.policy import approvers
from core.policy.approvers import Approver
from core.policy.rules import CHANGED, may_call
from core.records import Person, PersonId, Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The world around a parked call as it is now."""

    tool: Tool
    accepted: Mapping[str, str]
    requester: Person


async def standing(rooms: Rooms, call: ParkedCall) -> Found:
    """The tool, unchanged since it was shown, and the person who asked. Raises NotAllowed."""
    found = await rooms.catalog.discover()
    tool = next((tool for tool in found.tools if tool.key == call.tool), None)
    if tool is None:
        raise NotAllowed(f"{call.tool} is not there at the moment")
    if tool.digest != call.tool_digest:
        raise NotAllowed(CHANGED)
    known = await rooms.people.known(call.requester)
    if known is None:
        raise NotAllowed("whoever asked for this has no say here any more")
    return Found(tool=tool, accepted=found.accepted, requester=known.person)


async def refusal(rooms: Rooms, call: ParkedCall, found: Found) -> str:
    """Why the approved call is not carried out; empty when it is."""
    rules, now = rooms.rules(), rooms.clock()
    if not is_intact(call):
        return "the row is not what was shown"
    try:
        validate(found.tool, call.arguments)
    except BadArguments as fault:
        return f"the tool no longer takes this: {fault}"
    if rule := may_call(
        found.tool,
        call.arguments,
        found.requester,
        call.place,
        call.question,
        rules,
        found.accepted,
        approvals=True,
    ):
        return f"it is no longer permitted: {rule}"
    asked = (
        approvers.approval_for(found.tool, call.arguments, found.requester, call.place, rules)
        or Approval()
    )
    # The rules of now decide who decides; what was agreed to keeps its place in time.
    current = replace(call, approval=asked)
    if not approvers.is_decided(current, await agreed(rooms, call), rules, now=now):
        return f"by the rules of now it needs {approvers.in_words(current, {}, now=now)}"
    return ""


async def agreed(rooms: Rooms, call: ParkedCall) -> list[Approver]:
    """Who has agreed, as they stand now; whoever has left counts no more."""
    people = [await rooms.people.known(PersonId(person)) for person in call.agreed]
    return [as_approver(known) for known in people if known is not None]
