"""Why a tool is offered to somebody or not: the rule that decided, in words."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.policy.rules import NOT_OFFERED, Rules, matching, needs_approval, permit
from core.policy.tags import values
from core.records import Person, Place, Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """What policy makes of one tool for one person in one place."""

    tool: Tool
    is_offered: bool
    decided: str
    """The rule, or the reason outside of the rules, that decided."""
    later: tuple[str, ...] = ()
    """What is decided at the call, by its arguments, or by the words of the question."""
    asks: str = ""
    """Why a call waits for somebody, where it does."""
    others: tuple[str, ...] = ()
    """Further rules that speak of it."""


def explain(
    tool: Tool,
    person: Person,
    place: Place,
    rules: Rules,
    accepted: Mapping[str, str],
) -> Explained:
    """The words of a question and the arguments of a call are not known here: what hangs on them
    is said as such."""
    found = matching(tool, person, place, rules)
    spoken = " ".join(values(tool.tags, "format"))
    refused = _refusal(tool, person, place, spoken, rules, accepted)
    offers = [rule for rule in found if rule.verb == "offer"]
    decided = refused or str(next((r for r in offers if r.when is None), offers[0]))
    later = [str(rule) for rule in found if rule.when is not None and rule.verb != "approve"]
    if spoken:
        later.append(f"only for a question that speaks of {' or '.join(spoken.split())}")
    later += [str(rule) for rule in found if rule.verb == "approve" and rule.when is not None]
    said = {decided, *later}
    return Explained(
        tool=tool,
        is_offered=not refused,
        decided=decided,
        later=tuple(dict.fromkeys(later)) if not refused else (),
        asks="" if refused else needs_approval(tool, None, person, place, rules),
        others=tuple(str(rule) for rule in found if str(rule) not in said),
    )


def _refusal(
    tool: Tool,
    person: Person,
    place: Place,
    spoken: str,
    rules: Rules,
    accepted: Mapping[str, str],
) -> str:
    held = permit([tool], person, place, spoken, rules, accepted, approvals=True).withheld
    if not held:
        return ""
    return held[0].rule if held[0].rule != NOT_OFFERED else _nearest(tool, person, place, rules)


def _nearest(tool: Tool, person: Person, place: Place, rules: Rules) -> str:
    """With the rule that would offer it to somebody else, or in another place."""
    for rule in rules.rules:
        for_all = replace(rules, rules=(replace(rule, to=("group:everyone",)),))
        everywhere = replace(rules, rules=(replace(rule, places=()),))
        if rule.verb == "offer" and matching(tool, person, place, for_all):
            return f"{NOT_OFFERED}; {rule}, which does not mean this person"
        if rule.verb == "offer" and matching(tool, person, place, everywhere):
            return f"{NOT_OFFERED}; {rule}, which is not this place"
    return NOT_OFFERED
