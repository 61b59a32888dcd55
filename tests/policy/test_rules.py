"""What the rules decide: withhold beats approval, approval beats offer, no rule means no offer."""

import pytest

from core.policy.rules import (
    CHANGED,
    EVERYTHING,
    NO_APPROVALS,
    NOT_ACCEPTED,
    NOT_OFFERED,
    Rule,
    Rules,
    is_admin,
    may_call,
    needs_approval,
    permit,
    version,
)
from core.policy.section import read_policy
from core.policy.tags import is_spoken_of, speaks_of
from core.records import Json, PermittedSet, Person, PersonId, Place, PlaceKind, Tool

ANN = Person(id=PersonId("slack:T1/U1"), groups=("sales",))
BOB = Person(id=PersonId("slack:T1/U2"), groups=("hr", "it-admins"))


def place(kind: PlaceKind = "public", channel: str = "C1", name: str = "general") -> Place:
    return Place(surface="slack", tenant="T1", channel=channel, kind=kind, name=name)


def tool(key: str, *tags: str, digest: str = "d1") -> Tool:
    server, _, name = key.partition("/")
    return Tool(
        server=server, name=name, description="", schema={}, tags=frozenset(tags), digest=digest
    )


SALES = tool("crm/deals", "connector:sales")
SALARY = tool("people/salary", "connector:hr")
MAIL = tool("mail/send", "requires_approval")
SHEET = tool("crm/sheet", "connector:sales", "produces_file", "format:xlsx")
TOOLS = (SALES, SALARY, MAIL, SHEET)
ACCEPTED = {each.key: "d1" for each in TOOLS}


def permitted(
    rules: Rules,
    person: Person = ANN,
    where: Place | None = None,
    words: str = "",
    *,
    approvals: bool = False,
) -> PermittedSet:
    return permit(TOOLS, person, where or place(), words, rules, ACCEPTED, approvals=approvals)


def offered(rules: Rules, *args: object, **more: object) -> set[str]:
    return {each.key for each in permitted(rules, *args, **more).offered}  # type: ignore[arg-type]


def reason(rules: Rules, key: str, *args: object, **more: object) -> str:
    found = permitted(rules, *args, **more)  # type: ignore[arg-type]
    return next(each.rule for each in found.withheld if each.key == key)


def rules(*given: Json, **more: object) -> Rules:
    return read_policy({"rules": list(given), **more})


def test_without_a_policy_section_what_is_accepted_is_offered_to_everyone() -> None:
    assert read_policy(None) == EVERYTHING
    assert offered(EVERYTHING) == {"crm/deals", "people/salary"}


def test_what_no_rule_offers_is_not_offered() -> None:
    some = rules({"offer": "tag:connector:sales"})
    assert offered(some) == {"crm/deals"}
    assert reason(some, "people/salary") == NOT_OFFERED
    assert offered(rules()) == set()


def test_every_matching_rule_applies_and_withholding_wins_whatever_the_order() -> None:
    offer, withhold = {"offer": "tool:*"}, {"withhold": "tag:connector:hr", "in": "place:public"}
    for given in ((offer, withhold), (withhold, offer)):
        assert "people/salary" not in offered(rules(*given))
        assert "people/salary" in offered(rules(*given), ANN, place("private"))
    told = reason(rules(offer, withhold), "people/salary")
    assert told == "rule 2 withholds tag:connector:hr in place:public"


@pytest.mark.parametrize(
    ("to", "for_ann", "for_bob"),
    [
        ("group:everyone", True, True),
        ("group:sales", True, False),
        (["group:hr", "group:sales"], True, True),
        ("person:slack:T1/U1", True, False),
        ("person:U1", True, False),
        ("person:1", False, False),
        ("group:nobody", False, False),
    ],
)
def test_a_rule_is_for_the_people_that_it_names(to: object, for_ann: bool, for_bob: bool) -> None:
    some = rules({"offer": "tool:crm/deals", "to": to})
    assert ("crm/deals" in offered(some, ANN)) is for_ann
    assert ("crm/deals" in offered(some, BOB)) is for_bob


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ("place:public", True),
        ("place:private", False),
        ("place:C1", True),
        ("place:slack:T1/C1", True),
        ("place:slack:T2/C1", False),
        ("place:#general", True),
        ("place:#other", False),
        (["place:dm", "place:public"], True),
    ],
)
def test_a_rule_is_for_the_places_that_it_names(where: object, holds: bool) -> None:
    assert bool(offered(rules({"offer": "tool:crm/deals", "in": where}))) is holds


