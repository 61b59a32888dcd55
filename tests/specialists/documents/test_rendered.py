"""Citations of documents render on both chats, whatever a document is called."""

import json

import pytest

from adapters.slack.render import blocks
from adapters.teams.render import messages
from bot.workspace.slack.checks import block_problems, check_message
from core.policy.links import Citable, settle
from core.records import Answer

NAMES = (
    "a|b.pdf",
    "<!channel>.md",
    "two\nlines.docx",
    "[brackets](https://evil.example).pdf",
    "`code` *bold* _it_.md",
    "& < > \" '.pdf",
    "<@U0MARA>.txt",
    "<https://evil.example|click>.pdf",
    "very " * 60 + "long.pdf",
    "rtl \u202egnp.exe",
    "@everyone.md",
    "日本語の規則.pdf",
)


def answered() -> Answer:
    """Twelve documents, cited out of order, some not at all, one twice."""
    links = tuple(
        (" ".join(name.split())[:150], f"https://bot.example/documents/passage?key=k{number}#here")
        for number, name in enumerate(NAMES, start=1)
    )
    cited = " ".join(f"Claim {n} [0.{n}]." for n in (12, 3, 1, 2, 4, 6, 5, 8, 9, 10, 11, 3, 13))
    text, chips = settle(cited, [Citable(number=0, label="Documents", links=links)])
    return Answer(text=text, chips=chips, cost=None)


@pytest.mark.promise("E1", "core.specialists")
def test_numbers_run_from_one_without_gaps_and_lead_where_the_passage_is() -> None:
    answer = answered()
    assert answer.text.startswith("Claim 12 [1]. Claim 3 [2]. Claim 1 [3].")
    assert answer.text.endswith("Claim 11 [11]. Claim 3 [2]. Claim 13.")
    assert [chip.number for chip in answer.chips] == list(range(1, 12))
    assert answer.chips[0].url.endswith("key=k12#here")
    assert answer.chips[1].url.endswith("key=k3#here")


@pytest.mark.promise("E1", "core.specialists")
def test_slack_shows_each_name_as_a_name() -> None:
    rendered = blocks.render(answered())
    for message in rendered.messages:
        shown = {"text": message.text, "blocks": list(message.blocks)}
        check_message(shown)
        assert block_problems(list(message.blocks)) == []
        whole = json.dumps(shown, ensure_ascii=False)
        assert "<!channel>" not in whole and "<@U0MARA>" not in whole
        assert "<https://evil" not in whole and "evil.example|" not in whole


@pytest.mark.promise("E1", "core.specialists")
def test_teams_shows_each_name_as_a_name() -> None:
    shown = messages.render(answered())
    assert json.dumps(shown).count("documents/passage?key=") >= 11
    # A source's name is plain text there; what is Markdown is the message.
    text = " ".join(message["text"] for message in shown)
    assert "evil" not in text and "<at>" not in text
