"""Reads the `policy` section of the configuration into rules, and says what is wrong with it."""

import re
from collections.abc import Mapping
from typing import Any, cast

from core.errors import Misconfigured
from core.parked import Approval
from core.policy.rules import EVERYTHING, PLACE_KINDS, Condition, Rule, Rules, Verb

Path = tuple[str | int, ...]

_VERBS: tuple[Verb, ...] = ("offer", "withhold", "approve")
_SECTION_KEYS = ("admins", "domains", "groups", "effects", "rules")
_APPROVAL_KEYS = ("by", "not", "needed", "expires", "deputy", "after", "account")
_RULE_KEYS = (*_VERBS, "to", "in", "when", "approval", *_APPROVAL_KEYS)
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_LONGEST = 30 * 86_400.0
_TESTS = ("is", "is_not", "in", "over", "under", "contains")


def read_policy(section: Any, lines: Mapping[Path, int] | None = None) -> Rules:
    """The rules of a parsed `policy` section; None (no such section) offers everything to everyone.

    `lines` maps a path inside the section (`("rules", 0, "offer")`) -> its line in the file.
    Raises Misconfigured with one sentence per mistake, each with its line where it is known.
    """
    if section is None:
        return EVERYTHING
    reading = _Reading(lines or {})
    rules = reading.section(section)
    if reading.mistakes:
        raise Misconfigured("\n".join(reading.mistakes))
    return rules


