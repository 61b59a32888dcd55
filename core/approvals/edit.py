"""Makes the next revision of a parked call from what a person typed into its form."""

from collections.abc import Mapping
from dataclasses import replace

from core.approvals import drawing, form, park
from core.approvals.checks import Found, standing
from core.approvals.digest import canonical
from core.approvals.rooms import Rooms
from core.capabilities.arguments import validate
from core.errors import BadArguments, NotAllowed
from core.parked import Approval, Form, ParkedCall
from core.policy import approvers
from core.policy.rules import may_call, version
from core.records import PersonId


class Stuck(NotAllowed):
    """By four eyes nobody could approve it any more."""


async def form_of(rooms: Rooms, call: ParkedCall, title: str) -> Form:
    """Raises NotAllowed when the tool is no longer the one that was shown."""
    found = await standing(rooms, call)
    return form.form(call, found.tool, title)


async def revised(
    rooms: Rooms, call: ParkedCall, values: Mapping[str, object], by: PersonId
) -> ParkedCall:
    """Revision n+1: validated by the tool's own schema, held against policy again, with a digest
    of its own, agreed to by nobody.

    Raises BadArguments, NotAllowed or NeedsAccount with a sentence for the person; then nothing
    changes.
    """
    found = await standing(rooms, call)
    arguments = canonical(form.read(call, found.tool, values))
    if arguments == call.arguments and _same_types(arguments, call.arguments):
        raise BadArguments("nothing was changed")
    validate(found.tool, arguments)
    approval = _permitted(rooms, replace(call, arguments=arguments), found)
    now = rooms.clock()
    after = replace(
        call,
        revision=call.revision + 1,
        arguments=arguments,
        approval=approval,
        policy_version=version(rooms.rules()),
        edited_by=by,
        agreed=(),
        expires_at=now + approval.seconds,
    )
    if approvers.is_stuck(after, rooms.rules()) and not approvers.is_stuck(call, rooms.rules()):
        seen = await drawing.view(rooms, after)
        who = approvers.in_words(after, seen.names, now=now)
        raise Stuck(
            f"by four eyes whoever edits it cannot approve it, and nobody else could: {who}"
            " decides. Let whoever asked for it edit it, or cancel it"
        )
    return await park.prepared(rooms, after, found.tool)


def _permitted(rooms: Rooms, call: ParkedCall, found: Found) -> Approval:
    """Who decides about the edited call. Raises NotAllowed when policy refuses it."""
    rules = rooms.rules()
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
        raise NotAllowed(f"this is not permitted: {rule}")
    # Once parked it waits for a person, also where an edit took the reason away.
    return approvers.approval_for(
        found.tool, call.arguments, found.requester, call.place, rules
    ) or Approval(reason="it was parked before it was edited")


def _same_types(one: object, other: object) -> bool:
    """1 and true are equal to Python, and 10 and 10.0: to a tool they may not be."""
    return repr(one) == repr(other)
