"""What a thread's next turn may know of a parked call that came to something."""

from core.approvals import drawing
from core.approvals.rooms import Rooms
from core.parked import ParkedCall
from core.records import Evidence, EvidenceId, Json


def outcome_evidence(rooms: Rooms, call: ParkedCall, structured: Json | None) -> Evidence:
    """The outcome as evidence of the turn that asked, under an id that no call of the loop has."""
    described = drawing.described(rooms, call)[0]
    lines = [f"#{call.number} {described.title}: {call.state}. {call.outcome}".strip()]
    lines += [f"{one.label}: {one.value}" for one in described.fields]
    return Evidence(
        id=EvidenceId(f"{call.id}.{call.state}"),
        turn=call.turn,
        thread=call.thread,
        person=call.requester,
        tool=call.tool,
        title=f"#{call.number} {described.title}: {call.state}",
        arguments=call.arguments,
        text="\n".join(lines),
        structured=structured,
        links=((f"#{call.number} {described.title}", call.link),) if call.link else (),
        is_error=call.state == "failed",
        made_at=rooms.clock(),
    )
