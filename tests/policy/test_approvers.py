"""Who decides: the strictest of all rules, asked about the people of now."""

from typing import Any

import pytest

from core.cards import CallId
from core.errors import Misconfigured
from core.parked import Approval, ParkedCall
from core.policy.approvers import (
    Approver,
    approval_for,
    can_be_listed,
    in_words,
    is_decided,
    may_change,
    may_decide,
    named,
    person_id,
    strictest,
)
from core.policy.rules import Rules, version
from core.policy.section import read_policy
from core.records import Json, Person, PersonId, Place, ThreadId, Tool, TurnId

ADA = Person(id=PersonId("slack:T1/U1"), name="Ada", groups=("sales",))
PLACE = Place(surface="slack", tenant="T1", channel="C1", kind="public", name="sales")
MAIL = Tool(
    server="mail", name="send", description="", schema={"type": "object"},
    tags=frozenset({"requires_approval"}), digest="d",
)  # fmt: skip
EMPTY = Rules(rules=())


def read(*rules: Json, **section: Any) -> Rules:
    return read_policy({"rules": list(rules), **section})


def approval(*rules: Json, arguments: Json | None = None, **section: Any) -> Approval:
    found = approval_for(MAIL, arguments or {}, ADA, PLACE, read(*rules, **section))
    assert found is not None
    return found


def a_call(of: Approval, **more: Any) -> ParkedCall:
    return ParkedCall(
        id=CallId("c"), number=1, turn=TurnId("t"), thread=ThreadId("x"), place=PLACE, address={},
        requester=ADA.id, authority=PersonId("slack:T1/U9"), tool="mail/send", tool_digest="d",
        arguments={}, proposed={}, digest="", policy_version="", approval=of, question="",
        parked_at=0.0, expires_at=1e9, **more,
    )  # fmt: skip


def who(*ids: str, groups: tuple[str, ...] = ()) -> Approver:
    return Approver(ids=frozenset(ids), groups=frozenset(groups))


def test_a_tagged_tool_is_decided_by_whoever_asked_and_no_rule_waives_that() -> None:
    assert approval({"offer": "tool:*"}).by == ("asker",)


def test_a_tool_without_tag_or_rule_needs_nobody() -> None:
    plain = Tool(server="crm", name="list", description="", schema={}, digest="d")
    assert approval_for(plain, {}, ADA, PLACE, read({"offer": "tool:*"})) is None


def test_a_rule_that_names_others_beats_the_askers_own_click() -> None:
    found = approval(
        {"offer": "tool:mail.send", "approval": {"by": "asker"}},
        {"approve": "tool:mail.send", "when": {"argument": "to", "is": "external"},
         "by": "group:comms", "not": "asker", "expires": "4h"},
        arguments={"to": ["x@evil.example"]}, domains=["larkspur.example"],
    )  # fmt: skip
    assert (found.by, found.is_asker_barred, found.seconds) == (("group:comms",), True, 14_400.0)
    assert "rule 2 asks approval for tool:mail.send" in found.reason


def test_a_rule_whose_condition_does_not_hold_changes_nothing() -> None:
    rule: Json = {"approve": "tool:mail.send", "when": {"argument": "amount", "over": 1000},
                  "by": "group:finance"}  # fmt: skip
    assert approval(rule, arguments={"amount": 10}).by == ("asker",)
    assert approval(rule, arguments={"amount": 2000}).by == ("group:finance",)


@pytest.mark.parametrize(
    ("when", "arguments", "holds"),
    [
        ({"argument": "attachments", "is": "present"}, {"attachments": ["a"]}, True),
        ({"argument": "attachments", "is": "present"}, {"attachments": []}, False),
        ({"argument": "attachments", "is": "present"}, {}, False),
        ({"argument": "who.mail", "is": "external"}, {"who": [{"mail": "a@x.y"}]}, True),
        ({"argument": "who.mail", "is": "external"}, {"who": [{"mail": "a@own.z"}]}, False),
        ({"argument": "to", "is": "external"}, {"to": "A <a@own.z>, b@x.y"}, True),
        ({"argument": "share.scope", "is": "anonymous"}, {"share": {"scope": "anonymous"}}, True),
        ({"argument": "share.scope", "is": "anonymous"}, {"share": {"scope": "team"}}, False),
    ],
)
def test_rules_look_at_arguments_however_deep(when: Json, arguments: Json, holds: bool) -> None:
    rule: Json = {"approve": "tool:mail.send", "when": when, "by": "group:comms"}
    found = approval(rule, arguments=arguments, domains=["own.z"])
    assert (found.by == ("group:comms",)) == holds


