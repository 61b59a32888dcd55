"""Who is offered which tool where: the `policy` section, and its verdict before binding and at
the call."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, cast

from core.parked import Approval
from core.policy.tags import REQUIRES_APPROVAL, is_spoken_of, values
from core.records import Json, PermittedSet, Person, Place, Tool, Withheld

Verb = Literal["offer", "withhold", "approve"]

PLACE_KINDS = ("dm", "group", "private", "public")

NOT_ACCEPTED = "nobody has accepted this tool yet: an admin must accept it"
CHANGED = "the tool changed after it was accepted: an admin must accept it again"
NOT_OFFERED = "no rule offers it to this person here"
NO_APPROVALS = "needs an approval, and approvals are not switched on"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A test on one argument of a call. It stays open at binding and is decided at the call."""

    argument: str
    """Its name; `attendees.address` looks into objects, and into every element of a list."""
    test: Literal["is", "is_not", "in", "over", "under", "contains", "external", "present"]
    value: Any = None

    def __str__(self) -> str:
        if self.test in ("external", "present"):
            return f"{self.argument} is {self.test}"
        return f"{self.argument} {self.test.replace('_', ' ')} {self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    number: int
    """Its place in the list, from 1. 0 for a rule that no file holds."""
    line: int = 0
    """The line of the file, 0 when unknown."""
    verb: Verb
    what: str
    """`tool:server/name` (also `tool:server.name`), `tool:*`, `server:name` or `tag:word`."""
    to: tuple[str, ...] = ("group:everyone",)
    """`group:everyone`, `group:x`, `person:<id>`; the id alone (`person:U…`) where there is one
    workspace."""
    places: tuple[str, ...] = ()
    """`place:public`, `place:private`, `place:group`, `place:dm`, `place:<id>` or `place:#name`.
    Empty: everywhere."""
    when: Condition | None = None
    approval: Approval | None = None
    """Who decides about a call that it asks an approval for."""
    origin: str = ""
    """Who laid it over the file in chat, when and why; empty for a rule of the file."""

    def __str__(self) -> str:
        where = f" in {', '.join(self.places)}" if self.places else ""
        whom = "" if self.to == ("group:everyone",) else f" for {', '.join(self.to)}"
        condition = f" when {self.when}" if self.when else ""
        verb = {"offer": "offers", "withhold": "withholds", "approve": "asks approval for"}
        name = f"rule {self.number}" if self.number else self.origin or "the default rule"
        line = f" (line {self.line})" if self.line else ""
        return f"{name} {verb[self.verb]} {self.what}{whom}{where}{condition}{line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    rules: tuple[Rule, ...]
    admins: tuple[str, ...] = ()
    domains: frozenset[str] = frozenset()
    """Mail domains that are our own, in lower case: any other address is external."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Name → members (`person:…`) of the groups that the file names, those included that others
    keep for it (`slack:S…`, `entra:<object id>`) once they were read."""
    has_effects: bool = True
    """False: nothing that was approved is carried out."""


EVERYTHING = Rules(rules=(Rule(number=0, verb="offer", what="tool:*"),))
"""The rules where the file has no `policy` section: what is accepted is offered to everyone."""


def permit(
    tools: Iterable[Tool],
    person: Person,
    place: Place,
    words: str,
    rules: Rules,
    accepted: Mapping[str, str],
    *,
    approvals: bool = False,
) -> PermittedSet:
    """What this person may be offered for this question, each tool that is not with its reason.

    `words` is the text of the question; `accepted` maps tool key -> the digest that stands
    (pinned, or trusted by configuration).
    """
    offered: list[Tool] = []
    withheld: list[Withheld] = []
    for tool in sorted(tools, key=lambda tool: tool.key):
        rule = _refusal(tool, person, place, words, rules, accepted, None, approvals=approvals)
        if rule:
            withheld.append(Withheld(key=tool.key, rule=rule))
        else:
            offered.append(tool)
    return PermittedSet(offered=tuple(offered), withheld=tuple(withheld))


def may_call(
    tool: Tool,
    arguments: Json,
    person: Person,
    place: Place,
    words: str,
    rules: Rules,
    accepted: Mapping[str, str],
    *,
    approvals: bool = False,
) -> str:
    """Why this call is refused, decided anew with its arguments; empty when it may go ahead.

    With `approvals`, a call that needs one is not refused here: see `needs_approval`.
    """
    return _refusal(tool, person, place, words, rules, accepted, arguments, approvals=approvals)


def needs_approval(
    tool: Tool, arguments: Json | None, person: Person, place: Place, rules: Rules
) -> str:
    """The sentence of the first rule that asks for an approval, empty when none does. With
    arguments None, only what is certain before the arguments are known."""
    if REQUIRES_APPROVAL in tool.tags:
        return f"the tool is tagged {REQUIRES_APPROVAL}"
    for rule in asking(tool, arguments, person, place, rules):
        return str(rule)
    return ""


