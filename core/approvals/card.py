"""Derives the card from the row: all that will happen, nothing hidden, and what may be pressed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.approvals import addresses
from core.approvals.visible import visible
from core.cards import Button, Card, CardField
from core.connectors.outcome import Description
from core.parked import ParkedCall
from core.policy import approvers
from core.policy.rules import Rules
from core.times import local

LONGEST = 2_800
"""Characters of all fields together, a line break counted as 40: what a person can take in, and
what fits into one message of every chat. More has to be opened first."""
MOST_FIELDS = 30
CHANGED = "changed"
LEFT_OUT = "(left out)"
NO_MODEL = "Carried out without a model: $0 model cost."
EMPTY = "(empty)"

_QUESTION, _SOURCE, _SOURCES = 600, 150, 8
_LINE = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a card needs beside the row."""

    rules: Rules
    now: float
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """Person id → how people call them."""
    time_zone: str = "UTC"


def card(
    call: ParkedCall,
    described: Description,
    proposed: Description,
    view: View,
    *,
    is_opened: bool = False,
) -> Card:
    """The card of a call. `described` is the effect as it will run, `proposed` as the model asked
    for it; `is_opened`: as somebody sees it who has opened a long one."""
    fields = _seen(described, proposed, view)
    is_long = _is_long(fields)
    return Card(
        call=call.id,
        number=call.number,
        revision=call.revision,
        state=call.state,
        title=visible(described.title).text,
        fields=fields,
        notices=_notices(call, described, view, is_long=is_long and not is_opened),
        buttons=_buttons(call, view, is_closed=is_long and not is_opened),
        is_reconnected=call.was_connected,
        status=_status(call, view),
        link=call.link,
        question=visible(_cut(call.question, _QUESTION)).text,
        sources=tuple(visible(_cut(title, _SOURCE)).text for title in call.sources[:_SOURCES]),
        expires_at=call.expires_at,
        approvers=approvers.in_words(call, _names(call, view), now=view.now),
    )


def is_too_long(described: Description, proposed: Description, view: View) -> bool:
    """Whether the card has to be opened before anybody may send."""
    return _is_long(_seen(described, proposed, view))


def in_words(card: Card) -> str:
    """The card for where no card can be shown: a notification, a surface that refuses it."""
    head = f"#{card.number} {card.title}"
    state = card.status or f"waits for {card.approvers}"
    lines = [f"{one.label}: {_cut(one.value, 300)}" for one in card.fields[:12]]
    return "\n".join([f"{head}: {state}", *lines])


def name_of(person: str, view: View) -> str:
    return view.names.get(person) or person.rpartition("/")[2]


def at(moment: float, view: View) -> str:
    """`10:42`, with the day where it is another one than today, and the zone where it is UTC."""
    there = local(moment, view.time_zone)
    is_today = there.date() == local(view.now, view.time_zone).date()
    day = "" if is_today else f"{there:%d %b} "
    return f"{day}{there:%H:%M}{' UTC' if there.tzname() == 'UTC' else ''}"


def _seen(described: Description, proposed: Description, view: View) -> tuple[CardField, ...]:
    fields = _fields(described, view)
    if proposed is described:
        return tuple(fields)
    return _compared(fields, _fields(proposed, view))


def _fields(described: Description, view: View) -> list[CardField]:
    """Each field as it is shown; a label that is there already gets a number."""
    fields: list[CardField] = []
    for one in (_shown(each, view) for each in described.fields):
        times = sum(other.label.partition(" (")[0] == one.label for other in fields)
        fields.append(replace(one, label=f"{one.label} ({times + 1})") if times else one)
    return fields


def _shown(one: CardField, view: View) -> CardField:
    """The field with everything in it visible, and its addresses marked."""
    shown = visible(one.value)
    found = [*one.marks, *shown.marks]
    text = shown.text
    if not one.is_long:
        for address in addresses.addresses(one.value):
            found += addresses.marks(address, view.rules.domains)
            # Spelled out beside it, unless what it was made of has been spelled out already.
            text = text.replace(address, addresses.spelled_out(address))
    is_long = one.is_long or len(text) > 300 or text.count("\n") > 2
    return CardField(
        label=visible(one.label).text,
        value=text or EMPTY,
        marks=tuple(dict.fromkeys(found)),
        is_long=is_long,
    )


