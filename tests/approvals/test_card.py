"""The card shows all that will happen: nothing hidden, nothing alive, nothing cut in silence."""

import random
import re
import unicodedata
from typing import Any

import pytest

from core.approvals import plain
from core.approvals.addresses import marks, spelled_out
from core.approvals.card import LONGEST, View, card, in_words
from core.approvals.digest import canonical
from core.approvals.visible import visible
from core.cards import CallId, Card
from core.connectors.outcome import Description
from core.parked import Approval, ParkedCall
from core.policy.rules import Rules
from core.records import Json, PersonId, ThreadId, Tool, TurnId
from tests.approvals.office import PostBox
from tests.storage.examples import ADA, SALES

OWN = frozenset({"larkspur.example"})
VIEW = View(rules=Rules(rules=(), domains=OWN), now=1_000.0, names={ADA.id: "Ada"})
SIGNED: Json = {"signature": "Larkspur Cycles"}
LEAD = Tool(
    server="crm",
    name="create_lead",
    description="Create a lead. It is shown to <!channel>.",
    schema={"type": "object", "properties": {"name": {"title": "Name of the firm"}}},
)


def a_call(arguments: Json, **more: Any) -> ParkedCall:
    return ParkedCall(
        id=CallId("c_1"),
        number=17,
        turn=TurnId("t_1"),
        thread=ThreadId("slack:T1/C1/1"),
        place=SALES,
        address={},
        requester=ADA.id,
        authority=ADA.id,
        tool="mail/send",
        tool_digest="d",
        arguments=arguments,
        proposed=more.pop("proposed", arguments),
        digest="x",
        policy_version="p",
        approval=more.pop("approval", Approval()),
        question=more.pop("question", "mail it"),
        parked_at=0.0,
        expires_at=86_400.0,
        **more,
    )


def drawn(described: Description, call: ParkedCall, view: View = VIEW, **more: Any) -> Card:
    return card(call, described, described, view, **more)


def of_mail(arguments: Json) -> Card:
    return drawn(PostBox().describe(arguments, SIGNED), a_call(arguments))


def of_lead(arguments: Json) -> Card:
    return drawn(plain.describe(arguments, plain.facts(LEAD)), a_call(arguments))


def everything(shown: Card) -> str:
    """All that a card says, as one text."""
    fields = [part for one in shown.fields for part in (one.label, one.value, one.before or "")]
    return "\n".join([shown.title, *fields, *shown.notices, shown.status, *shown.sources])


NASTY = (
    *("\u202e", "\u2066", "\u200b", "\u200d", "\ufeff", "\u00ad", "\u2028", "\u3164", "\u2800"),
    *("\U000e0041", "\ufe01", "\x1b", "\x00", "\x07", "\u061c", "\ue000"),
    *("<!channel>", "<!here|x>", "<@U666>", "<#C1>", "<https://evil.example|bank>", "@everyone"),
    *("@here", "[click](https://evil.example)", "![x](https://evil.example/?q=1)", "<b>bold</b>"),
    *("<script>x</script>", "<at>Ada</at>", "</style>", "@channel", "[a][b]"),
)
LIVE = re.compile(r"<[!@#/a-zA-Z]|\]\(|\]\[|(?<![\w.])@\w")
ADDRESSES = (
    *(
        "priya@larkspur.example",
        "x@evil.example",
        "a@lаrkspur.example",
        "CEO <ceo@1arkspur.example>",
    ),
)


def is_hidden(char: str) -> bool:
    return char not in "\n\t" and (
        unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp")
        or char in "\u3164\u2800\u115f\u1160\uffa0\u034f"
        or "\ufe00" <= char <= "\ufe0f"
    )


def nasty_text(chance: random.Random, size: int) -> str:
    words = [f"w{chance.randrange(10**6)}" for _ in range(size)]
    for _ in range(chance.randint(0, 4)):
        words.insert(chance.randint(0, len(words)), chance.choice(NASTY))
    return chance.choice(("", " ", "\n")).join(words) if chance.random() < 0.3 else " ".join(words)