def test_rules_that_name_different_people_all_have_to_be_satisfied() -> None:
    found = approval(
        {"approve": "tool:*", "by": "group:comms"}, {"approve": "tool:*", "by": "group:finance"}
    )
    call = a_call(found)
    comms, finance = who("a", groups=("comms",)), who("b", groups=("finance",))
    assert not is_decided(call, [comms], EMPTY, now=0)
    assert not is_decided(call, [finance, finance], EMPTY, now=0)
    assert is_decided(call, [comms, finance], EMPTY, now=0)
    assert in_words(call, {}, now=0) == "someone of comms and someone of finance"


def test_the_narrower_of_two_sets_is_enough() -> None:
    found = approval(
        {"approve": "tool:*", "by": ["group:comms", "person:U2"]},
        {"approve": "tool:*", "by": "person:U2"},
    )
    assert (found.by, found.also) == (("person:U2",), ())


def test_of_all_numbers_and_times_the_strictest_counts() -> None:
    found = strictest(
        [Approval(needed=2, by=("group:a",), seconds=50.0),
         Approval(by=("group:a",), seconds=100.0, is_asker_barred=True, account="person:U9")]
    )  # fmt: skip
    assert (found.needed, found.seconds, found.is_asker_barred) == (2, 50.0, True)
    assert found.account == "person:U9"


def test_where_two_rules_name_different_deputies_there_is_none() -> None:
    one = Approval(by=("group:a",), deputy=("person:U1",), escalate_after=5.0)
    other = Approval(by=("group:a",), deputy=("person:U2",), escalate_after=9.0)
    assert strictest([one, other]).deputy == ()
    assert strictest([one, one]).deputy == ("person:U1",)


@pytest.mark.promise("P2", "core.policy", "core.approvals")
@pytest.mark.parametrize(
    ("word", "clicker", "is_one"),
    [
        ("asker", who("slack:T1/U1"), True),
        ("asker", who("slack:T2/U1"), False),
        ("asker", who("teams:x/ada", "slack:T1/U1"), True),
        ("person:U2", who("slack:T1/U2"), True),
        ("person:U2", who("slack:T2/U2"), False),
        ("person:U2", who("U2"), False),
        ("person:U2", who("slack:T1/U22"), False),
        ("person:slack:T2/U2", who("slack:T2/U2"), True),
        ("person:slack:T2/U2", who("slack:T1/U2"), False),
        ("person:priya@larkspur.example", who("slack:T1/U2", "priya@larkspur.example"), True),
        ("person:8F0A-11", who("slack:T1/U2", "entra:8f0a-11"), True),
        ("person:8f0a-11", who("slack:T1/U2", "entra:8f0a-12"), False),
        ("group:comms", who("slack:T1/U2", groups=("comms",)), True),
        ("group:comms", who("slack:T1/U3"), True),
        ("group:comms", who("slack:T2/U3"), False),
        ("group:comms", who("slack:T1/U2", groups=("comms2",)), False),
        ("group:everyone", who("slack:T1/U9"), True),
    ],
)
def test_an_approver_is_one_by_id_or_by_group(word: str, clicker: Approver, is_one: bool) -> None:
    rules = read(groups={"comms": ["person:U3"]})
    call = a_call(Approval(by=(word,)))
    assert may_decide(call, clicker, rules, now=0) == is_one
    assert is_decided(call, [clicker], rules, now=0) == is_one


def test_four_eyes_bar_the_asker_and_the_editor_whatever_groups_they_are_in() -> None:
    of = Approval(by=("group:comms",), is_asker_barred=True)
    call = a_call(of, edited_by=PersonId("slack:T1/U2"))
    ada, editor = (who(id, groups=("comms",)) for id in ("slack:T1/U1", "slack:T1/U2"))
    for barred in (ada, editor):
        assert not may_decide(call, barred, EMPTY, now=0)
        assert not is_decided(call, [barred], EMPTY, now=0)
    assert may_decide(call, who("slack:T1/U3", groups=("comms",)), EMPTY, now=0)


