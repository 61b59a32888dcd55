"""Words are shown while the model writes them, and none of them before it is settled."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.policy.links import REMOVED, settle
from core.ports import Step
from core.records import Evidence, EvidenceId, PersonId, ThreadId, TurnId
from core.turn.telling import Telling, citables_of, ready
from tests.fakes.model_script import call, say
from tests.fakes.model_server import ModelServer
from tests.house import House
from tests.turn.reading import MENTION, text_of


class Board:
    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.asked = 0
        self.has_begun = False

    def more(self) -> None:
        self.asked += 1

    def step(self, step: Step) -> None:
        self.steps.append(step)


def piece(number: int, *links: tuple[str, str]) -> Evidence:
    return Evidence(
        id=EvidenceId(f"t_1.{number}"),
        turn=TurnId("t_1"),
        thread=ThreadId("slack:T1/C1/1"),
        person=PersonId("slack:T1/U1"),
        tool="a/b",
        title=f"Evidence {number}",
        arguments={},
        text="",
        links=links,
        made_at=1.0,
    )


KNOWN = (piece(1, ("Orders", "https://a.example/orders")), piece(2))


def telling() -> Telling:
    told = Telling()
    told.may_cite(KNOWN)
    told.begin()
    return told


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("One line", ""),
        ("One.\nTwo", "One.\n"),
        ("One.\nTwo `open\n", "One.\n"),
        ("One.\n[label\n", "One.\n"),
        ("One.\n[label\n\nTwo.\n", "One.\n[label\n\nTwo.\n"),
        ("```sql\nSELECT `a\nFROM", "```sql\nSELECT `a\n"),
        ("```x``` is code\nTwo `", "```x``` is code\n"),
    ],
)
def test_whole_lines_are_ready_unless_they_leave_something_open(text: str, shown: str) -> None:
    assert text[: ready(text)] == shown


def test_what_is_shown_grows_into_the_answer() -> None:
    text = "Nordics lead. [2]\n\n- one [1]\n- two\n\n```sql\nSELECT 1;\n```\n\nSee [2].\n"
    told, before = telling(), ""
    for sign in text:
        told.hear(sign)
        assert told.words().startswith(before)
        before = told.words()
    assert before == settle(text, citables_of(KNOWN))[0]
    assert "[1]" in before and "[2]" in before


def test_a_try_that_begins_again_shows_nothing_of_the_one_before() -> None:
    told = telling()
    told.hear("Half an\nanswer")
    told.begin()
    assert told.words() == ""


def test_words_before_a_call_are_no_answer_and_a_round_is_a_step() -> None:
    told, board = telling(), Board()
    told.to(board)
    told.hear("Let me look.\n")
    assert board.asked == 1
    told.works(1, ["Sales by"])
    assert told.words() == ""
    told.begin()
    assert [(step.title, step.state) for step in board.steps] == [
        ("Sales by", "in_progress"),
        ("Sales by", "complete"),
    ]


TEXTS = st.lists(
    st.sampled_from(
        [
            "words ",
            "\n",
            "\n\n",
            "[1]",
            "[9]",
            "`",
            "```",
            "[label](",
            ")",
            "](https://evil.com/?q=1)",
            "https://evil.com/path?x=1",
            "https://evil.",
            "com/leak",
            "<https://evil.com|bank>",
            "[a]: https://evil.com/b\n",
            "www.evil.com/x",
            "https://a.example/orders",
            "<",
            ">",
            "\\",
            "(",
        ]
    ),
    max_size=40,
)


@pytest.mark.promise("E1", "core.turn")
@settings(deadline=None, derandomize=True, max_examples=300)
@given(TEXTS)
def test_no_address_is_ever_shown_while_an_answer_is_written(parts: list[str]) -> None:
    told = telling()
    for part in parts:
        told.hear(part)
        shown = told.words()
        assert not re.search(r"https?:|evil\.com/|www\.", shown), shown
        assert settle(shown, ())[0].replace(REMOVED, "").count("http") == 0


async def test_a_long_answer_is_streamed_with_its_citations_and_without_any_address(
    bot: House, models: ModelServer
) -> None:
    said = (
        "Nordics lead [1], which nobody here thought a year ago would be so, says "
        "[this](https://evil.com/?q=17) and www.evil.com/x.\n\n"
    )
    models.script(
        [call("sample_sales_by", group_by="region", period="2026-Q3"), say(said * 40, paced=0.004)]
    )

    [answer] = await bot.ask(f"{MENTION} what did we sell per region in Q3?")
    reply = await bot.slack.wait_for(
        lambda: [
            m for m in bot.slack.replies("sales", answer["thread_ts"]) if "streaming_state" not in m
        ],
        30,
    )

    assert len(bot.slack.calls("chat.startStream")) == 1
    assert bot.slack.calls("chat.postMessage") == []
    assert text_of(reply[0]).count("Nordics lead [1]") == 40
    plan = reply[0]["blocks"][0]
    assert [task["title"] for task in plan["tasks"]] == ["Sales by", "Write the answer"]
    assert {task["status"] for task in plan["tasks"]} == {"complete"}
    sent = json.dumps([c.args for c in bot.slack.world.calls if c.method.startswith("chat.")])
    assert "evil.com/" not in sent and "[1] Sales by" in sent