def asking(
    tool: Tool, arguments: Json | None, person: Person, place: Place, rules: Rules
) -> list[Rule]:
    """The rules that ask for an approval of this call."""
    return [
        rule
        for rule in matching(tool, person, place, rules)
        if (rule.verb == "approve" or rule.approval is not None)
        and _holds(rule.when, arguments, rules, unknown=False)
    ]


def is_admin(person: Person, rules: Rules) -> bool:
    return any(is_meant(person, whom, rules) for whom in rules.admins)


def version(rules: Rules) -> str:
    """What the rules say as 16 hexadecimal digits: the same wherever in the file they stand."""
    said = asdict(rules)
    for rule in said["rules"]:
        del rule["line"]
    said["domains"] = sorted(rules.domains)
    canonical = json.dumps(said, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def _refusal(
    tool: Tool,
    person: Person,
    place: Place,
    words: str,
    rules: Rules,
    accepted: Mapping[str, str],
    arguments: Json | None,
    *,
    approvals: bool,
) -> str:
    pin = accepted.get(tool.key)
    if not tool.digest or pin != tool.digest:
        return CHANGED if pin else NOT_ACCEPTED
    matched = matching(tool, person, place, rules)
    for rule in matched:
        if rule.verb == "withhold" and _holds(rule.when, arguments, rules, unknown=False):
            return str(rule)
    if not any(
        rule.verb == "offer" and _holds(rule.when, arguments, rules, unknown=True)
        for rule in matched
    ):
        return NOT_OFFERED
    if not approvals and (reason := needs_approval(tool, arguments, person, place, rules)):
        return f"{NO_APPROVALS}: {reason}"
    if not is_spoken_of(tool.tags, words):
        return f"the question does not speak of {' or '.join(values(tool.tags, 'format'))}"
    return ""


def matching(tool: Tool, person: Person, place: Place, rules: Rules) -> Sequence[Rule]:
    """The rules that speak of this tool, person and place, whatever the arguments."""
    return [
        rule
        for rule in rules.rules
        if _is_about(tool, rule.what)
        and any(is_meant(person, whom, rules) for whom in rule.to)
        and (not rule.places or any(is_there(place, where) for where in rule.places))
    ]


def _is_about(tool: Tool, what: str) -> bool:
    kind, _, word = what.partition(":")
    if kind == "tag":
        return word in tool.tags
    if kind == "server":
        return word == tool.server
    return word in ("*", tool.key, f"{tool.server}.{tool.name}")


def is_meant(person: Person, whom: str, rules: Rules) -> bool:
    """Whether `group:…` or `person:…` means this person, by what is proven of them: never by a
    name that they show."""
    kind, _, word = whom.partition(":")
    if kind == "group":
        members = rules.groups.get(word, ())
        return (
            word == "everyone"
            or word in person.groups
            or any(is_meant(person, member, rules) for member in members)
        )
    # What is no id of a surface is an Entra object id or an address, proven by an account.
    proven = f"entra:{word.casefold()}" in person.ids or word in person.ids
    return person.id == word or person.id.endswith(f"/{word}") or proven


def is_there(place: Place, where: str) -> bool:
    """Whether `place:…` means this place."""
    word = where.partition(":")[2]
    # A kind is never compared with a name: anybody may call a public channel "private".
    if word in PLACE_KINDS:
        return word == place.kind
    return word in (place.id, place.channel, f"#{place.name.removeprefix('#')}")


def _holds(
    condition: Condition | None, arguments: Json | None, rules: Rules, *, unknown: bool
) -> bool:
    """Whether the condition is met; `unknown` is the answer while there are no arguments."""
    if condition is None:
        return True
    if arguments is None:
        return unknown
    each = _found(arguments, condition.argument.split("."))
    if condition.test == "external":
        # A string may hold several addresses and their names.
        each = [word for given in each for word in _addresses(given)]
    # In doubt a rule that restricts holds, and one that offers does not.
    return any(_meets(condition, value, rules, doubt=not unknown) for value in each or [None])


def _found(given: Any, path: Sequence[str]) -> list[Any]:
    """What stands at the path, through every list on the way."""
    if isinstance(given, list):
        return [value for inner in cast("list[Any]", given) for value in _found(inner, path)]
    if not path:
        return [given]
    if isinstance(given, Mapping):
        return _found(cast("Mapping[str, Any]", given).get(path[0]), path[1:])
    return []


def _addresses(given: Any) -> list[Any]:
    if not isinstance(given, str):
        return [given]
    return [word for word in re.split(r"[,;\s]+", given) if "@" in word] or [given]


def _meets(condition: Condition, given: Any, rules: Rules, *, doubt: bool) -> bool:
    value = condition.value
    match condition.test:
        case "is":
            return bool(given == value)
        case "is_not":
            return bool(given != value)
        case "in":
            return given in value
        case "contains":
            return str(value).casefold() in str(given or "").casefold()
        case "over" | "under":
            if isinstance(given, bool) or not isinstance(given, int | float):
                return doubt
            return given > value if condition.test == "over" else given < value
        case "present":
            return given not in (None, "", False)
        case "external":
            return bool(given) and _domain(str(given)) not in rules.domains


def _domain(address: str) -> str:
    return address.strip().rstrip(">").rpartition("@")[2].casefold()