def test_a_channel_that_is_called_private_is_not_private() -> None:
    some = rules({"offer": "tool:*", "in": "place:private"})
    assert offered(some, ANN, place("public", name="private")) == set()
    assert offered(some, ANN, place("public", channel="private")) == set()


@pytest.mark.parametrize("what", ["tool:crm/deals", "tool:crm.deals", "server:crm"])
def test_a_tool_is_named_by_its_key_or_its_server(what: str) -> None:
    assert "crm/deals" in offered(rules({"offer": what}))
    assert "people/salary" not in offered(rules({"offer": what}))


def test_a_tool_named_like_another_ones_alias_is_not_it() -> None:
    other = tool("crm_deals/x")
    some = rules({"offer": "tool:crm_deals"})
    assert permit((SALES, other), ANN, place(), "", some, {other.key: "d1"}).offered == ()


def test_what_needs_an_approval_is_withheld_while_approvals_are_not_switched_on() -> None:
    assert reason(EVERYTHING, "mail/send") == (
        f"{NO_APPROVALS}: the tool is tagged requires_approval"
    )
    assert "mail/send" in offered(EVERYTHING, approvals=True)
    assert needs_approval(MAIL, {}, ANN, place(), EVERYTHING)
    assert not needs_approval(SALES, {}, ANN, place(), EVERYTHING)


@pytest.mark.parametrize(
    "asking",
    [
        ({"offer": "tool:*"}, {"approve": "tool:crm/deals", "by": "group:comms"}),
        ({"offer": "tool:*"}, {"offer": "tool:crm/deals", "approval": {"by": "asker"}}),
    ],
)
def test_a_rule_can_ask_for_an_approval(asking: tuple[Json, ...]) -> None:
    some = rules(*asking)
    assert reason(some, "crm/deals").startswith(f"{NO_APPROVALS}: rule 2")
    assert "crm/deals" in offered(some, approvals=True)
    assert needs_approval(SALES, {}, ANN, place(), some).startswith("rule 2")


def test_no_rule_waives_the_approval_that_a_tool_asks_for() -> None:
    some = rules({"offer": "tool:mail/send"}, {"offer": "tag:requires_approval"})
    assert offered(some) == set()
    assert needs_approval(MAIL, {}, ANN, place(), some)


def conditional(verb: str, **test: object) -> Rules:
    return rules(
        {"offer": "tool:*"},
        {verb: "tool:crm/deals", "when": {"argument": "to", **test}},
        domains=["own.example"],
    )


@pytest.mark.parametrize(
    ("test", "meets", "meets_not"),
    [
        ({"is": "a"}, "a", "b"),
        ({"is_not": "a"}, "b", "a"),
        ({"in": ["a", "b"]}, "b", "c"),
        ({"contains": "Secret"}, "top SECRET", "open"),
        ({"over": 100}, 101, 100),
        ({"under": 0}, -1, 0),
        ({"over": 100}, "101", 99),
        ({"is": "external"}, "x@evil.example", "x@own.example"),
        ({"is": "external"}, ["x@own.example", "y@evil.example"], ["x@OWN.example"]),
        ({"is": "external"}, "x@evil.example, y@own.example", "x@own.example; y@own.example"),
        ({"is": "external"}, "x@own.example.evil.example", "Ann <x@own.example>"),
    ],
)
def test_a_condition_is_open_at_binding_and_decided_at_the_call(
    test: Json, meets: object, meets_not: object
) -> None:
    for verb in ("withhold", "approve"):
        some = conditional(verb, **test)
        assert "crm/deals" in offered(some), "not known yet"
        refused = may_call(SALES, {"to": meets}, ANN, place(), "", some, ACCEPTED)
        assert "rule 2" in refused
        assert not may_call(SALES, {"to": meets_not}, ANN, place(), "", some, ACCEPTED)