class _Reading:
    """One pass over a section, collecting the mistakes on its way."""

    def __init__(self, lines: Mapping[Path, int]) -> None:
        self.lines = lines
        self.mistakes: list[str] = []

    def wrong(self, path: Path, sentence: str) -> None:
        line = self.line(path)
        place = ".".join(str(part + 1) if isinstance(part, int) else part for part in path)
        where = f"line {line}: " if line else ""
        self.mistakes.append(f"{where}policy{'.' + place if place else ''}: {sentence}")

    def line(self, path: Path) -> int:
        """The line of the path, else of the nearest thing around it, else 0."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return 0

    def section(self, section: Any) -> Rules:
        given = self.mapping((), section, _SECTION_KEYS)
        listed: Any = given.get("rules", [])
        if not isinstance(listed, list):
            self.wrong(("rules",), "must be a list of rules")
            listed = []
        rules = [self.rule(index, rule) for index, rule in enumerate(cast("list[Any]", listed))]
        return Rules(
            rules=tuple(rule for rule in rules if rule),
            admins=self.words(("admins",), given.get("admins", []), ("group", "person")),
            domains=frozenset(
                word.casefold() for word in self.words(("domains",), given.get("domains", []), ())
            ),
            groups=self.groups(given.get("groups", {})),
            has_effects=self.switch(("effects",), given.get("effects", True)),
        )

    def groups(self, given: Any) -> Mapping[str, tuple[str, ...]]:
        if not isinstance(given, Mapping):
            self.wrong(("groups",), "must map a name to its members")
            return {}
        named = cast("Mapping[Any, Any]", given)
        if "everyone" in named:
            self.wrong(("groups", "everyone"), "is everyone already")
        return {
            str(name): self.words(("groups", str(name)), members, ("person", "slack", "entra"))
            for name, members in named.items()
        }

    def switch(self, path: Path, given: Any) -> bool:
        # YAML reads a bare on or off as a boolean.
        if given not in (True, False, "on", "off"):
            self.wrong(path, "must be on or off")
        return given in (True, "on")

    def rule(self, index: int, given: Any) -> Rule | None:
        path: Path = ("rules", index)
        rule = self.mapping(path, given, _RULE_KEYS)
        verbs: list[Verb] = [verb for verb in _VERBS if verb in rule]
        if len(verbs) != 1:
            self.wrong(path, f"needs exactly one of {', '.join(_VERBS)}")
            return None
        verb = verbs[0]
        what = self.words((*path, verb), rule[verb], ("tool", "tag", "server"))
        if len(what) != 1:
            return None
        to = self.words((*path, "to"), rule.get("to", "group:everyone"), ("group", "person"))
        if "to" in rule and not to:
            self.wrong((*path, "to"), "names nobody: leave it out to mean everyone")
        places = self.words((*path, "in"), rule.get("in", []), ("place",))
        if "in" in rule and not places:
            self.wrong((*path, "in"), "names no place: leave it out to mean everywhere")
        return Rule(
            number=index + 1,
            line=self.line(path),
            verb=verb,
            what=what[0],
            to=to,
            places=tuple(self.place((*path, "in"), place) for place in places),
            when=self.condition((*path, "when"), rule["when"]) if "when" in rule else None,
            approval=self.approval(path, verb, rule),
        )

    def approval(self, path: Path, verb: Verb, rule: Mapping[str, Any]) -> Approval | None:
        here = {key: rule[key] for key in _APPROVAL_KEYS if key in rule}
        if verb == "approve":
            if "approval" in rule:
                self.wrong((*path, "approval"), "an approve rule says by, not and expires itself")
            return self.decided(path, here)
        if here:
            self.wrong(path, f"{', '.join(here)} belong to an approve rule or inside approval")
        if "approval" not in rule:
            return None
        if verb == "withhold":
            self.wrong((*path, "approval"), "a rule that withholds has no approval")
        inside: Path = (*path, "approval")
        return self.decided(inside, self.mapping(inside, rule["approval"], _APPROVAL_KEYS))

    def decided(self, path: Path, given: Mapping[str, Any]) -> Approval:
        """Who decides, for how long, and what makes no sense in that."""
        by = self.approvers((*path, "by"), given.get("by", "asker"))
        is_barred = given.get("not") == "asker"
        if "not" in given and not is_barred:
            self.wrong((*path, "not"), "can only be asker")
        needed = given.get("needed", 1)
        if isinstance(needed, bool) or not isinstance(needed, int) or not 1 <= needed <= 9:
            self.wrong((*path, "needed"), "must be a number from 1 to 9")
            needed = 1
        if by == ("asker",) and (is_barred or needed > 1):
            self.wrong(path, "leaves nobody who could approve: name others in by")
        deputy = self.approvers((*path, "deputy"), given["deputy"]) if "deputy" in given else ()
        if ("deputy" in given) != ("after" in given):
            self.wrong(path, "a deputy needs an after, and an after a deputy")
            deputy = ()
        account = self.words((*path, "account"), given.get("account", []), ("person",))
        return Approval(
            by=by,
            is_asker_barred=is_barred,
            needed=needed,
            seconds=self.seconds((*path, "expires"), given.get("expires", "24h")),
            deputy=deputy,
            escalate_after=self.seconds((*path, "after"), given["after"]) if deputy else 0.0,
            account=account[0] if account else "",
        )

    def approvers(self, path: Path, given: Any) -> tuple[str, ...]:
        listed = cast("list[Any]", given) if isinstance(given, list) else [given]
        others = self.words(path, [word for word in listed if word != "asker"], ("group", "person"))
        found = ("asker", *others) if "asker" in listed else others
        if not found:
            self.wrong(path, "names nobody")
        return found

    def seconds(self, path: Path, given: Any) -> float:
        """`90s`, `30m`, `4h` or `2d`."""
        found = re.fullmatch(r"(\d{1,6})\s*([smhd])", given) if isinstance(given, str) else None
        seconds = int(found[1]) * _SECONDS[found[2]] if found else 0.0
        if not 0 < seconds <= _LONGEST:
            self.wrong(path, "must be a time like 30m, 4h or 2d, at most 30d")
        return seconds

    def condition(self, path: Path, given: Any) -> Condition | None:
        when = self.mapping(path, given, ("argument", *_TESTS))
        tests = [test for test in _TESTS if test in when]
        argument = when.get("argument")
        if not isinstance(argument, str) or not argument or len(tests) != 1:
            self.wrong(path, f"needs an argument and exactly one of {', '.join(_TESTS)}")
            return None
        test, value = tests[0], when[tests[0]]
        if test == "is" and value in ("external", "present"):
            return Condition(argument=argument, test=value)
        if test == "in" and not isinstance(value, list):
            self.wrong((*path, "in"), "must be a list of values")
            return None
        if test in ("over", "under") and (
            isinstance(value, bool) or not isinstance(value, int | float)
        ):
            self.wrong((*path, test), "must be a number")
            return None
        return Condition(argument=argument, test=cast("Any", test), value=value)

    def place(self, path: Path, place: str) -> str:
        word = place.partition(":")[2]
        known = word in PLACE_KINDS or word.startswith("#") or any(c.isupper() for c in word)
        if not known and "/" not in word and ":" not in word:
            kinds = ", ".join(PLACE_KINDS)
            self.wrong(path, f"place:{word} is none of {kinds}, no #name and no id")
        return place

    def words(self, path: Path, given: Any, kinds: tuple[str, ...]) -> tuple[str, ...]:
        """One word or a list of words, each `kind:something` where kinds are named."""
        listed: list[Any] = cast("list[Any]", given) if isinstance(given, list) else [given]
        good: list[str] = []
        for word in listed:
            kind, _, rest = word.partition(":") if isinstance(word, str) else ("", "", "")
            if not isinstance(word, str) or (kinds and (kind not in kinds or not rest)):
                forms = " or ".join(f"{kind}:…" for kind in kinds) or "a word"
                self.wrong(path, f"{word!r} must be {forms}")
            else:
                good.append(word)
        return tuple(good)

    def mapping(self, path: Path, given: Any, keys: tuple[str, ...]) -> Mapping[str, Any]:
        if not isinstance(given, Mapping):
            self.wrong(path, "must be a mapping")
            return {}
        found = cast("Mapping[Any, Any]", given)
        for key in found:
            if key not in keys:
                self.wrong((*path, str(key)), f"is not known here; known are {', '.join(keys)}")
        return {str(key): value for key, value in found.items()}