def crafted(chance: random.Random) -> Json:
    arguments: Json = {
        "to": [chance.choice(ADDRESSES) for _ in range(chance.randint(1, 3))],
        "subject": nasty_text(chance, 3),
        "body": nasty_text(chance, chance.choice((3, 30, 900))),
    }
    if chance.random() < 0.5:
        arguments["bcc"] = [chance.choice(ADDRESSES)]
    if chance.random() < 0.3:
        arguments["attachments"] = [nasty_text(chance, 1)]
    if chance.random() < 0.3:
        arguments["amount"] = chance.choice((10.5, 1e21, -3))
    return canonical(arguments)


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for key, inner in value.items() for text in (*texts(inner),)]
    if isinstance(value, list):
        return [text for inner in value for text in texts(inner)]
    return [str(value)]


@pytest.mark.promise("P9", "core.approvals")
def test_of_three_hundred_crafted_calls_nothing_is_hidden_and_nothing_is_alive() -> None:
    chance = random.Random(1)
    opened = 0
    for number in range(300):
        arguments = crafted(chance)
        if number % 2:
            arguments = {"name": "Acme", "nested": {"deep": [arguments, {"more": "w1 w2"}]}}
        shown = of_lead(arguments) if number % 2 else of_mail(arguments)
        said = everything(shown)
        for text in texts(arguments):
            for word in re.findall(r"w\d+|[\w.]+\.example", text):
                assert word in said, (number, word)
        assert not [char for char in said if is_hidden(char)]
        assert not LIVE.search(said), LIVE.search(said)
        assert "{" not in said
        long = sum(len(one.value) for one in shown.fields) > LONGEST
        assert not long or shown.buttons[0] == "open"
        opened += shown.buttons[0] == "open"
        marked = {mark for one in shown.fields for mark in one.marks}
        raw = "".join(texts(arguments))
        assert ("hidden characters" in marked) == any(is_hidden(char) for char in raw)
        assert not number % 2 == 0 or ("external" in marked) == (
            "evil" in raw.replace("https://evil.example", "") or "аrkspur" in raw or "1ark" in raw
        )
    assert 60 < opened < 200


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("pay\u202eexe.fdp", "pay⟨U+202E⟩exe.fdp"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("x" + "\n" * 60 + "bcc", "x\n⟨60 empty lines⟩\nbcc"),
        ("x" + " " * 90 + "y", "x ⟨90 spaces⟩ y"),
        ("<!channel> pay", "‹!channel› pay"),
        ("see [this](https://e.example)", "see [this]❨https://e.example)"),
        ("mail ada@x.example, @here", "mail ada@x.example, ＠here"),
        ("e\u0301\u0301\u0301\u0301", "e\u0301\u0301\u0301⟨U+0301⟩"),
        ("a < b > c", "a < b > c"),
        ("👩‍💻 ❤️‍🔥 1️⃣", "👩‍💻 ❤️‍🔥 1️⃣"),
        ("שלום, Grüße, 你好, مرحبا", "שלום, Grüße, 你好, مرحبا"),
        ("x\u200d\u200dy", "x⟨U+200D⟩⟨U+200D⟩y"),
    ],
)
def test_what_hides_is_spelled_out_and_what_is_harmless_stays(text: str, shown: str) -> None:
    assert visible(text).text == shown


@pytest.mark.parametrize(
    ("address", "marked"),
    [
        ("priya@larkspur.example", ()),
        ("PRIYA@LARKSPUR.EXAMPLE", ()),
        ("priya@other.example", ("external",)),
        ("priya@larkspur.example.evil.com", ("external",)),
        ("priya@lаrkspur.example", ("external", "look-alike")),
        ("priya@1arkspur.example", ("external", "look-alike")),
        ("priya@xn--lrkspur-2fg.example", ("external", "look-alike")),
        ("prіya@larkspur.example", ("look-alike",)),
        ("priya@lark-spur.example", ("external", "look-alike")),
    ],
)
def test_an_address_is_marked_for_where_it_leads(address: str, marked: tuple[str, ...]) -> None:
    assert marks(address, OWN) == marked


def test_a_foreign_domain_is_spelled_as_the_network_knows_it() -> None:
    assert spelled_out("a@lаrkspur.example").endswith("(xn--lrkspur-2fg.example)")


