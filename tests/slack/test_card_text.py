"""What a card shows is all that will happen, exactly as it is, and none of it does anything."""

import json
import random
import re
from dataclasses import replace

import pytest

from adapters.slack.render import cards, limits, pages, waiting
from adapters.slack.render.escape import JOINER
from bot.workspace.slack.checks import check_message, check_view, objects_of
from core.approvals.card import View, card, in_words
from core.cards import CallId, Card, CardField
from core.connectors.outcome import Description
from core.parked import Approval, ParkedCall
from core.policy.section import read_policy
from core.records import PersonId, ThreadId, TurnId
from tests.slack.counter import MARA, SALES, texts
from tests.slack.test_escape import VECTORS, live

VIEW = View(rules=read_policy({"domains": ["larkspur.example"]}), now=1_000.0)
DATE = re.compile(r"Waits until <!date\^\d+\^\{date_short_pretty\}, \{time\}\|[^|<>]* UTC>")
NAMES = ["priya@larkspur.example", "eve@elsewhere.example", "priya@Iarkspur.example"]
NAMES += ["priya@lаrkspur.example", "Priya <priya@larkspur.example>", "a&b@x.example"]
SUBJECTS = ["Q3", "", "Q3\u202egnp.exe", "a\u200bb\u2060c", "Q3\nBcc: nobody", "*bold* _it_ ~no~"]
SUBJECTS += ["✅ Approved by Ada, 10:42", ":tada: <https://bank.example|Q3>", "&lt;b&gt; & <b>"]
BODIES = ["Attached.", "Hi,\n\n\n\n\n\n\nBcc: all\n", "> quoted\n```code```\n`x`", "x" * 9_000]
BODIES += ['{"type":"section","text":{"type":"mrkdwn","text":"<!channel>"}}', "e\u0301" * 40]
BODIES += [
    "\n".join(f"line {n}" for n in range(60)),
    "<@U0MARA> @here &lt;!channel&gt;",
    "🚲" * 900,
]
FILES = ["Q3.xlsx, 12 kB", "Q3.xlsx\u202excod.exe", "a" * 400, "[Q3](https://bank.example)"]


def call(**more) -> ParkedCall:
    made = ParkedCall(
        id=CallId("c_0123456789abcdef0123"),
        number=17,
        turn=TurnId("t_1"),
        thread=ThreadId("slack:T/C/1"),
        place=SALES,
        address={},
        requester=MARA,
        authority=MARA,
        tool="mail/send",
        tool_digest="",
        arguments={},
        proposed={},
        digest="",
        policy_version="",
        approval=Approval(),
        question="mail it <!channel>",
        sources=("Q3 <@U0MARA>", "orders"),
        parked_at=0.0,
        expires_at=90_000.0,
    )
    return replace(made, **more)


def crafted(count: int) -> list[Card]:
    """Cards of calls that want to hide something, every third one edited."""
    chance = random.Random(11)
    made: list[Card] = []
    for number in range(count):
        now, before = (_described(chance) for _ in range(2))
        edited = PersonId("slack:T/U2") if number % 3 == 0 else None
        row = call(edited_by=edited, revision=1 + (edited is not None))
        made.append(card(row, now, before if edited else now, VIEW))
    return made


def _described(chance: random.Random) -> Description:
    vector = chance.choice(VECTORS)
    found = [
        CardField(label="To", value=", ".join(chance.choices(NAMES, k=chance.randrange(1, 30)))),
        CardField(label="Bcc", value=chance.choice([*NAMES, vector])),
        CardField(label="Subject", value=chance.choice([*SUBJECTS, vector])),
        CardField(label=chance.choice(["Attachment", "File\n*x*"]), value=chance.choice(FILES)),
        CardField(label="Shared with", value=chance.choice(["anybody with the link", vector])),
        CardField(label="Body", value=chance.choice([*BODIES, vector]), is_long=True),
    ]
    fields = chance.sample(found, k=chance.randrange(1, len(found) + 1))
    if chance.random() < 0.1:
        fields += [CardField(label=f"f{number}", value=vector) for number in range(60)]
    return Description(title=f"Send a mail {chance.choice(SUBJECTS)}", fields=tuple(fields))


def said(shown: object) -> str:
    return "".join(texts(shown)).replace(JOINER, "")


def all_fields(one: Card) -> list[str]:
    found = [text for each in one.fields for text in (each.value, each.before or "", *each.marks)]
    return [*found, *(" ".join(each.label.split()) for each in one.fields)]