def test_a_conditional_offer_is_offered_and_held_to_its_condition_at_the_call() -> None:
    some = rules({"offer": "tool:crm/deals", "when": {"argument": "amount", "under": 100}})
    assert "crm/deals" in offered(some)
    assert not may_call(SALES, {"amount": 99}, ANN, place(), "", some, ACCEPTED)
    for doubtful in ({"amount": 100}, {}, {"amount": "99"}, {"amount": True}):
        assert may_call(SALES, doubtful, ANN, place(), "", some, ACCEPTED) == NOT_OFFERED


def test_the_call_is_held_to_all_that_the_binding_was_held_to() -> None:
    assert may_call(SALES, {}, ANN, place(), "", EVERYTHING, {}) == NOT_ACCEPTED
    assert may_call(SALES, {}, ANN, place(), "", EVERYTHING, {SALES.key: "d0"}) == CHANGED
    assert may_call(SHEET, {}, ANN, place(), "hello", EVERYTHING, ACCEPTED)
    assert not may_call(SHEET, {}, ANN, place(), "as Excel", EVERYTHING, ACCEPTED)
    assert not may_call(MAIL, {}, ANN, place(), "", EVERYTHING, ACCEPTED, approvals=True), (
        "it is parked, not refused"
    )


def test_a_tool_without_a_digest_is_never_accepted() -> None:
    bare = tool("crm/deals", digest="")
    assert permit((bare,), ANN, place(), "", EVERYTHING, {"crm/deals": ""}).offered == ()


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        ("xlsx", "Q3 per region as an Excel file, please"),
        ("xlsx", "put that into a spreadsheet"),
        ("xlsx", "two SPREADSHEETS"),
        ("xlsx", "send me report.xlsx"),
        ("xlsx", "a work-book? a workbook!"),
        ("pptx", "make slides of it"),
        ("pptx", "a slide-deck"),
        ("docx", "as a Word document"),
        ("csv", "comma-separated values"),
        ("chart", "plot revenue by month"),
        ("pdf", "as PDF"),
        ("dwg", "the drawing as dwg"),
    ],
)
def test_a_format_is_spoken_of_in_the_usual_words(format_: str, text: str) -> None:
    assert speaks_of(text, format_)


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        ("xlsx", "what did we sell per region in Q3?"),
        ("xlsx", "he excels at sales"),
        ("pptx", "the landslide"),
        ("docx", "in other words"),
        ("chart", "the charter flight"),
        ("csv", "separate them"),
        ("pdf", ""),
    ],
)
def test_an_ordinary_question_speaks_of_no_format(format_: str, text: str) -> None:
    assert not speaks_of(text, format_)


def test_a_tool_of_a_format_is_offered_only_to_a_question_that_speaks_of_it() -> None:
    assert "crm/sheet" not in offered(EVERYTHING, words="deals per region")
    assert "crm/sheet" in offered(EVERYTHING, words="deals per region as a spreadsheet")
    assert reason(EVERYTHING, "crm/sheet") == "the question does not speak of xlsx"
    assert is_spoken_of(frozenset(("format:pdf", "format:xlsx")), "a pdf")


def test_the_admins_are_those_that_the_file_names() -> None:
    some = rules(admins=["group:it-admins"])
    assert is_admin(BOB, some)
    assert not is_admin(ANN, some)
    assert not is_admin(BOB, EVERYTHING)


def test_a_rule_names_its_people_only_where_it_is_not_for_everyone() -> None:
    for_all = Rule(number=1, verb="offer", what="tool:*")
    for_sales = Rule(number=2, line=7, verb="withhold", what="tool:a/b", to=("group:sales",))

    assert str(for_all) == "rule 1 offers tool:*"
    assert str(for_sales) == "rule 2 withholds tool:a/b for group:sales (line 7)"


def test_the_version_of_rules_is_sixteen_digits() -> None:
    assert len(version(EVERYTHING)) == 16
    assert set(version(EVERYTHING)) <= set("0123456789abcdef")
