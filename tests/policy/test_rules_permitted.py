"""Nothing outside the permitted set is offered, whoever asks where, and nothing else is called."""

import random

import pytest

from core.capabilities.aliases import aliases
from core.capabilities.schemas import bound
from core.policy.rules import Rules, may_call, permit
from core.policy.section import read_policy
from core.records import Json, Person, PersonId, Place, Tool

CONNECTORS = ("sales", "hr", "mail", "files")
GROUPS = ("sales", "hr", "it", "board")
KINDS = ("dm", "group", "private", "public")
FORMATS = ("xlsx", "pdf", "pptx")
WORDS = ("how much", "as excel", "make slides", "a pdf of it", "")


def some_tools(dice: random.Random) -> list[Tool]:
    tools: dict[str, Tool] = {}
    for number in range(dice.randint(1, 8)):
        tags = {f"connector:{dice.choice(CONNECTORS)}"}
        if dice.random() < 0.2:
            tags |= {"produces_file", f"format:{dice.choice(FORMATS)}"}
        if dice.random() < 0.2:
            tags.add("requires_approval")
        made = Tool(
            server=dice.choice(("a", "b")),
            name=f"tool{number}",
            description=f"Tool {number}",
            schema={"type": "object"},
            tags=frozenset(tags),
            digest=f"digest{number}",
        )
        tools[made.key] = made
    return list(tools.values())


def some_rules(dice: random.Random) -> list[Json]:
    rules: list[Json] = []
    for _ in range(dice.randint(0, 5)):
        verb = dice.choice(("offer", "offer", "withhold", "approve"))
        what = dice.choice(
            (f"tag:connector:{dice.choice(CONNECTORS)}", "tool:*", "server:a", "tool:b/tool2")
        )
        rule: Json = {verb: what}
        if dice.random() < 0.5:
            rule["to"] = dice.sample([f"group:{g}" for g in GROUPS] + ["person:U1"], 2)
        if dice.random() < 0.3:
            rule["in"] = [f"place:{dice.choice(KINDS)}"]
        rules.append(rule)
    return rules


def may_by_the_book(
    tool: Tool, rules: list[Json], person: Person, place: Place, words: str
) -> bool:
    """The policy said a second time, from the documentation."""

    def matches(rule: Json) -> bool:
        what = next(rule[verb] for verb in ("offer", "withhold", "approve") if verb in rule)
        about = (
            what == "tool:*"
            or what.removeprefix("tag:") in tool.tags
            or what == f"server:{tool.server}"
            or what == f"tool:{tool.key}"
        )
        names = {f"group:{g}" for g in person.groups} | {"group:everyone"}
        names.add(f"person:{person.id.rpartition('/')[2]}")
        to = set(rule.get("to", ["group:everyone"])) & names
        return bool(about and to) and f"place:{place.kind}" in rule.get(
            "in", [f"place:{place.kind}"]
        )

    verbs = {verb for rule in rules if matches(rule) for verb in rule}
    asks = {"xlsx": "excel", "pdf": "pdf", "pptx": "slides"}
    formats = [tag.removeprefix("format:") for tag in tool.tags if tag.startswith("format:")]
    spoken = not formats or any(asks[each] in words for each in formats)
    free = "approve" not in verbs and "requires_approval" not in tool.tags
    return "offer" in verbs and "withhold" not in verbs and free and spoken


@pytest.mark.promise("P6", "core.policy", "core.capabilities")
def test_the_model_is_shown_the_permitted_set_and_can_call_nothing_else() -> None:
    dice = random.Random(6)
    shown_in_all = 0
    for _ in range(5_000):
        tools, given = some_tools(dice), some_rules(dice)
        rules: Rules = read_policy({"rules": given})
        person = Person(
            id=PersonId(f"slack:T/U{dice.randint(1, 2)}"),
            groups=tuple(dice.sample(GROUPS, dice.randint(0, 2))),
        )
        place = Place(surface="slack", tenant="T", channel="C", kind=dice.choice(KINDS))
        words = dice.choice(WORDS)
        accepted = {
            each.key: each.digest if dice.random() < 0.8 else "another"
            for each in tools
            if dice.random() < 0.9
        }
        permitted = permit(tools, person, place, words, rules, accepted)
        right = {
            each.key
            for each in tools
            if accepted.get(each.key) == each.digest
            and may_by_the_book(each, given, person, place, words)
        }
        named = aliases(permitted.offered)
        shown = {named[schema.name].key for schema in bound(named, "openai")}
        assert shown == right
        shown_in_all += len(shown)
        assert right | {each.key for each in permitted.withheld} == {each.key for each in tools}
        assert all(each.rule for each in permitted.withheld)
        every = aliases(tools)
        for alias, tool in every.items():
            refused = may_call(tool, {}, person, place, words, rules, accepted)
            assert bool(refused) == (tool.key not in right)
            if tool.key not in right:
                assert alias not in named, "a name that was not bound leads nowhere"
    assert shown_in_all > 2_000, "the cases are not all empty"