@pytest.mark.promise("P9", "adapters.slack")
def test_three_hundred_crafted_calls_hide_nothing_and_none_of_their_text_is_live():
    whole = opened = 0
    for one in crafted(300):
        shown = cards.blocks(one)
        check_message({"text": cards.text(in_words(one)), "blocks": shown})
        words = [each["action_id"] for each in shown[-1]["elements"]]
        if "call.send" in words:
            whole += 1
            together = said(shown)
            assert all(text in together for text in all_fields(one))
        else:
            opened += 1
            assert "call.open" in words
            assert "(shortened)" in said(shown) or "more fields" in said(shown) or one.notices
        full = [pages.view(one, page, "m") for page in range(len(pages.pages(one)))]
        for view in full:
            check_view(view, "modal")
            assert inert(view["blocks"])
        together = said([view["blocks"] for view in full])
        assert all(text in together for text in all_fields(one))
        assert inert(shown)
    assert whole > 50 and opened > 50


def inert(shown: list) -> bool:
    """Nothing but literal text, our own date and our own buttons."""
    for found in objects_of(shown):
        match found.get("type"):
            case "mrkdwn":
                assert DATE.fullmatch(found["text"])
            case "text" | "plain_text":
                assert not live(found["text"]), found["text"]
            case "button":
                assert re.fullmatch(r"c_[0-9a-f]{20}:\d|\d+", found["value"])
                assert "url" not in found
            case kind:
                assert kind in {
                    *("header", "rich_text", "rich_text_section", "rich_text_quote"),
                    *("context", "actions", "divider", None),
                }
    return True


@pytest.mark.promise("E5", "adapters.slack")
def test_no_vector_pings_or_passes_for_a_decision_anywhere_on_a_card():
    for vector in VECTORS:
        fields = (CardField(label=vector, value=vector), CardField(label="Body", value=vector))
        one = card(
            call(question=vector, sources=(vector,)),
            Description(title=vector, fields=fields, notices=(vector,)),
            Description(title=vector, fields=fields),
            replace(VIEW, names={MARA: vector}),
        )
        assert inert(cards.blocks(one))
        assert inert(waiting.message([one])["blocks"][1:])
        assert not live(cards.text(in_words(one)))


def test_what_people_wrote_is_never_bold_and_never_above_the_fields():
    forged = "✅ Approved by Ada, 10:42"
    fields = (CardField(label="Subject", value=forged),)
    described = Description(title="Send a mail", fields=fields)
    shown = cards.blocks(card(call(), described, described, VIEW))
    bold = [one["text"] for one in objects_of(shown) if one.get("style", {}) == {"bold": True}]
    assert bold == ["Subject: "]


@pytest.mark.parametrize("size", [2_000, 20_000, 60_000])
@pytest.mark.parametrize("char", ["x", "&", "🚲", "\n", "x "])
def test_any_length_fits_and_is_put_together_again(size, char):
    text = (char * size)[:size]
    described = Description(
        title="Send", fields=(CardField(label="Body", value=text, is_long=True),)
    )
    one = card(call(), described, described, VIEW)
    shown = cards.blocks(one)
    check_message({"text": cards.text(in_words(one)), "blocks": shown})
    assert cards.size(shown) <= limits.MESSAGE_TOTAL
    views = [pages.view(one, page, "m" * 900) for page in range(len(pages.pages(one)))]
    for view in views:
        check_view(view, "modal")
        assert len(json.dumps(view)) < 250_000
    quoted = "".join(
        element["text"]
        for view in views
        for found in objects_of(view)
        if found.get("type") == "rich_text_quote"
        for element in found["elements"]
    )
    assert quoted.replace(JOINER, "") in (one.fields[0].value, one.fields[0].value + " ")


@pytest.mark.parametrize("state", ["done", "failed", "unknown", "cancelled", "expired", "void"])
def test_every_end_is_said_in_words_with_a_sign_and_without_send(state):
    fields = (CardField(label="Body", value="x" * 4_000, is_long=True),)
    described = Description(title="Send a mail", fields=fields)
    row = call(state=state, outcome="It is so.", decided_by=MARA, decided_at=900.0)
    shown = cards.blocks(card(row, described, described, VIEW))
    check_message({"text": "x", "blocks": shown})
    assert "It is so." in said(shown) and "call.send" not in str(shown)
    assert "call.open" in str(shown)


@pytest.mark.parametrize(
    ("link", "is_shown"),
    [
        ("https://outlook.example/1", True),
        ("http://outlook.example/1", False),
        ("javascript:alert(1)", False),
        ("https://a.example/ <!channel>", False),
        ("https://[", False),
    ],
)
def test_only_a_plain_address_on_https_becomes_a_link(link, is_shown):
    described = Description(title="Send a mail", fields=(CardField(label="To", value="a"),))
    row = call(state="done", outcome="Sent.", link=link, decided_by=MARA, decided_at=900.0)
    shown = cards.blocks(card(row, described, described, VIEW))
    links = [one["url"] for one in objects_of(shown) if one.get("type") == "link"]
    assert links == ([link] if is_shown else [])
