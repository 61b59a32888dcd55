"""Rules, sections, refusals and chips at their bounds, where one sign more is something else."""

from typing import Any

import pytest

from core.errors import Misconfigured
from core.policy.links import REMOVED, settle
from core.policy.rules import EVERYTHING, Condition, Rule, Rules, may_call, version
from core.policy.section import read_policy
from core.records import Json
from tests.policy.test_guards import NOW, asked
from tests.policy.test_links import EVIDENCE, POLICY
from tests.policy.test_rules import ACCEPTED, ANN, SALES, place

EXTERNAL = Condition(argument="to", test="external")


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (EXTERNAL, "to is external"),
        (Condition(argument="to", test="present"), "to is present"),
        (Condition(argument="sum", test="over", value=5), "sum over 5"),
        (Condition(argument="sum", test="is_not", value=5), "sum is not 5"),
    ],
)
def test_a_condition_is_said_in_words(condition: Condition, words: str) -> None:
    assert str(condition) == words


def test_a_rule_says_its_number_its_condition_and_its_line() -> None:
    rule = Rule(number=3, line=7, verb="withhold", what="tag:hr", when=EXTERNAL)
    assert str(rule) == "rule 3 withholds tag:hr when to is external (line 7)"
    assert str(EVERYTHING.rules[0]) == "the default rule offers tool:*"


def test_effects_are_on_unless_the_file_says_off() -> None:
    assert Rules(rules=()).has_effects


def test_the_version_does_not_depend_on_the_order_of_names() -> None:
    one: dict[str, tuple[str, ...]] = {"a": ("person:U1",), "b": ("person:U2",)}
    other = dict(reversed(one.items()))
    assert version(Rules(rules=(), groups=one)) == version(Rules(rules=(), groups=other))


@pytest.mark.parametrize(
    ("when", "arguments", "holds"),
    [
        ({"argument": "to", "is": "a@b.c, d@e.f"}, {"to": "a@b.c, d@e.f"}, True),
        ({"argument": "to", "is": "external"}, {"to": 5}, True),
        ({"argument": "a.b", "is": "present"}, {"a": "text"}, False),
        ({"argument": "a.b", "is": "present"}, {"a": {"b": "text"}}, True),
        ({"argument": "a", "is": "present"}, {"a": False}, False),
        ({"argument": "a", "is": "present"}, {"a": True}, True),
        ({"argument": "a", "is": "present"}, {"a": ""}, False),
    ],
)
def test_a_condition_looks_at_the_whole_value(when: Json, arguments: Json, holds: bool) -> None:
    given = read_policy({"rules": [{"offer": "tool:*"}, {"withhold": "tool:*", "when": when}]})
    refused = may_call(SALES, arguments, ANN, place(), "", given, ACCEPTED)
    assert bool(refused) == holds


def section(**rule: Any) -> Any:
    return {"rules": [{"approve": "tool:mail/send", "by": "group:comms", **rule}]}


@pytest.mark.parametrize(
    ("said", "seconds"), [("90s", 90.0), ("1m", 60.0), ("2h", 7_200.0), ("30d", 2_592_000.0)]
)
def test_a_time_is_as_long_as_it_says(said: str, seconds: float) -> None:
    [rule] = read_policy(section(expires=said)).rules
    assert rule.approval is not None
    assert rule.approval.seconds == seconds


def test_a_deputy_and_an_account_are_as_the_rule_says() -> None:
    given = section(deputy="person:U8", after="1h", account=["person:U7", "person:U6"], needed=9)
    approval = read_policy(given).rules[0].approval
    assert approval is not None
    assert (approval.deputy, approval.escalate_after) == (("person:U8",), 3_600.0)
    assert (approval.account, approval.needed) == ("person:U7", 9)
    without = read_policy(section()).rules[0].approval
    assert without is not None
    assert (without.deputy, without.escalate_after, without.account) == ((), 0.0, "")


@pytest.mark.parametrize(
    "wrong", [{"expires": "31d"}, {"expires": "0s"}, {"needed": 10}, {"needed": 0}]
)
def test_what_is_beyond_a_bound_is_the_only_mistake(wrong: Json) -> None:
    with pytest.raises(Misconfigured) as refused:
        read_policy(section(**wrong))
    [sentence] = str(refused.value).splitlines()
    assert sentence.startswith(f"policy.rules.1.{next(iter(wrong))}: must be")


def test_a_wrong_rule_is_not_among_the_rules_and_has_its_place() -> None:
    with pytest.raises(Misconfigured) as refused:
        read_policy({"rules": [{"offer": "tool:*"}, {}]}, {("rules", 1): 4})
    assert str(refused.value).startswith("line 4: policy.rules.2: needs exactly one of")


def test_a_question_of_just_the_longest_length_is_answered() -> None:
    assert not hasattr(asked("x" * 100), "sentence")
    assert hasattr(asked("x" * 101), "sentence")


@pytest.mark.parametrize(
    ("age", "said"),
    [
        (3_569.0, "59 minutes"),
        (3_571.0, "an hour"),
        (7_200.0, "2 hours"),
        (47 * 3_600.0, "47 hours"),
        (48 * 3_600.0, "2 days"),
        (72 * 3_600.0, "3 days"),
    ],
)
def test_an_age_is_said_in_the_unit_that_a_person_would_take(age: float, said: str) -> None:
    assert f"You wrote this {said} ago" in getattr(asked("hm?", said_at=NOW - age), "sentence", "")


def test_what_is_unknown_is_answered_with_what_is_known() -> None:
    sentence = getattr(asked("model:nope hm?"), "sentence", "")
    assert sentence.endswith("Write `model:` with one of `demo`, `openai:gpt-5.5`.")


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("[the report](https://evil.example/x)", "the report"),
        ("[](https://evil.example/x)", REMOVED),
        (f"[{POLICY}]({POLICY})", "[1]"),
        (f"[Fly]({POLICY})", "Fly [1]"),
        (f"Fly {POLICY} or {POLICY}", "Fly [1] or [1]"),
        ("Both [1][2].", "Both [1] [2]."),
        ("as [written][down] there", "as written there"),
        ("ｅｖｉｌ．ｅｘａｍｐｌｅ／LEAK?q", REMOVED),
        ("R&amp;D &lt;3", "R&amp;D &lt;3"),
        ("a&#58;b", "a:b"),
    ],
)
def test_what_stands_in_the_place_of_a_link_is_exact(text: str, settled: str) -> None:
    assert settle(text, EVIDENCE)[0] == settled
