"""Who may decide about a parked call, and when enough have."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.parked import Approval, ParkedCall
from core.policy.rules import Rules, asking
from core.policy.tags import REQUIRES_APPROVAL
from core.records import Json, Person, PersonId, Place, Tool

ASKER = "asker"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approver:
    """One human who clicked, as the rules see them."""

    ids: frozenset[str]
    """Every id under which they are known: one on each surface, the verified Entra id."""
    groups: frozenset[str] = frozenset()


def approval_for(
    tool: Tool, arguments: Json, person: Person, place: Place, rules: Rules
) -> Approval | None:
    """Who decides about this call; None where it needs no approval."""
    asked: list[Approval] = []
    if REQUIRES_APPROVAL in tool.tags:
        asked.append(Approval(reason=f"the tool is tagged {REQUIRES_APPROVAL}"))
    asked += [
        replace(rule.approval or Approval(), reason=str(rule))
        for rule in asking(tool, arguments, person, place, rules)
    ]
    return strictest(asked) if asked else None


def strictest(asked: Sequence[Approval]) -> Approval:
    """All of them at once: whoever any of them names has to agree, the shortest time counts.

    The asker's own click is what is left when no other is named. Deputies stand in where one set
    of approvers decides alone; between several, nobody is anybody's deputy.
    """
    others = _narrowest({approval.by for approval in asked if approval.by != (ASKER,)})
    by = others[0] if others else (ASKER,)
    leading = [approval for approval in asked if approval.by == by]
    is_alone = len(others) < 2 and len({approval.deputy for approval in leading}) == 1
    return Approval(
        by=by,
        also=others[1:],
        is_asker_barred=any(approval.is_asker_barred for approval in asked),
        needed=max(approval.needed for approval in asked),
        seconds=min(approval.seconds for approval in asked),
        deputy=leading[0].deputy if is_alone else (),
        escalate_after=max(approval.escalate_after for approval in leading) if is_alone else 0.0,
        account=next((approval.account for approval in asked if approval.account), ""),
        reason="; ".join(dict.fromkeys(approval.reason for approval in asked)),
    )


def may_decide(call: ParkedCall, who: Approver, rules: Rules, *, now: float) -> bool:
    """Whether this human's agreement counts for the call as it stands."""
    return not is_barred(call, who) and any(
        _is_one_of(words, who, call, rules) for words in _sets(call, now=now)
    )


def may_change(call: ParkedCall, who: Approver, rules: Rules, *, now: float) -> bool:
    """Whether they may edit or cancel it: who asked, whose account it is, who decides."""
    return bool(who.ids & {call.requester, call.authority}) or any(
        _is_one_of(words, who, call, rules) for words in _sets(call, now=now)
    )


def is_barred(call: ParkedCall, who: Approver) -> bool:
    """Four eyes: whoever asked for it or wrote it anew is not the one who approves it."""
    authors = {call.requester, call.edited_by or call.requester}
    return call.approval.is_asker_barred and bool(who.ids & authors)


def is_decided(call: ParkedCall, agreed: Iterable[Approver], rules: Rules, *, now: float) -> bool:
    """Whether these different humans are enough."""
    counted = [who for who in agreed if not is_barred(call, who)]
    return all(
        sum(_is_one_of(words, who, call, rules) for who in counted) >= call.approval.needed
        for words in _sets(call, now=now)
    )


def named(call: ParkedCall, rules: Rules, *, now: float) -> tuple[PersonId, ...]:
    """Everybody that can be listed: persons, and the groups whose members the policy names. Not
    who asked: they have the card in the thread."""
    words = [word for words in _sets(call, now=now) for word in words]
    for word in list(words):
        words += rules.groups.get(word.removeprefix("group:"), ()) if "group:" in word else ()
    names = [word.removeprefix("person:") for word in words if word.startswith("person:")]
    found = dict.fromkeys(person_id(name, call.place) for name in names)
    return tuple(id for id in found if id and id != call.requester)


def can_be_listed(call: ParkedCall, rules: Rules, *, now: float) -> bool:
    """Whether `named` and the asker are all who could ever decide."""
    return all(
        not word.startswith("group:") or word.removeprefix("group:") in rules.groups
        for words in _sets(call, now=now)
        for word in words
    )


def is_stuck(call: ParkedCall, rules: Rules) -> bool:
    """Whether four eyes leave too few: of those who could ever decide, deputies among them, too
    many asked for it or wrote it anew. False where they cannot all be listed."""
    ever = float("inf")
    if not call.approval.is_asker_barred or not can_be_listed(call, rules, now=ever):
        return False
    authors = {call.requester, call.edited_by or call.requester}
    for words in _sets(call, now=ever):
        members = [m for w in words for m in rules.groups.get(w.removeprefix("group:"), ())]
        names = [w.removeprefix("person:") for w in (*words, *members) if w.startswith("person:")]
        people = {person_id(name, call.place) for name in names}
        if "" not in people and len(people - authors) < call.approval.needed:
            return True
    return False


def in_words(call: ParkedCall, names: Mapping[str, str], *, now: float) -> str:
    """`Ada`, `someone of comms, not whoever asked`, `2 of finance and 2 of comms`."""
    needed = call.approval.needed
    parts = [
        (f"{needed} of " if needed > 1 else "")
        + " or ".join(_word(word, call, names, is_one=needed == 1) for word in words)
        for words in _sets(call, now=now)
    ]
    barred = ", not whoever asked" if call.approval.is_asker_barred else ""
    return " and ".join(parts) + barred


def _sets(call: ParkedCall, *, now: float) -> list[tuple[str, ...]]:
    """Each set of words of which someone has to agree."""
    approval = call.approval
    is_late = bool(approval.deputy) and now >= call.parked_at + approval.escalate_after
    return [approval.by + (approval.deputy if is_late else ()), *approval.also]


def _is_one_of(words: Iterable[str], who: Approver, call: ParkedCall, rules: Rules) -> bool:
    return any(_is(word, who, call, rules) for word in words)


def _is(word: str, who: Approver, call: ParkedCall, rules: Rules) -> bool:
    if word == ASKER:
        return call.requester in who.ids
    kind, _, name = word.partition(":")
    if kind == "group":
        members = rules.groups.get(name, ())
        return name == "everyone" or name in who.groups or _is_one_of(members, who, call, rules)
    # What is no id of a surface is an Entra object id or an address, verified when it was joined.
    meant = {person_id(name, call.place)} - {""} or {name, f"entra:{name.casefold()}"}
    return kind == "person" and bool(meant & who.ids)


def person_id(name: str, place: Place) -> PersonId:
    """The whole id of a person: one without a workspace is of the workspace that the place is in,
    never of another. Empty for what is no id of a surface."""
    if "/" in name:
        return PersonId(name)
    if not name.isascii() or not name.isalnum() or not name.isupper():
        return PersonId("")
    return PersonId(f"{place.surface}:{place.tenant}/{name}")


def _narrowest(sets: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Without those that hold all of another: whoever satisfies the narrow one satisfies both."""
    distinct = sorted(set(sets))
    return tuple(
        words for words in distinct if not any(set(other) < set(words) for other in distinct)
    )


def _word(word: str, call: ParkedCall, names: Mapping[str, str], *, is_one: bool) -> str:
    if word == ASKER:
        return names.get(call.requester, "whoever asked")
    kind, _, name = word.partition(":")
    if kind == "group" and name == "everyone":
        return "anybody"
    if kind == "group":
        return f"someone of {name}" if is_one else name
    return names.get(person_id(name, call.place)) or name.rpartition("/")[2]
