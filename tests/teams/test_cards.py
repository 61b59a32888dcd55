"""The card that a person decides by, in Teams: all of it, inert, and within Teams' limits."""

import json

import pytest

from adapters.teams.render import cards, forms, limits
from bot.workspace.teams import checks
from bot.workspace.teams_server import actions
from core.cards import CallId, Card, CardField
from core.parked import Form, FormField

HOSTILE = "**bold** [click](https://evil.example) <at>Mara</at> {{DATE(2026-01-01T00:00:00Z)}}"


def card(*fields, **more):
    made = {
        "call": CallId("c_1"),
        "number": 17,
        "revision": 2,
        "state": "parked",
        "title": "Send a mail",
        "fields": fields,
        "buttons": ("send", "edit", "cancel"),
        "expires_at": 1_796_000_000.0,
        "approvers": "Mara",
        "question": "mail it",
    }
    return Card(**(made | more))


def runs(value):
    """Every run of text in the card."""
    if isinstance(value, list):
        return [found for one in value for found in runs(one)]
    if not isinstance(value, dict):
        return []
    own = [value["text"]] if value.get("type") == "TextRun" else []
    return own + [found for one in value.values() for found in runs(one)]


def titles(content):
    return [action["title"] for action in actions(content)]


@pytest.mark.promise("P9", "adapters.teams")
def test_with_send_on_the_card_every_field_is_there_whole():
    body = "\n".join(f"Line {number}: " + "words " * 12 for number in range(60))
    shown = cards.content(
        card(
            CardField(label="To", value="priya@x.example", marks=("external",)),
            CardField(label="Subject", value="Q3", before="Q2"),
            CardField(label="Body", value=body, is_long=True),
        )
    )
    checks.card(shown)
    said = runs(shown)
    assert titles(shown) == ["Send", "Edit", "Cancel"]
    assert all(line in said for line in body.split("\n"))
    for part in ("priya@x.example", "  ↗ external", "Q2", "Q3", "#17 Send a mail"):
        assert part in said


@pytest.mark.promise("P9", "adapters.teams")
def test_a_card_that_is_too_long_says_so_and_is_sent_from_its_last_page_alone():
    long = card(CardField(label="Body", value="word " * 12_000, is_long=True))
    shown = cards.content(long)
    assert titles(shown) == ["Open full text", "Edit", "Cancel"]
    assert any("(shortened)" in text for text in runs(shown))
    text, page = "", 0
    while True:
        opened = cards.page(long, page)
        checks.card(opened)
        assert limits.size(opened) <= limits.MESSAGE_BYTES
        text += "".join(run for run in runs(opened) if run.startswith(("word", " ", "ord", "rd")))
        if "Send" in titles(opened):
            break
        assert "Next page" in titles(opened)
        page += 1
    assert page > 0 and text.count("word") >= 11_000


@pytest.mark.promise("E5", "adapters.teams")
def test_nothing_that_a_field_says_is_markup():
    shown = cards.content(
        card(
            CardField(label=HOSTILE, value=HOSTILE),
            CardField(label="Body", value=HOSTILE, is_long=True),
            title=HOSTILE,
            question=HOSTILE,
            notices=(HOSTILE,),
            status=HOSTILE,
            sources=(HOSTILE,),
            approvers=HOSTILE,
        )
    )
    blocks = [one for one in shown["body"] if one["type"] == "TextBlock"]
    assert len(blocks) == 1 and "evil" not in json.dumps(blocks)
    assert HOSTILE in runs(shown)


def test_a_button_carries_call_and_revision_and_nobodys_name():
    for action in actions(cards.content(card())):
        assert action["type"] == "Action.Execute"
        assert action["data"] == {"call": "c_1", "revision": 2}


def test_a_form_gives_back_what_was_changed_and_nothing_else():
    form = Form(
        call=CallId("c_1"),
        revision=1,
        title="Edit",
        fields=(
            FormField(name="to", label="To", kind="list", value=["a@x.example", "b@x.example"]),
            FormField(name="body", label="Body", kind="long_text", value="one\ntwo"),
            FormField(name="count", label="Count", kind="integer", value=3),
            FormField(name="loud", label="Loud", kind="flag", value=False),
            FormField(name="kind", label="Kind", kind="choice", value="b", choices=("a", "b")),
            FormField(name="fixed", label="From", kind="text", value="me", is_fixed=True),
        ),
    )
    shown = forms.content(form)
    checks.card(shown)
    same = {"f0": "a@x.example\r\nb@x.example", "f1": "one\ntwo", "f2": 3, "f3": "false", "f4": "1"}
    assert forms.values(form, same) == {}
    changed = {**same, "f1": "one", "f2": 4, "f3": "true", "f4": "0", "f5": "you", "f9": "x"}
    found = forms.values(form, changed)
    assert found == {"body": "one", "count": "4", "loud": True, "kind": "a"}