def test_a_foreign_tools_call_is_said_in_words() -> None:
    shown = of_lead(
        {"name": "Acme", "contacts": [{"firstName": "Bo", "tags": ["a", "b, c"]}], "is_big": True,
         "note": None, "empty": ""}
    )  # fmt: skip
    assert shown.title == "Create lead (crm)"
    assert [(one.label, one.value) for one in shown.fields] == [
        ("What it does", "Create a lead."),
        ("Name of the firm", "Acme"),
        ("Contacts › 1 › First name", "Bo"),
        ("Contacts › 1 › Tags", "a\nb, c"),
        ("Is big", "yes"),
        ("Note", "(nothing)"),
        ("Empty", "(empty)"),
    ]


def test_the_signature_that_the_host_adds_is_on_the_card() -> None:
    """Peers' case 30."""
    shown = of_mail({"to": ["priya@larkspur.example"], "subject": "s", "body": "b"})
    assert ("Signature", "Larkspur Cycles") in [(one.label, one.value) for one in shown.fields]


def test_a_long_card_is_sent_only_from_where_it_is_whole() -> None:
    arguments: Json = {"to": ["a@b.example"], "subject": "s", "body": "line\n" * 100}
    described = PostBox().describe(arguments, SIGNED)
    closed = drawn(described, a_call(arguments))
    opened = drawn(described, a_call(arguments), is_opened=True)
    assert (closed.buttons[0], opened.buttons[0]) == ("open", "send")
    assert closed.fields == opened.fields
    assert any("Longer than a card" in notice for notice in closed.notices)


@pytest.mark.parametrize(
    ("state", "buttons", "status"),
    [
        ("parked", ("send", "edit", "cancel"), ""),
        ("approved", (), "Agreed by Ada, 00:15 UTC; it is being carried out…"),
        ("done", (), "Sent. (Ada, 00:15 UTC)"),
        ("failed", ("again",), "Not carried out. Sent."),
        ("unknown", ("was_sent", "again"), "Sent."),
        ("cancelled", (), "Cancelled by Ada, 00:15 UTC: Sent."),
        ("expired", (), "Expired: nobody decided in time. Nothing was sent. Sent."),
        ("void", (), "Sent."),
    ],
)
def test_each_state_has_its_words_and_buttons(state: Any, buttons: Any, status: str) -> None:
    call = a_call({}, state=state, outcome="Sent.", decided_by=ADA.id, decided_at=900.0)
    shown = drawn(Description(title="Send", fields=()), call)
    assert (shown.buttons, shown.status) == (buttons, status)


@pytest.mark.parametrize(
    ("effect", "said"),
    [("blind", "Cannot be verified afterwards"), ("checkable", "Can be verified afterwards")],
)
def test_a_card_says_whether_what_comes_of_it_can_be_known(effect: Any, said: str) -> None:
    shown = drawn(Description(title="Send", fields=()), a_call({}, effect=effect))
    assert [notice.startswith(said) for notice in shown.notices].count(True) == 1


def test_a_reason_or_an_answer_from_outside_is_made_harmless_too() -> None:
    call = a_call({}, state="failed", outcome="see <!channel> \u202e", question="<@U1>")
    shown = drawn(Description(title="<!here>", fields=()), call)
    assert "‹!channel› ⟨U+202E⟩" in shown.status
    assert (shown.title, shown.question) == ("‹!here›", "‹＠U1›")


def test_two_fields_of_one_name_are_told_apart() -> None:
    shown = of_lead({"first_name": "a", "firstName": "b"})
    assert [one.label for one in shown.fields[1:]] == ["First name", "First name (2)"]


def test_the_words_of_a_card_name_it_and_its_recipients() -> None:
    shown = of_mail({"to": ["priya@larkspur.example"], "subject": "s", "body": "b"})
    assert in_words(shown).splitlines()[:2] == [
        "#17 Send a mail: waits for Ada",
        "To: priya@larkspur.example",
    ]


def test_a_card_names_who_decides() -> None:
    approval = Approval(by=("group:comms", "person:U2"), needed=2, is_asker_barred=True)
    call = a_call({}, approval=approval)
    view = View(rules=VIEW.rules, now=0.0, names={PersonId("slack:T1/U2"): "Priya"})
    shown = drawn(Description(title="x", fields=()), call, view)
    assert shown.approvers == "2 of comms or Priya, not whoever asked"