def _compared(now: Sequence[CardField], before: Sequence[CardField]) -> tuple[CardField, ...]:
    """The fields with what was proposed beside each that an edit changed, and with those that an
    edit took away."""
    was = {one.label: one for one in before}
    compared = [
        replace(one, before=old.value if old else LEFT_OUT, marks=(*one.marks, CHANGED))
        if (old := was.get(one.label)) is None or old.value != one.value
        else one
        for one in now
    ]
    labels = {one.label for one in now}
    gone = [
        CardField(
            label=one.label, value=LEFT_OUT, before=one.value, marks=(CHANGED,), is_long=one.is_long
        )
        for one in before
        if one.label not in labels
    ]
    return (*compared, *gone)


def _is_long(fields: Sequence[CardField]) -> bool:
    size = sum(
        len(text) + _LINE * text.count("\n") + len(one.label)
        for one in fields
        for text in (one.value, one.before or "")
    )
    return size > LONGEST or len(fields) > MOST_FIELDS


def _buttons(call: ParkedCall, view: View, *, is_closed: bool) -> tuple[Button, ...]:
    match call.state:
        case "parked" if not view.rules.has_effects:
            return ("edit", "cancel")
        case "parked":
            first: Button = "connect" if call.waits_for else "open" if is_closed else "send"
            return (first, "edit", "cancel")
        case "failed" if call.can_try_again:
            return ("again",)
        case "unknown":
            return ("was_sent", "again")
        case _:
            return ()


def _notices(
    call: ParkedCall, described: Description, view: View, *, is_long: bool
) -> tuple[str, ...]:
    if call.state != "parked":
        told = [visible(one).text for one in described.notices]
        return (*told, NO_MODEL) if call.state == "done" else tuple(told)
    notices = [visible(one).text for one in described.notices]
    if call.edited_by:
        notices.append(f"Edited by {name_of(call.edited_by, view)}: agree to it as it stands now.")
    if call.agreed:
        names = ", ".join(name_of(person, view) for person in call.agreed)
        notices.append(f"Agreed so far: {names}.")
    if call.approval.is_asker_barred:
        notices.append("Four eyes: whoever asked for it or edited it cannot approve it.")
    if call.effect == "blind":
        notices.append("Cannot be verified afterwards: if no answer comes, nobody knows.")
    if call.effect == "checkable":
        notices.append("Can be verified afterwards: if no answer comes, it is looked up.")
    if call.waits_for:
        notices.append(visible(call.waits_for).text)
    if not view.rules.has_effects:
        notices.append("An admin has switched all effects off: nothing can be sent now.")
    if is_long:
        notices.append("Longer than a card: open it to read all of it, then send.")
    return tuple(notices)


def _status(call: ParkedCall, view: View) -> str:
    who = name_of(call.decided_by, view) if call.decided_by else ""
    when = at(call.decided_at, view) if call.decided_at is not None else ""
    decided = f"{who}, {when}" if who and when else ""
    said = visible(call.outcome).text
    match call.state:
        case "parked":
            return ""
        case "approved" | "executing":
            return f"Agreed by {decided}; it is being carried out…"
        case "done":
            return f"{said} ({decided})"
        case "failed":
            return f"Not carried out. {said}"
        case "unknown":
            return said
        case "cancelled":
            return f"Cancelled by {decided}" + (f": {said}" if said else "")
        case "expired":
            return f"Expired: nobody decided in time. Nothing was sent.{f' {said}' if said else ''}"
        case "void":
            return said or "Taken back. Nothing was sent."


def _names(call: ParkedCall, view: View) -> Mapping[str, str]:
    return {call.requester: name_of(call.requester, view), **view.names}


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 2].rstrip() + " …"