def test_who_asked_and_whose_account_it_is_may_change_it_without_deciding() -> None:
    call = a_call(Approval(by=("group:comms",)))
    for id in ("slack:T1/U1", "slack:T1/U9"):
        assert may_change(call, who(id), EMPTY, now=0)
        assert not may_decide(call, who(id), EMPTY, now=0)
    assert not may_change(call, who("slack:T1/U5"), EMPTY, now=0)


def test_everybody_who_can_be_listed_is_told_and_not_who_asked() -> None:
    rules = read(groups={"comms": ["person:U3", "person:U1"]})
    call = a_call(Approval(by=("asker", "person:U2", "group:comms", "group:far", "person:a@b.c")))
    assert named(call, rules, now=0) == ("slack:T1/U2", "slack:T1/U3")
    assert not can_be_listed(call, rules, now=0)
    assert can_be_listed(a_call(Approval(by=("group:comms",))), rules, now=0)


def test_a_short_id_is_one_of_the_calls_own_workspace() -> None:
    assert person_id("U2", PLACE) == "slack:T1/U2"
    assert person_id("teams:x/y", PLACE) == "teams:x/y"
    assert person_id("priya@larkspur.example", PLACE) == ""


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"not": "asker"}, "leaves nobody who could approve"),
        ({"needed": 2}, "leaves nobody who could approve"),
        ({"by": "group:x", "needed": 0}, "must be a number from 1 to 9"),
        ({"by": "group:x", "needed": True}, "must be a number from 1 to 9"),
        ({"by": "group:x", "not": "boss"}, "can only be asker"),
        ({"by": "comms"}, "'comms' must be group:… or person:…"),
        ({"by": []}, "names nobody"),
        ({"expires": "soon"}, "must be a time like 30m"),
        ({"expires": "0m"}, "must be a time like 30m"),
        ({"expires": "31d"}, "at most 30d"),
        ({"expires": 4}, "must be a time like 30m"),
        ({"by": "group:x", "deputy": "person:U1"}, "a deputy needs an after"),
        ({"by": "group:x", "after": "1h"}, "an after a deputy"),
        ({"account": "group:x"}, "must be person:…"),
    ],
)
def test_an_approval_that_makes_no_sense_is_refused(rule: Json, sentence: str) -> None:
    with pytest.raises(Misconfigured, match=r"policy\.rules\.1") as refused:
        read({"approve": "tool:mail.send", **rule})
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ({"groups": []}, "must map a name to its members"),
        ({"groups": {"x": ["U1"]}}, "'U1' must be person:…"),
        ({"groups": {"everyone": []}}, "is everyone already"),
        ({"effects": "maybe"}, "must be on or off"),
    ],
)
def test_a_wrong_section_is_refused(section: Json, sentence: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        read_policy(section)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("given", "has_effects"), [("off", False), (False, False), ("on", True), (True, True)]
)
def test_the_switch_is_read_as_yaml_gives_it(given: object, has_effects: bool) -> None:
    assert read(effects=given).has_effects == has_effects


def test_the_version_changes_with_what_the_rules_say_and_with_nothing_else() -> None:
    rule: Json = {"offer": "tool:*"}
    one = read_policy({"rules": [rule]}, {("rules", 0): 3})
    assert version(one) == version(read_policy({"rules": [rule]}, {("rules", 0): 9}))
    others = (
        read(rule, rule),
        read(rule, domains=["a.b"]),
        read(rule, groups={"x": ["person:U1"]}),
        read(rule, effects="off"),
        read({"offer": "tool:*", "approval": {"by": "group:x"}}),
    )
    assert len({version(one), *map(version, others)}) == 6


def test_deputies_stand_in_only_where_one_set_of_approvers_decides() -> None:
    finance = Approval(by=("group:finance",), deputy=("person:U9",), escalate_after=60.0)
    legal = Approval(by=("group:legal",), deputy=("person:U9",), escalate_after=60.0)

    assert strictest([finance]).deputy == ("person:U9",)
    assert strictest([finance, finance]).escalate_after == 60.0
    assert strictest([finance, legal]).deputy == ()
    assert strictest([finance, legal]).escalate_after == 0.0
