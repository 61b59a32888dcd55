"""A policy section that is wrong is refused with a sentence and a line."""

from typing import Any

import pytest

from core.errors import Misconfigured
from core.parked import Approval
from core.policy.rules import Condition
from core.policy.section import read_policy

LINES = {
    (): 10,
    ("rules",): 12,
    ("rules", 0): 13,
    ("rules", 0, "offer"): 13,
    ("rules", 1): 14,
    ("rules", 1, "in"): 15,
}


def test_the_example_of_the_documentation_is_read() -> None:
    rules = read_policy(
        {
            "admins": ["group:it-admins"],
            "rules": [
                {"offer": "tag:connector:sales", "to": ["group:everyone"]},
                {"offer": "tool:mail.send", "to": ["group:everyone"], "approval": {"by": "asker"}},
                {
                    "approve": "tool:mail.send",
                    "when": {"argument": "to", "is": "external"},
                    "by": "group:comms",
                    "not": "asker",
                    "expires": "4h",
                },
                {"withhold": "tag:connector:hr", "in": ["place:public"]},
            ],
        },
        LINES,
    )
    assert [rule.verb for rule in rules.rules] == ["offer", "offer", "approve", "withhold"]
    assert rules.rules[2].when == Condition(argument="to", test="external")
    assert rules.rules[2].approval == Approval(
        by=("group:comms",), is_asker_barred=True, seconds=4 * 3600.0
    )
    assert str(rules.rules[0]) == "rule 1 offers tag:connector:sales (line 13)"
    assert rules.admins == ("group:it-admins",)


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ([], "policy: must be a mapping"),
        ({"rules": {}}, "line 12: policy.rules: must be a list"),
        ({"role": []}, "policy.role: is not known here"),
        ({"rules": ["x"]}, "line 13: policy.rules.1: must be a mapping"),
        ({"rules": [{}]}, "needs exactly one of offer, withhold, approve"),
        ({"rules": [{"offer": "tool:a", "withhold": "tool:a"}]}, "needs exactly one of"),
        ({"rules": [{"offer": "mail.send"}]}, "line 13: policy.rules.1.offer: 'mail.send' must be"),
        ({"rules": [{"offer": "tool:"}]}, "must be tool:… or tag:… or server:…"),
        ({"rules": [{"offer": "tool:a", "to": ["sales"]}]}, "'sales' must be group:… or person:…"),
        ({"rules": [{"offer": "tool:a", "to": []}]}, "names nobody"),
        ({"rules": [{"offer": "tool:a", "in": []}]}, "names no place"),
        ({"rules": [{"offer": "tool:a"}, {"offer": "tool:b", "in": "public"}]}, "line 15: "),
        ({"rules": [{"offer": "tool:a", "in": "place:publik"}]}, "place:publik is none of"),
        ({"rules": [{"offer": "tool:a", "when": {"argument": "x"}}]}, "exactly one of is, is_not"),
        ({"rules": [{"offer": "tool:a", "when": {"argument": "x", "in": 3}}]}, "list of values"),
        ({"rules": [{"offer": "tool:a", "when": {"argument": "x", "over": "3"}}]}, "a number"),
        ({"rules": [{"offer": "tool:a", "by": "asker"}]}, "belong to an approve rule"),
        ({"rules": [{"withhold": "tool:a", "approval": {}}]}, "has no approval"),
        ({"rules": [{"approve": "tool:a", "approval": {}}]}, "says by, not and expires itself"),
        ({"rules": [{"offer": "tool:a", "approval": {"buy": "x"}}]}, "buy: is not known"),
        ({"admins": "everyone"}, "policy.admins: 'everyone' must be group:… or person:…"),
        ({"rules": [{"offer": 3}]}, "3 must be tool:…"),
    ],
)
def test_a_mistake_is_told_with_its_place(section: Any, sentence: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        read_policy(section, LINES)
    assert sentence in str(refused.value)


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(Misconfigured) as refused:
        read_policy({"rules": [{"offer": "x"}, {"withhold": "y"}, {}]})
    assert len(str(refused.value).splitlines()) == 3
