"""Who decides once time has passed or somebody has edited, and how people are told who that is."""

from dataclasses import replace

import pytest

from core.parked import Approval
from core.policy.approvers import (
    can_be_listed,
    in_words,
    is_decided,
    is_stuck,
    may_change,
    may_decide,
    named,
    strictest,
)
from core.records import PersonId
from tests.policy.test_approvers import ADA, EMPTY, a_call, read, who

BOSS = "person:U8"
DEPUTISED = Approval(by=(BOSS,), deputy=("person:U9",), escalate_after=60.0)
EYES = Approval(by=("person:U1", "person:U2"), is_asker_barred=True)


@pytest.mark.parametrize(("now", "is_late"), [(159.9, False), (160.0, True)])
def test_a_deputy_decides_from_the_moment_on_and_not_before(now: float, is_late: bool) -> None:
    call = replace(a_call(DEPUTISED), parked_at=100.0)
    boss, deputy = who("slack:T1/U8"), who("slack:T1/U9")
    assert may_decide(call, deputy, EMPTY, now=now) == is_late
    assert may_decide(call, boss, EMPTY, now=now)
    assert ("slack:T1/U9" in named(call, EMPTY, now=now)) == is_late


def test_without_a_deputy_time_changes_nothing() -> None:
    call = a_call(Approval(by=(BOSS,)))
    assert named(call, EMPTY, now=1e9) == ("slack:T1/U8",)


def test_one_of_either_set_may_decide_and_both_are_needed() -> None:
    call = a_call(Approval(by=(BOSS,), also=(("person:U7",),)))
    one, other = who("slack:T1/U8"), who("slack:T1/U7")
    for each in (one, other):
        assert may_decide(call, each, EMPTY, now=0)
        assert may_change(call, each, EMPTY, now=0)
        assert not is_decided(call, [each], EMPTY, now=0)
    assert is_decided(call, [one, other], EMPTY, now=0)


def test_the_later_of_two_times_lets_the_same_deputy_in() -> None:
    soon, late = DEPUTISED, replace(DEPUTISED, escalate_after=90.0)
    assert strictest([soon, late]).escalate_after == 90.0
    other = Approval(by=("group:legal",), deputy=("person:U5",), escalate_after=5.0)
    assert strictest([other, replace(soon, by=(BOSS, "group:legal"))]).deputy == ("person:U5",)


def test_only_members_of_groups_that_the_policy_names_are_listed() -> None:
    rules = read(groups={"comms": ["person:U3"]})
    call = a_call(Approval(by=("person:U2", "group:comms")))
    assert named(call, rules, now=0) == ("slack:T1/U2", "slack:T1/U3")
    assert can_be_listed(a_call(Approval(by=("person:U2",))), EMPTY, now=0)
    assert not can_be_listed(a_call(Approval(by=("person:U2", "group:far"))), rules, now=0)


@pytest.mark.parametrize(
    ("of", "edited_by", "is_so"),
    [
        (EYES, "", False),
        (EYES, "slack:T1/U2", True),
        (EYES, "slack:T1/U3", False),
        (replace(EYES, is_asker_barred=False), "slack:T1/U2", False),
        (replace(EYES, needed=2), "", True),
        (replace(EYES, by=("group:pair",)), "slack:T1/U2", True),
        (replace(EYES, by=("group:far",)), "slack:T1/U2", False),
        (replace(EYES, by=("person:a@b.c",)), "slack:T1/U2", False),
        (replace(EYES, also=(("person:U1",),)), "", True),
        (replace(EYES, by=("person:U1",)), "", True),
        (replace(EYES, by=("person:U1",), deputy=("person:U4",), escalate_after=9.0), "", False),
    ],
    ids=[
        "another is left", "the other has edited it", "somebody else has", "no four eyes",
        "two are needed", "in a group", "in a group nobody can list", "an address is anybody's",
        "one of two sets", "nobody but the asker", "a deputy is left",
    ],
)  # fmt: skip
def test_four_eyes_with_nobody_left_are_seen(of: Approval, edited_by: str, is_so: bool) -> None:
    rules = read(groups={"pair": ["person:U1", "person:U2"]})
    assert is_stuck(a_call(of, edited_by=PersonId(edited_by)), rules) == is_so


@pytest.mark.parametrize(
    ("of", "words"),
    [
        (Approval(by=("asker",)), "Ada"),
        (Approval(by=("group:everyone",)), "anybody"),
        (Approval(by=("group:comms",)), "someone of comms"),
        (Approval(by=("group:comms", BOSS)), "someone of comms or Bo"),
        (Approval(by=("person:T1/U5",)), "U5"),
        (Approval(by=("group:comms",), also=((BOSS,),)), "someone of comms and Bo"),
        (Approval(by=("group:comms",), needed=2), "2 of comms"),
        (Approval(by=(BOSS,), is_asker_barred=True), "Bo, not whoever asked"),
    ],
)
def test_who_decides_is_said_in_words(of: Approval, words: str) -> None:
    names = {ADA.id: "Ada", PersonId("slack:T1/U8"): "Bo"}
    assert in_words(a_call(of), names, now=0) == words


def test_whose_name_nobody_knows_is_whoever_asked() -> None:
    assert in_words(a_call(Approval(by=("asker",))), {}, now=0) == "whoever asked"
